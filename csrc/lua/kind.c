/* The kind of a text. */
#include "lua/kind.h"
#include "abridge.h"
#include "text/utf16.h"
#include "kinds/binary.h"
#include "kinds/kind.h"
#include "lua/check.h"
#include "lua/compat.h"
#include "lua/slots.h"

/* kind(text) -> name, and if it has several parts { { kind =, first_line =, last_line = }, ... } */
static int l_kind(lua_State *L)
{
    size_t n;
    abr_parts parts;
    const char *text = abr_check_text(L, "abridge.kind", "text", ARG_TEXT, &n);
    if (abr_tell_parts(text, n, NULL, &parts) != ABR_OK)
        return luaL_error(L, "abridge.kind: out of memory");
    lua_pushstring(L, abr_kind_name(parts.kind));
    if (parts.count == 0)
        return 1;
    lua_createtable(L, (int)parts.count, 0);
    for (size_t i = 0; i < parts.count; i++) {
        const abr_part *part = &parts.list[i];
        lua_createtable(L, 0, 3);
        lua_pushstring(L, abr_kind_name(part->kind));
        lua_setfield(L, -2, "kind");
        abr_set_count(L, "first_line", part->first_line);
        abr_set_count(L, "last_line", part->last_line);
        lua_rawseti(L, -2, (int)i + 1);
    }
    return 2;
}

/* kind_name(text) -> name, in bounded time whatever the text */
static int l_kind_name(lua_State *L)
{
    size_t n;
    const char *text = abr_check_text(L, "abridge.core.kind_name", "text", ARG_TEXT, &n);
    lua_pushstring(L, abr_kind_name(abr_tell(text, n)));
    return 1;
}

/* Set a field to { count =, lines = { n, ... } }. */
static void set_side(lua_State *L, const char *name, const abr_side_lines *side)
{
    lua_createtable(L, 0, 2);
    abr_set_count(L, "count", side->count);
    lua_createtable(L, ABR_REASON_LINES, 0);
    for (int i = 0; i < ABR_REASON_LINES && side->line[i] > 0; i++) {
        lua_pushnumber(L, (lua_Number)side->line[i]);
        lua_rawseti(L, -2, i + 1);
    }
    lua_setfield(L, -2, "lines");
    lua_setfield(L, -2, name);
}

/* kind_reason(text) -> its kind, and the evidence for it */
static int l_kind_reason(lua_State *L)
{
    size_t n;
    abr_kind_reason reason;
    const char *text = abr_check_text(L, "abridge.core.kind_reason", "text", ARG_TEXT, &n);
    abr_reason_kind(text, n, &reason);
    lua_createtable(L, 0, 8);
    lua_pushstring(L, abr_kind_name(reason.told.kind));
    lua_setfield(L, -2, "name");
    lua_pushstring(L, reason.by);
    lua_setfield(L, -2, "by");
    abr_set_count(L, "bytes", reason.bytes);
    if (reason.told.media_type) {
        lua_pushstring(L, reason.told.media_type);
        lua_setfield(L, -2, "media_type");
    }
    if (reason.told.delimiter) {
        lua_pushlstring(L, &reason.told.delimiter, 1);
        lua_setfield(L, -2, "delimiter");
    }
    if (reason.told.kind == ABR_KIND_TABLE && reason.told.header_lines > 0)
        abr_set_count(L, "header_lines", reason.told.header_lines);
    if (reason.log_line > 0)
        abr_set_count(L, reason.by, reason.log_line);
    if (reason.lines > 0) {
        abr_set_count(L, "lines", reason.lines);
        set_side(L, "printed", &reason.printed);
        set_side(L, "written", &reason.written);
    }
    return 1;
}

/* magic(start) -> media type, nil for text and unknown formats */
static int l_magic(lua_State *L)
{
    size_t n;
    const char *start = abr_check_text(L, "abridge.core.magic", "start", ARG_TEXT, &n);
    lua_pushstring(L, n > 0 ? abr_magic(start, n) : NULL);
    return 1;
}

/* is_binary(start, whole, cleans) -> whether a text, which will be cleaned, is binary; nil if more of its
 * start is needed to tell */
static int l_is_binary(lua_State *L)
{
    size_t n;
    const char *type;
    const char *start = abr_check_text(L, "abridge.core.is_binary", "start", ARG_TEXT, &n);
    const bool whole = lua_toboolean(L, 2);
    if (n <= ABR_BINARY_JUDGED && !whole)
        lua_pushnil(L);
    else if (lua_toboolean(L, 3))
        lua_pushboolean(L, abr_is_binary_to_clean(start, n, whole));
    else
        lua_pushboolean(L, abr_is_binary(start, n, whole, &type));
    return 1;
}

/* is_utf16(start) -> whether a text is UTF-16 with a byte order mark */
static int l_is_utf16(lua_State *L)
{
    size_t n;
    const char *start = abr_check_text(L, "abridge.core.is_utf16", "start", ARG_TEXT, &n);
    lua_pushboolean(L, abr_is_utf16(start, n));
    return 1;
}

void abr_push_kinds(lua_State *L)
{
    lua_createtable(L, ABR_KINDS - ABR_KIND_LOG, 0);
    for (int i = ABR_KIND_LOG; i < ABR_KINDS; i++) {
        lua_createtable(L, 0, 3);
        lua_pushstring(L, abr_kind_name((abr_kind)i));
        lua_setfield(L, -2, "name");
        abr_set_boolean(L, "shows_end", abr_shows_end((abr_kind)i));
        abr_set_boolean(L, "is_option", i != ABR_KIND_MIXED);
        lua_rawseti(L, -2, i - ABR_KIND_LOG + 1);
    }
}

const luaL_Reg abr_kind_functions[] = {
    {"kind", l_kind},   {"kind_name", l_kind_name}, {"kind_reason", l_kind_reason},
    {"magic", l_magic}, {"is_binary", l_is_binary}, {"is_utf16", l_is_utf16},
    {NULL, NULL}};
