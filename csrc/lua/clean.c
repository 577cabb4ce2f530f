/* Cleaning of texts, whole and in chunks. */
#include <stdlib.h>
#include <string.h>

#include "lua/clean.h"
#include "abridge.h"
#include "clean/invisible.h"
#include "lua/check.h"
#include "lua/compat.h"
#include "lua/slots.h"

/* ---- options of cleaning ---- */

static const char *const clean_names[] = {
    "carriage_return", "backspace", "tab",     "erase", "cursor",  "color", "string",
    "charset",         "escape",    "control", "c1",    "invalid", NULL};

/* Read { kind = false }, which keeps a kind, and { invisible = true }. */
static void read_clean_table(lua_State *L, const char *who, int value, abr_clean_opts *opts)
{
    lua_pushnil(L);
    while (lua_next(L, value)) {
        const char *key = abr_word_at(L, -2);
        const int at = lua_gettop(L);
        if (strcmp(key, "invisible") == 0) {
            opts->invisible = abr_check_boolean(L, who, "clean.invisible", at);
            lua_pop(L, 1);
            continue;
        }
        int kind = 0;
        while (clean_names[kind] && strcmp(clean_names[kind], key) != 0)
            kind++;
        if (!clean_names[kind])
            abr_unknown_key(L, who, "clean", at - 1, at);
        const char *name = lua_pushfstring(L, "clean.%s", key);
        if (!abr_check_boolean(L, who, name, at))
            opts->keep |= 1u << kind;
        lua_pop(L, 2);
    }
}

bool abr_read_clean(lua_State *L, const char *who, int value, abr_clean_opts *opts)
{
    if (lua_type(L, value) == LUA_TBOOLEAN)
        return lua_toboolean(L, value);
    if (lua_type(L, value) != LUA_TTABLE)
        abr_wrong(L, who, "clean", "true, false or a table", value);
    read_clean_table(L, who, value, opts);
    return true;
}

/* ---- cleaning ---- */

static int collect_cleaned(lua_State *L)
{
    abr_cleaned_free(lua_touserdata(L, 1));
    return 0;
}

const luaL_Reg abr_cleaned_methods[] = {{"__gc", collect_cleaned}, {NULL, NULL}};

void abr_clean_argument(lua_State *L, const char *who, const abr_clean_opts *opts, abr_clean_stats *stats)
{
    abr_error error;
    size_t n;
    const char *text = lua_tolstring(L, ARG_TEXT, &n);
    abr_cleaned *cleaned = lua_newuserdata(L, sizeof *cleaned);
    memset(cleaned, 0, sizeof *cleaned);
    luaL_getmetatable(L, ABR_CLEANED_TYPE);
    lua_setmetatable(L, -2);
    if (abr_clean_text(text, n, opts, cleaned, &error) != ABR_OK)
        luaL_error(L, "%s: %s", who, error.message);
    if (stats)
        *stats = cleaned->stats;
    if (cleaned->changed) {
        lua_pushlstring(L, cleaned->p, cleaned->n);
        lua_replace(L, ARG_TEXT);
    }
    abr_cleaned_free(cleaned);
    lua_pop(L, 1);
}

/* `invisible`: the option was given. */
static void push_clean_stats(lua_State *L, const abr_clean_stats *stats, bool invisible)
{
    lua_createtable(L, 0, ABR_CLEAN_KINDS + 3);
    abr_set_count(L, "raw_bytes", stats->raw_bytes);
    abr_set_count(L, "bytes", stats->bytes);
    if (invisible)
        abr_set_count(L, "invisible", stats->invisible);
    for (int kind = 0; kind < ABR_CLEAN_KINDS; kind++)
        abr_set_count(L, clean_names[kind], stats->count[kind]);
}

/* The options of cleaning at idx, which may be nil. */
static abr_clean_opts check_clean_options(lua_State *L, const char *who, int idx)
{
    abr_clean_opts opts = {.keep = 0};
    if (lua_isnoneornil(L, idx))
        return opts;
    if (lua_type(L, idx) != LUA_TTABLE)
        abr_wrong(L, who, "opts", "a table", idx);
    read_clean_table(L, who, idx, &opts);
    return opts;
}

/* has_unseen(text) -> whether anything in it does not show */
static int l_has_unseen(lua_State *L)
{
    size_t n;
    const char *text = abr_check_text(L, "abridge.core.has_unseen", "text", ARG_TEXT, &n);
    lua_pushboolean(L, abr_has_unseen(text, n));
    return 1;
}

/* seen(text, sequences) -> the text without bytes that never show: whole escape sequences, or just their
 * ESC */
static int l_seen(lua_State *L)
{
    size_t n;
    const char *text = abr_check_text(L, "abridge.core.seen", "text", ARG_TEXT, &n);
    const bool sequences = lua_toboolean(L, 2);
    char *seen = lua_newuserdata(L, n > 0 ? n : 1);
    lua_pushlstring(L, seen, abr_copy_seen(text, n, sequences, seen));
    return 1;
}

static int clean_or_strip(lua_State *L, const char *who, bool strip)
{
    abr_clean_stats stats;
    size_t n;
    abr_check_text(L, who, "text", ARG_TEXT, &n);
    abr_clean_opts opts = check_clean_options(L, who, ARG_OPTS);
    opts.strip = strip;
    lua_settop(L, ARG_OPTS);
    abr_clean_argument(L, who, &opts, &stats);
    lua_pushvalue(L, ARG_TEXT);
    push_clean_stats(L, &stats, opts.invisible);
    return 2;
}

