/* The kind of a text. */
#ifndef ABR_LUA_KIND_H
#define ABR_LUA_KIND_H

#include "base/private.h"
#include "lua/compat.h"

ABR_PRIVATE_BEGIN

/* Push the register of kinds: a list of tables, in the order of abr_kind. */
void abr_push_kinds(lua_State *L);

extern const luaL_Reg abr_kind_functions[];

ABR_PRIVATE_END

#endif
