/* Arguments of functions: checks, and the messages for wrong ones. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lua/check.h"
#include "abridge.h"
#include "base/memory.h"
#include "files/errno_text.h"
#include "lua/compat.h"

/* Print a number the same on every host: lua_pushfstring writes 5.0 on some and 5 on others. */
const char *abr_push_number(lua_State *L, lua_Number number)
{
    char text[32];
    snprintf(text, sizeof text, "%.14g", (double)number);
    return lua_pushfstring(L, "%s", isnan(number) ? "nan" : text); /* some C libraries print its sign */
}

/* Describe the value at idx for an error message. Pushes a string. */
const char *abr_describe(lua_State *L, int idx)
{
    enum { SHOWN = 40 };
    size_t n;
    const char *text;
    switch (lua_type(L, idx)) {
    case LUA_TSTRING:
        text = lua_tolstring(L, idx, &n);
        if (n <= SHOWN)
            return lua_pushfstring(L, "\"%s\"", text);
        lua_pushlstring(L, text, SHOWN);
        return lua_pushfstring(L, "\"%s...\"", lua_tostring(L, -1));
    case LUA_TNUMBER:
        return abr_push_number(L, lua_tonumber(L, idx));
    case LUA_TBOOLEAN:
        return lua_toboolean(L, idx) ? "true" : "false";
    case LUA_TNONE:
        return "no value";
    default:
        return luaL_typename(L, idx);
    }
}

int abr_wrong(lua_State *L, const char *who, const char *name, const char *expected, int idx)
{
    const char *value = abr_describe(L, idx);
    return luaL_error(L, "%s: %s must be %s, got %s", who, name, expected, value);
}

int abr_unknown_key(lua_State *L, const char *who, const char *where, int key, int value)
{
    const char *name = lua_type(L, key) == LUA_TSTRING ? lua_tostring(L, key) : abr_describe(L, key);
    return luaL_error(L, "%s: unknown key '%s' in %s (value %s)", who, name, where, abr_describe(L, value));
}

bool abr_number_to_count(lua_State *L, int idx, uint64_t *count)
{
#if LUA_VERSION_NUM >= 503
    int is_whole;
    const lua_Integer number = lua_tointegerx(L, idx, &is_whole);
    if (!is_whole || number < 0 || number > (lua_Integer)ABR_COUNT_MAX)
        return false;
#else
    const lua_Number number = lua_tonumber(L, idx);
    if (!(number >= 0 && number <= (lua_Number)ABR_COUNT_MAX) || number != (lua_Number)(int64_t)number)
        return false;
#endif
    *count = (uint64_t)number;
    return true;
}

bool abr_to_count(lua_State *L, int idx, uint64_t *count)
{
    return lua_type(L, idx) == LUA_TNUMBER && abr_number_to_count(L, idx, count);
}

uint64_t abr_check_count(lua_State *L, const char *who, const char *name, int idx)
{
    uint64_t count = 0;
    if (!abr_to_count(L, idx, &count))
        abr_wrong(L, who, name, "an integer from 0 to 2^53", idx);
    return count;
}

bool abr_to_size(lua_State *L, int idx, uint64_t *size)
{
    size_t n;
    if (lua_type(L, idx) != LUA_TSTRING)
        return abr_to_count(L, idx, size);
    const char *text = lua_tolstring(L, idx, &n);
    return abr_parse_size(text, n, size);
}

uint64_t abr_check_size(lua_State *L, const char *who, const char *name, int idx)
{
    uint64_t size = 0;
    if (!abr_to_size(L, idx, &size))
        abr_wrong(L, who, name, "an integer from 0 to 2^53 or a size such as \"30KB\"", idx);
    return size;
}

double abr_check_number(lua_State *L, const char *who, const char *name, int idx, double min, double max)
{
    double number = lua_type(L, idx) == LUA_TNUMBER ? (double)lua_tonumber(L, idx) : -1;
    if (!(number >= min && number <= max)) {
        const char *from = abr_push_number(L, min);
        abr_wrong(L, who, name, lua_pushfstring(L, "a number from %s to %s", from, abr_push_number(L, max)),
                  idx);
    }
    return number;
}

double abr_check_safety(lua_State *L, const char *who, const char *name, int idx)
{
    double safety = lua_type(L, idx) == LUA_TNUMBER ? (double)lua_tonumber(L, idx) : 0;
    if (!(safety > 0 && safety <= ABR_TOKEN_SAFETY_MAX))
        abr_wrong(L, who, name, "a number over 0 and up to 1000", idx);
    return safety;
}

bool abr_check_boolean(lua_State *L, const char *who, const char *name, int idx)
{
    if (lua_type(L, idx) != LUA_TBOOLEAN)
        abr_wrong(L, who, name, "true or false", idx);
    return lua_toboolean(L, idx);
}

/* A real string: numbers are refused, so that a slip does not pass for text. */
const char *abr_check_text(lua_State *L, const char *who, const char *name, int idx, size_t *n)
{
    if (lua_type(L, idx) != LUA_TSTRING)
        abr_wrong(L, who, name, "a string", idx);
    return lua_tolstring(L, idx, n);
}

/* The string at idx if it can be a key or a word: "" for other types and strings with a NUL. */
const char *abr_word_at(lua_State *L, int idx)
{
    size_t n;
    const char *word = lua_type(L, idx) == LUA_TSTRING ? lua_tolstring(L, idx, &n) : NULL;
    return word && strlen(word) == n ? word : "";
}

int abr_check_word(lua_State *L, const char *who, const char *name, int idx, const char *const words[],
                   const char *expected)
{
    const char *word = abr_word_at(L, idx);
    for (int i = 0; words[i]; i++)
        if (strcmp(words[i], word) == 0)
            return i;
    return abr_wrong(L, who, name, expected, idx);
}

/* ---- fields by name, of rarely made tables ---- */

void abr_set_count(lua_State *L, const char *name, uint64_t count)
{
    abr_push_count(L, count);
    lua_setfield(L, -2, name);
}

void abr_set_boolean(lua_State *L, const char *name, bool value)
{
    lua_pushboolean(L, value);
    lua_setfield(L, -2, name);
}

/* ---- failures of the system ---- */

int abr_push_errno(lua_State *L, const char *what, int number)
{
    lua_pushnil(L);
    lua_pushfstring(L, "%s: %s", what, abr_errno_text(number));
    lua_pushstring(L, abr_errno_name(number));
    return 3;
}

char *abr_push_block(lua_State *L, size_t n)
{
    const size_t more = ABR_ALIGNED - 1;
    char *memory = lua_newuserdata(L, n <= SIZE_MAX - more ? n + more : n);
    return memory + abr_to_page(memory);
}
