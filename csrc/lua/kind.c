/* What a text is. */
#include "lua/kind.h"
#include "abridge.h"
#include "kinds/binary.h"
#include "kinds/kind.h"
#include "kinds/magic.h"
#include "lua/check.h"
#include "lua/compat.h"
#include "lua/slots.h"

/* kind(text) -> name */
static int l_kind(lua_State *L)
{
    size_t n;
    const char *text = abr_check_text(L, "abridge.kind", "text", ARG_TEXT, &n);
    lua_pushstring(L, abr_kind_name(abr_tell(text, n)));
    return 1;
}

/* magic(start) -> media type, nil for text and for what is not known */
static int l_magic(lua_State *L)
{
    size_t n;
    const char *start = abr_check_text(L, "abridge.core.magic", "start", ARG_TEXT, &n);
    lua_pushstring(L, n > 0 ? abr_magic(start, n) : NULL);
    return 1;
}

/* is_binary(start, whole) -> whether a text is binary; nil where that takes more of its start */
static int l_is_binary(lua_State *L)
{
    size_t n;
    const char *type;
    const char *start = abr_check_text(L, "abridge.core.is_binary", "start", ARG_TEXT, &n);
    const bool whole = lua_toboolean(L, 2);
    if (n <= ABR_BINARY_JUDGED && !whole)
        lua_pushnil(L);
    else
        lua_pushboolean(L, abr_is_binary(start, n, whole, &type));
    return 1;
}

void abr_push_kinds(lua_State *L)
{
    lua_createtable(L, ABR_KINDS - ABR_KIND_LOG, 0);
    for (int i = ABR_KIND_LOG; i < ABR_KINDS; i++) {
        lua_createtable(L, 0, 2);
        lua_pushstring(L, abr_kind_name((abr_kind)i));
        lua_setfield(L, -2, "name");
        abr_set_boolean(L, "shows_end", abr_shows_end((abr_kind)i));
        lua_rawseti(L, -2, i - ABR_KIND_LOG + 1);
    }
}

const luaL_Reg abr_kind_functions[] = {
    {"kind", l_kind}, {"magic", l_magic}, {"is_binary", l_is_binary}, {NULL, NULL}};
