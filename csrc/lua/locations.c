/* The places that diagnostics in a text point at. */
#include <string.h>

#include "lua/locations.h"
#include "abridge.h"
#include "lua/check.h"
#include "lua/compat.h"
#include "lua/options.h"
#include "lua/slots.h"

static const char locations_who[] = "abridge.locations";

/* Read a key of `from`, the table on top of the stack: a count from `least` to `most`. */
static uint64_t check_from(lua_State *L, const char *key, const char *name, uint64_t least, uint64_t most)
{
    uint64_t count = 0;
    lua_pushstring(L, key);
    abr_raw_get(L, -2);
    const int value = lua_gettop(L);
    if (!abr_to_count(L, -1, &count) || count < least || count > most) {
        const char *first = abr_push_number(L, (lua_Number)least);
        const char *last = most == ABR_COUNT_MAX ? "2^53" : abr_push_number(L, (lua_Number)most);
        abr_wrong(L, locations_who, name, lua_pushfstring(L, "an integer from %s to %s", first, last), value);
    }
    lua_pop(L, 1);
    return count;
}

/* Read the place to continue at from the table on top of the stack. */
static void read_from(lua_State *L, size_t n, abr_location *location)
{
    if (lua_type(L, -1) != LUA_TTABLE)
        abr_wrong(L, locations_who, "from", "a table", -1);
    location->at = (size_t)check_from(L, "byte", "from.byte", 1, (uint64_t)n + 1) - 1;
    location->line = check_from(L, "line", "from.line", 1, ABR_COUNT_MAX) - 1;
    location->heading = (size_t)check_from(L, "heading", "from.heading", 0, location->at);
}

/* Read the options at 2; returns the last line to look at. */
static uint64_t read_options(lua_State *L, size_t n, abr_location *location)
{
    uint64_t max_lines = ABR_UNLIMITED;
    if (lua_isnoneornil(L, 2))
        return max_lines;
    if (lua_type(L, 2) != LUA_TTABLE)
        abr_wrong(L, locations_who, "opts", "a table", 2);
    for (lua_pushnil(L); lua_next(L, 2); lua_pop(L, 1)) {
        const char *key = abr_word_at(L, -2);
        if (strcmp(key, "from") == 0)
            read_from(L, n, location);
        else if (strcmp(key, "max_lines") != 0)
            abr_unknown_option(L, locations_who, lua_gettop(L) - 1, lua_gettop(L));
        else if (!abr_to_count(L, -1, &max_lines) || max_lines == 0)
            abr_wrong(L, locations_who, "max_lines", "an integer from 1 to 2^53", -1);
    }
    return max_lines == ABR_UNLIMITED ? max_lines : location->line + max_lines;
}

static void push_location(lua_State *L, const abr_location *location)
{
    enum { FIELDS = 6 };
    lua_createtable(L, 0, FIELDS);
    abr_set_count(L, "line", location->line);
    lua_pushlstring(L, location->file, location->file_bytes);
    lua_setfield(L, -2, "file");
    abr_set_count(L, "lnum", location->lnum);
    if (location->col > 0)
        abr_set_count(L, "col", location->col);
    if (location->severity != ABR_SEVERITY_NONE) {
        lua_pushstring(L, abr_severity_name(location->severity));
        lua_setfield(L, -2, "severity");
    }
    lua_pushlstring(L, location->message, location->message_bytes);
    lua_setfield(L, -2, "message");
}

/* locations(text, opts) -> list of places, the place to continue at; nil at the end */
static int l_locations(lua_State *L)
{
    size_t n;
    abr_location location;
    const char *text = abr_check_text(L, locations_who, "text", ARG_TEXT, &n);
    location.at = location.heading = 0;
    location.line = 0;
    const uint64_t last_line = read_options(L, n, &location);
    lua_newtable(L);
    for (int i = 1; abr_next_location(text, n, last_line, &location); i++) {
        push_location(L, &location);
        lua_rawseti(L, -2, i);
    }
    if (location.at == n)
        return 1;
    lua_createtable(L, 0, 3);
    abr_set_count(L, "byte", (uint64_t)location.at + 1);
    abr_set_count(L, "line", location.line + 1);
    abr_set_count(L, "heading", location.heading);
    return 2;
}

const luaL_Reg abr_location_functions[] = {{"locations", l_locations}, {NULL, NULL}};
