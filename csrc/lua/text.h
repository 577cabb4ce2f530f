/* Texts: sizes, tokens, cells, lines. */
#ifndef ABR_LUA_TEXT_H
#define ABR_LUA_TEXT_H

#include "base/private.h"
#include "lua/compat.h"

ABR_PRIVATE_BEGIN

extern const luaL_Reg abr_text_functions[];

ABR_PRIVATE_END

#endif
