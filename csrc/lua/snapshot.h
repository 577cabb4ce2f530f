/* The contents of a table at one time. */
#ifndef ABR_LUA_SNAPSHOT_H
#define ABR_LUA_SNAPSHOT_H

#include "base/private.h"
#include "lua/compat.h"

ABR_PRIVATE_BEGIN

extern const luaL_Reg abr_snapshot_functions[];

ABR_PRIVATE_END

#endif
