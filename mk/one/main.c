/*
 * The `abridge` command as one static program: Lua, luv, lua-cjson, our core, and our Lua files as bytecode.
 *
 * It reads no Lua from anywhere else: no LUA_PATH, no LUA_INIT, no modules of the system.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lauxlib.h"
#include "lua.h"
#include "lualib.h"

int luaopen_abridge_core(lua_State *L);
int luaopen_cjson(lua_State *L);
int luaopen_luv(lua_State *L);

/* All modules, one after the other. */
__asm__(".section .rodata\nabr_one_bytes: .incbin \"" ABR_ONE_BYTES "\"\n.previous");
extern const char abr_one_bytes[];

/* Where a module is in them. */
struct one_module {
    const char *name;
    size_t at;
    size_t size;
};

/* Sorted by name. */
static const struct one_module modules[] = {
#include ABR_ONE_TABLE
};

static int by_name(const void *name, const void *module)
{
    return strcmp(name, ((const struct one_module *)module)->name);
}

/* A searcher of `require`. */
static int search(lua_State *L)
{
    const char *name = luaL_checkstring(L, 1);
    const struct one_module *found =
        bsearch(name, modules, sizeof modules / sizeof *modules, sizeof *modules, by_name);
    if (!found) {
        lua_pushfstring(L, "no module '%s' in this program", name);
        return 1;
    }
    if (luaL_loadbufferx(L, abr_one_bytes + found->at, found->size, name, "b") != LUA_OK)
        return lua_error(L);
    lua_pushvalue(L, 1);
    return 2;
}

/* Let `require` find what is in this program, and nothing else. */
static void set_up_require(lua_State *L)
{
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
    lua_pushcfunction(L, luaopen_abridge_core);
    lua_setfield(L, -2, "abridge.core");
    lua_pushcfunction(L, luaopen_cjson);
    lua_setfield(L, -2, "cjson");
    lua_pushcfunction(L, luaopen_luv);
    lua_setfield(L, -2, "luv");
    lua_getglobal(L, "package");
    lua_pushliteral(L, "");
    lua_setfield(L, -2, "path");
    lua_pushliteral(L, "");
    lua_setfield(L, -2, "cpath");
    lua_getfield(L, -1, "searchers"); /* the first looks at what is preloaded, the others at files */
    lua_pushcfunction(L, search);
    lua_rawseti(L, -2, 2);
    for (int i = 3; i <= 4; i++) {
        lua_pushnil(L);
        lua_rawseti(L, -2, i);
    }
    lua_settop(L, 0);
}

/* Run the command line, of which argc and argv are given; returns its exit code. */
static int run(lua_State *L)
{
    const int argc = (int)lua_tointeger(L, 1);
    char **argv = lua_touserdata(L, 2);
    lua_pushboolean(L, 1);
    lua_setfield(L, LUA_REGISTRYINDEX, "LUA_NOENV");
    luaL_openlibs(L);
    set_up_require(L);
    lua_getglobal(L, "require");
    lua_pushliteral(L, "abridge.cli");
    lua_call(L, 1, 1);
    lua_getfield(L, -1, "main");
    lua_createtable(L, argc, 0);
    for (int i = 1; i < argc; i++) {
        lua_pushstring(L, argv[i]);
        lua_rawseti(L, -2, i);
    }
    lua_call(L, 1, 1);
    return 1;
}

int main(int argc, char **argv)
{
    lua_State *L = luaL_newstate();
    if (!L) {
        fputs("abridge: not enough memory\n", stderr);
        return 1;
    }
    lua_pushcfunction(L, run);
    lua_pushinteger(L, argc);
    lua_pushlightuserdata(L, argv);
    if (lua_pcall(L, 2, 1, 0) != LUA_OK) {
        const char *message = lua_tostring(L, -1);
        fprintf(stderr, "abridge: %s\n", message ? message : "failed");
        return 1;
    }
    return (int)lua_tointeger(L, -1);
}
