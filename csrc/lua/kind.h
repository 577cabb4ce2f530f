/* What a text is. */
#ifndef ABR_LUA_KIND_H
#define ABR_LUA_KIND_H

#include "base/private.h"
#include "lua/compat.h"

ABR_PRIVATE_BEGIN

extern const luaL_Reg abr_kind_functions[];

ABR_PRIVATE_END

#endif
