/* The differences between Lua 5.1 and 5.5. Everything used here is the same from 5.3 on. */
#ifndef ABR_LUA_COMPAT_H
#define ABR_LUA_COMPAT_H

#ifdef ABR_LUA51 /* `make nvim`, which needs no Lua headers */
#include "lua/lua51.h"
#else
#include <lauxlib.h>
#include <lua.h>
#endif

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

/* Set functions in the table below the n values on top, which become the upvalues of each and are popped. */
#if LUA_VERSION_NUM < 502
static inline void abr_set_functions(lua_State *L, const luaL_Reg *functions, int n)
{
    for (; functions->name; functions++) {
        for (int i = 0; i < n; i++)
            lua_pushvalue(L, -n);
        lua_pushcclosure(L, functions->func, n);
        lua_setfield(L, -n - 2, functions->name);
    }
    lua_pop(L, n);
}

static inline size_t abr_raw_length(lua_State *L, int idx)
{
    return lua_objlen(L, idx);
}
#else
static inline void abr_set_functions(lua_State *L, const luaL_Reg *functions, int n)
{
    luaL_setfuncs(L, functions, n);
}

static inline size_t abr_raw_length(lua_State *L, int idx)
{
    return (size_t)lua_rawlen(L, idx);
}
#endif

/* lua_rawget(); returns the type of the value pushed. */
static inline int abr_raw_get(lua_State *L, int idx)
{
#if LUA_VERSION_NUM >= 503
    return lua_rawget(L, idx);
#else
    lua_rawget(L, idx);
    return lua_type(L, -1);
#endif
}

/* Push a count, as an integer if the host has integers; every count is exact in a double. */
static inline void abr_push_count(lua_State *L, uint64_t count)
{
#if LUA_VERSION_NUM >= 503
    lua_pushinteger(L, (lua_Integer)count);
#else
    lua_pushnumber(L, (lua_Number)count);
#endif
}

ABR_PRIVATE_END

#endif
