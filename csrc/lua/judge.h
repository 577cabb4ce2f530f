/* How the lines of a text were judged. */
#ifndef ABR_LUA_JUDGE_H
#define ABR_LUA_JUDGE_H

#include "base/private.h"
#include "lua/compat.h"

ABR_PRIVATE_BEGIN

extern const luaL_Reg abr_judge_functions[];

ABR_PRIVATE_END

#endif
