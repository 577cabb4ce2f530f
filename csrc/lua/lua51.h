/*
 * The part of the C API of Lua 5.1 that the binding uses, so that `make nvim` builds without an installed
 * Lua. Names, types and numbers are those of the Lua 5.1 reference manual and its binary interface, which
 * LuaJIT and Neovim share. Only for builds without lua.h; the suite compares this file with the headers of
 * Lua and of LuaJIT.
 */
#ifndef ABR_LUA51_H
#define ABR_LUA51_H

#include <stddef.h>

#define LUA_VERSION_NUM 501

/* ---- types ---- */

typedef struct lua_State lua_State;
typedef double lua_Number;
typedef ptrdiff_t lua_Integer;
typedef int (*lua_CFunction)(lua_State *L);

typedef struct luaL_Reg {
    const char *name; /* NULL ends a list */
    lua_CFunction func;
} luaL_Reg;

#define LUA_TNONE (-1)
#define LUA_TNIL 0
#define LUA_TBOOLEAN 1
#define LUA_TNUMBER 3
#define LUA_TSTRING 4
#define LUA_TTABLE 5
#define LUA_TFUNCTION 6

#define LUA_REGISTRYINDEX (-10000)
#define LUA_GLOBALSINDEX (-10002)
#define LUA_NOREF (-2)
#define LUA_MULTRET (-1)

#define lua_upvalueindex(n) (LUA_GLOBALSINDEX - (n))

/* ---- the stack ---- */

int lua_gettop(lua_State *L);
void lua_settop(lua_State *L, int idx);
void lua_pushvalue(lua_State *L, int idx);
void lua_remove(lua_State *L, int idx);
void lua_insert(lua_State *L, int idx);
void lua_replace(lua_State *L, int idx);
int lua_checkstack(lua_State *L, int n);

#define lua_pop(L, n) lua_settop(L, -1 - (n))

/* ---- from the stack ---- */

int lua_type(lua_State *L, int idx);
const char *lua_typename(lua_State *L, int type);
int lua_rawequal(lua_State *L, int idx1, int idx2);
lua_Number lua_tonumber(lua_State *L, int idx);
int lua_toboolean(lua_State *L, int idx);
const char *lua_tolstring(lua_State *L, int idx, size_t *len);
size_t lua_objlen(lua_State *L, int idx);
void *lua_touserdata(lua_State *L, int idx);

#define lua_isnil(L, idx) (lua_type(L, idx) == LUA_TNIL)
#define lua_isnoneornil(L, idx) (lua_type(L, idx) <= LUA_TNIL)
#define lua_tostring(L, idx) lua_tolstring(L, idx, NULL)

/* ---- onto the stack ---- */

void lua_pushnil(lua_State *L);
void lua_pushnumber(lua_State *L, lua_Number n);
void lua_pushinteger(lua_State *L, lua_Integer n);
void lua_pushlstring(lua_State *L, const char *s, size_t len);
void lua_pushstring(lua_State *L, const char *s);
const char *lua_pushfstring(lua_State *L, const char *format, ...);
void lua_pushcclosure(lua_State *L, lua_CFunction func, int upvalues);
void lua_pushboolean(lua_State *L, int b);
void lua_pushlightuserdata(lua_State *L, void *p);

#define lua_pushliteral(L, s) lua_pushlstring(L, "" s, sizeof(s) - 1)
#define lua_pushcfunction(L, func) lua_pushcclosure(L, func, 0)

/* ---- tables and userdata ---- */

void lua_createtable(lua_State *L, int array, int fields);
void *lua_newuserdata(lua_State *L, size_t size);
void lua_getfield(lua_State *L, int idx, const char *key);
void lua_setfield(lua_State *L, int idx, const char *key);
void lua_rawget(lua_State *L, int idx);
void lua_rawset(lua_State *L, int idx);
void lua_rawgeti(lua_State *L, int idx, int n);
void lua_rawseti(lua_State *L, int idx, int n);
int lua_getmetatable(lua_State *L, int idx);
int lua_setmetatable(lua_State *L, int idx);
int lua_next(lua_State *L, int idx);

#define lua_newtable(L) lua_createtable(L, 0, 0)
#define lua_getglobal(L, name) lua_getfield(L, LUA_GLOBALSINDEX, name)

/* ---- calls and errors ---- */

void lua_call(lua_State *L, int args, int results);
int lua_pcall(lua_State *L, int args, int results, int handler);
int lua_error(lua_State *L);
void lua_concat(lua_State *L, int n);

/* ---- the auxiliary library ---- */

void luaL_checkstack(lua_State *L, int n, const char *what);
int luaL_newmetatable(lua_State *L, const char *name);
void *luaL_checkudata(lua_State *L, int idx, const char *name);
int luaL_error(lua_State *L, const char *format, ...);
int luaL_ref(lua_State *L, int table);
void luaL_unref(lua_State *L, int table, int ref);

#define luaL_getmetatable(L, name) lua_getfield(L, LUA_REGISTRYINDEX, name)
#define luaL_typename(L, idx) lua_typename(L, lua_type(L, idx))

#endif
