/* The module, put together from the functions that each file of the binding registers. */
#include "abridge.h"
#include "lua/clean.h"
#include "lua/compat.h"
#include "lua/cut.h"
#include "lua/file.h"
#include "lua/info.h"
#include "lua/judge.h"
#include "lua/page.h"
#include "lua/kind.h"
#include "lua/ledger.h"
#include "lua/locations.h"
#include "lua/results.h"
#include "lua/snapshot.h"
#include "lua/splice.h"
#include "lua/stream.h"
#include "lua/text.h"

/* ---- callbacks ---- */

/* pcall(f, ...) -> true, results | false, error; f must not yield on any host */
static int l_pcall(lua_State *L)
{
    if (lua_gettop(L) == 0)
        return luaL_error(L, "abridge.core.pcall: f must be a function, got nothing");
    int failed = lua_pcall(L, lua_gettop(L) - 1, LUA_MULTRET, 0);
    luaL_checkstack(L, 1, "too many results");
    lua_pushboolean(L, failed == 0);
    lua_insert(L, 1);
    return lua_gettop(L);
}

static const luaL_Reg own_functions[] = {{"pcall", l_pcall}, {NULL, NULL}};

/* ---- the module ---- */

static const luaL_Reg *const functions[] = {
    abr_text_functions,     abr_clean_functions,  abr_stream_functions,   abr_page_functions,
    abr_file_functions,     abr_kind_functions,   abr_location_functions, abr_judge_functions,
    abr_snapshot_functions, abr_splice_functions, own_functions,          NULL};

static const struct {
    const char *name;
    const luaL_Reg *methods;
} types[] = {
    {ABR_CLEANED_TYPE, abr_cleaned_methods}, {ABR_CLEANER_TYPE, abr_cleaner_methods},
    {ABR_STREAM_TYPE, abr_stream_methods},   {ABR_INDEX_TYPE, abr_index_methods},
    {ABR_PAGE_TYPE, abr_page_methods},       {ABR_LOG_TYPE, abr_log_methods},
    {ABR_SPLICE_TYPE, abr_splice_methods},
};

#ifdef _WIN32
__declspec(dllexport)
#elif defined(__GNUC__)
__attribute__((visibility("default")))
#endif
    int luaopen_abridge_core(lua_State *L);

/* A metatable that is its own __index; push_results() is on top of the stack. */
static void new_type(lua_State *L, const char *name, const luaL_Reg *methods)
{
    luaL_newmetatable(L, name);
    lua_pushvalue(L, -2);
    abr_set_functions(L, methods, 1);
    lua_pushvalue(L, -1);
    lua_setfield(L, -2, "__index");
    lua_pushstring(L, name);
    lua_setfield(L, -2, "__name");
    lua_pop(L, 1);
}

int luaopen_abridge_core(lua_State *L)
{
    abr_push_pusher(L);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        new_type(L, types[i].name, types[i].methods);
    lua_newtable(L);
    for (size_t i = 0; functions[i]; i++) {
        lua_pushvalue(L, -2);
        abr_set_functions(L, functions[i], 1);
    }
    lua_pushvalue(L, -2);
    abr_push_words(L);
    abr_set_functions(L, abr_cut_functions, 1 + WORDS);
    abr_push_kinds(L);
    lua_setfield(L, -2, "kinds");
    abr_push_info_json(L);
    lua_setfield(L, -2, "info_json");
    lua_pushinteger(L, ABR_RESUME_HINT_MOST);
    lua_setfield(L, -2, "resume_hint_most");
    lua_pushstring(L, abr_version());
    lua_setfield(L, -2, "version");
    /* the Lua it was built for, such as "5.1": others may load it, but misbehave */
    lua_pushfstring(L, "%d.%d", LUA_VERSION_NUM / 100, LUA_VERSION_NUM % 100);
    lua_setfield(L, -2, "lua_version");
#ifdef ABR_PORTABLE
    lua_pushboolean(L, true);
#else
    lua_pushboolean(L, false);
#endif
    lua_setfield(L, -2, "portable"); /* uses nothing specific to Linux, and neither do the Lua files */
    return 1;
}
