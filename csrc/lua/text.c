/* Counting, sizes, places in a text. */
#include "lua/text.h"
#include "abridge.h"
#include "lua/check.h"
#include "lua/compat.h"
#include "text/base64.h"
#include "text/scan.h"

static int l_count_lines(lua_State *L)
{
    size_t n;
    const char *text = abr_check_text(L, "abridge.count_lines", "text", 1, &n);
    abr_push_count(L, abr_count_lines(text, n));
    return 1;
}

/* count_chars(text) -> chars, invalid bytes among them */
static int l_count_chars(lua_State *L)
{
    size_t n;
    uint64_t invalid;
    const char *text = abr_check_text(L, "abridge.count_chars", "text", 1, &n);
    abr_push_count(L, abr_count_chars(text, n, &invalid));
    abr_push_count(L, invalid);
    return 2;
}

/* simd() -> name of the instruction set that scans texts */
static int l_simd(lua_State *L)
{
    lua_pushstring(L, abr_simd());
    return 1;
}

static int l_estimate_tokens(lua_State *L)
{
    size_t n;
    const char *text = abr_check_text(L, "abridge.estimate_tokens", "text", 1, &n);
    abr_push_count(L, abr_estimate_tokens(text, n));
    return 1;
}

/* weigh_tokens(text, token_safety) -> the tokens it counts as in a budget */
static int l_weigh_tokens(lua_State *L)
{
    const char *who = "abridge.core.weigh_tokens";
    size_t n;
    const char *text = abr_check_text(L, who, "text", 1, &n);
    double safety = ABR_TOKEN_SAFETY;
    if (!lua_isnoneornil(L, 2))
        safety = abr_check_safety(L, who, "token_safety", 2);
    abr_push_count(L, abr_weigh_tokens(text, n, safety));
    return 1;
}

static int l_format_size(lua_State *L)
{
    char size[ABR_SIZE_MAX];
    lua_pushlstring(L, size, abr_format_size(abr_check_count(L, "abridge.format_size", "n", 1), size));
    return 1;
}

/* parse_size(value) -> bytes | nil */
static int l_parse_size(lua_State *L)
{
    uint64_t size;
    if (abr_to_size(L, 1, &size))
        abr_push_count(L, size);
    else
        lua_pushnil(L);
    return 1;
}

/* find_line(text, line) -> first byte of line `line`, or nil if the text has fewer lines */
static int l_find_line(lua_State *L)
{
    const char *who = "abridge.core.find_line";
    size_t n;
    const char *text = abr_check_text(L, who, "text", 1, &n);
    uint64_t line = abr_check_count(L, who, "line", 2);
    uint64_t newlines = line > 0 ? line - 1 : 0;
    size_t at = abr_nth_newline(text, n, &newlines);
    if (newlines > 0 || (at == n && n > 0))
        lua_pushnil(L);
    else
        abr_push_count(L, at + 1);
    return 1;
}

/* find_char(text, char) -> first byte of char `char`; one past the end for the char after the last; or nil */
static int l_find_char(lua_State *L)
{
    const char *who = "abridge.core.find_char";
    size_t n;
    const char *text = abr_check_text(L, who, "text", 1, &n);
    uint64_t which = abr_check_count(L, who, "char", 2);
    size_t at = abr_skip_chars(text, n, which > 0 ? which - 1 : 0);
    if (at == n && abr_count_chars(text, n, NULL) + 1 < which)
        lua_pushnil(L);
    else
        abr_push_count(L, at + 1);
    return 1;
}

/* cells(text) -> columns it takes in a terminal */
static int l_cells(lua_State *L)
{
    size_t n;
    const char *text = abr_check_text(L, "abridge.core.cells", "text", 1, &n);
    abr_push_count(L, abr_cells(text, n));
    return 1;
}

/* fit_cells(text, width) -> bytes of the longest prefix that fits */
static int l_fit_cells(lua_State *L)
{
    const char *who = "abridge.core.fit_cells";
    size_t n;
    const char *text = abr_check_text(L, who, "text", 1, &n);
    abr_push_count(L, abr_fit_cells(text, n, abr_check_count(L, who, "width", 2)));
    return 1;
}

/* base64_bytes(text, least) -> bytes in runs of more than `least` chars of base64 */
static int l_base64_bytes(lua_State *L)
{
    const char *who = "abridge.core.base64_bytes";
    size_t n;
    const char *text = abr_check_text(L, who, "text", 1, &n);
    uint64_t least = abr_check_count(L, who, "least", 2);
    abr_push_count(L, least < n ? abr_base64_bytes(text, n, (size_t)least) : 0);
    return 1;
}

const luaL_Reg abr_text_functions[] = {
    {"count_lines", l_count_lines},
    {"count_chars", l_count_chars},
    {"estimate_tokens", l_estimate_tokens},
    {"weigh_tokens", l_weigh_tokens},
    {"format_size", l_format_size},
    {"parse_size", l_parse_size},
    {"find_line", l_find_line},
    {"find_char", l_find_char},
    {"cells", l_cells},
    {"fit_cells", l_fit_cells},
    {"base64_bytes", l_base64_bytes},
    {"simd", l_simd},
    {NULL, NULL},
};