/* clean(text, opts) -> text, stats */
static int l_clean(lua_State *L)
{
    return clean_or_strip(L, "abridge.clean", false);
}

/* strip(text, opts) -> text, stats: only the first step of cleaning */
static int l_strip(lua_State *L)
{
    return clean_or_strip(L, "abridge.core.strip", true);
}

/* ---- cleaners ---- */

enum { CLEANER_KEEPS = 256 * 1024 /* bytes of memory kept between calls */ };

static bool take_cleaned(void *ctx, const char *p, size_t n)
{
    abr_lua_cleaner *c = ctx;
    if (n > c->size - c->n) {
        if (n > SIZE_MAX / 4 || c->n > SIZE_MAX / 4)
            return false;
        size_t size = 2 * (c->n + n);
        char *grown = realloc(c->p, size);
        if (!grown)
            return false;
        c->p = grown;
        c->size = size;
    }
    memcpy(c->p + c->n, p, n);
    c->n += n;
    return true;
}

static abr_lua_cleaner *check_cleaner(lua_State *L, const char *who)
{
    abr_lua_cleaner *c = luaL_checkudata(L, 1, ABR_CLEANER_TYPE);
    if (!c->cleaner)
        luaL_error(L, "%s: the cleaner is closed", who);
    return c;
}

/* Push the text that the core handed over. */
static void push_cleaned(lua_State *L, const char *who, abr_lua_cleaner *c, abr_code code)
{
    if (code != ABR_OK)
        luaL_error(L, "%s: out of memory", who);
    lua_pushlstring(L, c->n > 0 ? c->p : "", c->n);
    c->n = 0;
    if (c->size > CLEANER_KEEPS) {
        free(c->p);
        c->p = NULL;
        c->size = 0;
    }
}

static int open_cleaner(lua_State *L, const char *who, const abr_clean_opts *opts)
{
    abr_error error;
    abr_lua_cleaner *c = lua_newuserdata(L, sizeof *c);
    memset(c, 0, sizeof *c);
    c->invisible = opts->invisible;
    luaL_getmetatable(L, ABR_CLEANER_TYPE);
    lua_setmetatable(L, -2);
    if (abr_cleaner_open(opts, take_cleaned, c, &c->cleaner, &error) != ABR_OK)
        return luaL_error(L, "%s: %s", who, error.message);
    return 1;
}

/* cleaner(opts) -> cleaner */
static int l_cleaner(lua_State *L)
{
    const char *who = "abridge.core.cleaner";
    lua_settop(L, 1);
    const abr_clean_opts opts = check_clean_options(L, who, 1);
    return open_cleaner(L, who, &opts);
}

/* stripper(opts) -> a cleaner that only strips */
static int l_stripper(lua_State *L)
{
    const char *who = "abridge.core.stripper";
    lua_settop(L, 1);
    abr_clean_opts opts = check_clean_options(L, who, 1);
    opts.strip = true;
    return open_cleaner(L, who, &opts);
}

/* decoder() -> a cleaner that only makes UTF-8 of UTF-16 */
static int l_decoder(lua_State *L)
{
    const abr_clean_opts opts = {.decode = true};
    return open_cleaner(L, "abridge.core.decoder", &opts);
}

/* cleaner:write(chunk) -> text that is final now */
static int l_cleaner_write(lua_State *L)
{
    const char *who = "cleaner:write";
    size_t n;
    abr_lua_cleaner *c = check_cleaner(L, who);
    const char *chunk = abr_check_text(L, who, "chunk", 2, &n);
    if (c->finished)
        return luaL_error(L, "%s: the cleaner is finished", who);
    push_cleaned(L, who, c, abr_cleaner_write(c->cleaner, chunk, n));
    return 1;
}

/* cleaner:pending() -> text that may still change */
static int l_cleaner_pending(lua_State *L)
{
    const abr_lua_cleaner *c = check_cleaner(L, "cleaner:pending");
    size_t n = abr_cleaner_pending(c->cleaner, NULL);
    char *text = lua_newuserdata(L, n > 0 ? n : 1);
    abr_cleaner_pending(c->cleaner, text);
    lua_pushlstring(L, text, n);
    return 1;
}

/* cleaner:finish() -> the rest of the text, stats */
static int l_cleaner_finish(lua_State *L)
{
    const char *who = "cleaner:finish";
    abr_clean_stats stats;
    abr_lua_cleaner *c = check_cleaner(L, who);
    c->finished = true;
    push_cleaned(L, who, c, abr_cleaner_finish(c->cleaner, &stats));
    push_clean_stats(L, &stats, c->invisible);
    return 2;
}

/* Also __close and __gc; closing twice is fine. */
static int l_cleaner_close(lua_State *L)
{
    abr_lua_cleaner *c = luaL_checkudata(L, 1, ABR_CLEANER_TYPE);
    abr_cleaner_close(c->cleaner);
    free(c->p);
    memset(c, 0, sizeof *c);
    return 0;
}

const luaL_Reg abr_cleaner_methods[] = {
    {"write", l_cleaner_write},
    {"pending", l_cleaner_pending},
    {"finish", l_cleaner_finish},
    {"close", l_cleaner_close},
    {"__close", l_cleaner_close},
    {"__gc", l_cleaner_close},
    {NULL, NULL},
};

const luaL_Reg abr_clean_functions[] = {
    {"clean", l_clean},     {"strip", l_strip},       {"has_unseen", l_has_unseen}, {"seen", l_seen},
    {"cleaner", l_cleaner}, {"stripper", l_stripper}, {"decoder", l_decoder},       {NULL, NULL},
};
