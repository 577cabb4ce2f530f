/* Functions that cut a text. */
#ifndef ABR_LUA_CUT_H
#define ABR_LUA_CUT_H

#include "base/private.h"
#include "lua/compat.h"

ABR_PRIVATE_BEGIN

extern const luaL_Reg abr_cut_functions[];

ABR_PRIVATE_END

#endif
