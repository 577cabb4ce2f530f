/* Values of JSON documents, found and changed. Places are 1-based and inclusive, and count in the whole text,
 * even if the document is only a part of it. */
#include "lua/splice.h"
#include "abridge.h"
#include "lua/check.h"
#include "lua/compat.h"

enum { ARG_JSON = 1, ARG_EDITS = 2, ARG_DOCUMENT = 3, DECODED = 64 * 1024, DECODED_LEAST = 12 };

/* The document: bytes of a text. */
typedef struct {
    const char *p;
    size_t n;
    size_t before; /* bytes of the text before it */
} json_part;

/* The text at ARG_JSON, or the part of it given by the arguments from idx on: first, last. */
static json_part check_part(lua_State *L, const char *who, int idx)
{
    json_part x = {.before = 0};
    x.p = abr_check_text(L, who, "json", ARG_JSON, &x.n);
    if (lua_isnoneornil(L, idx))
        return x;
    const uint64_t first = abr_check_count(L, who, "first", idx);
    const uint64_t last = abr_check_count(L, who, "last", idx + 1);
    if (first < 1 || last > x.n || first > last + 1)
        luaL_error(L, "%s: no such bytes", who);
    x.before = (size_t)first - 1;
    x.p += x.before;
    x.n = (size_t)last - x.before;
    return x;
}

static int collect_splice(lua_State *L)
{
    abr_splice **splice = luaL_checkudata(L, 1, ABR_SPLICE_TYPE);
    abr_splice_close(*splice);
    *splice = NULL;
    return 0;
}

/* nil, a message and a code if the document is at fault; else raise. */
static int fail_splice(lua_State *L, const char *who, const abr_error *error)
{
    const bool json = error->code == ABR_EJSON;
    if (error->code == ABR_EINVAL)
        return luaL_error(L, "%s: edit %d: %s", who, (int)error->position, error->message);
    if (!json && error->code != ABR_EPOINTER)
        return luaL_error(L, "%s: %s", who, error->message);
    lua_pushnil(L);
    lua_pushfstring(L, json ? "%s (byte %d)" : "%s (edit %d)", error->message, (int)error->position);
    lua_pushstring(L, json ? "EJSON" : "EPOINTER");
    return 3;
}

static void push_found(lua_State *L, const json_part *x, const abr_spliced *found)
{
    static const char *const types[] = {NULL, "object", "array", "string", "number", "true", "false", "null"};
    lua_createtable(L, 0, 4);
    abr_set_count(L, "first", x->before + found->at + 1);
    abr_set_count(L, "last", x->before + found->at + found->n);
    lua_pushstring(L, types[found->type]);
    lua_setfield(L, -2, "type");
}

/* The splice of a document, collected if anything raises; NULL: it failed, and *results are pushed. */
static abr_splice **open_splice(lua_State *L, const char *who, const json_part *x, abr_edit *edits,
                                size_t count, int *results)
{
    abr_error error = {ABR_OK, NULL, 0};
    abr_splice **splice = lua_newuserdata(L, sizeof(abr_splice *));
    *splice = NULL;
    luaL_getmetatable(L, ABR_SPLICE_TYPE);
    lua_setmetatable(L, -2);
    if (abr_splice_open(x->p, x->n, edits, count, NULL, splice, &error) == ABR_OK)
        return splice;
    *results = fail_splice(L, who, &error);
    return NULL;
}

/* The edits read from a list. Their strings are held by a table of our own: a finalizer might change the
 * caller's. */
typedef struct {
    const char *who;
    abr_edit *list;
    size_t count;
    int held;    /* stack index of that table */
    int strings; /* number of strings in it */
} wishes;

static wishes open_wishes(lua_State *L, const char *who, const char *name)
{
    wishes x = {.who = who, .strings = 0};
    if (lua_type(L, ARG_EDITS) != LUA_TTABLE)
        abr_wrong(L, who, name, "a list", ARG_EDITS);
    x.count = abr_raw_length(L, ARG_EDITS);
    x.list = lua_newuserdata(L, (x.count + 1) * sizeof *x.list);
    lua_createtable(L, 0, 0);
    x.held = lua_gettop(L);
    return x;
}

/* Hold the string on top of the stack, and pop it. */
static const char *hold_string(lua_State *L, wishes *x, const char *name, size_t *n)
{
    const char *text = abr_check_text(L, x->who, name, -1, n);
    lua_rawseti(L, x->held, ++x->strings);
    return text;
}

/* Open the splice of a document and close it again, for the places found by its edits; false: it failed, and
 * *results are pushed. */
static bool find_wishes(lua_State *L, const json_part *x, const wishes *asked, int *results)
{
    abr_splice **splice = open_splice(L, asked->who, x, asked->list, asked->count, results);
    if (!splice)
        return false;
    abr_splice_close(*splice);
    *splice = NULL;
    return true;
}

/* find(json, pointers, first, last) -> { [pointer] = value } | nil, message, code */
static int l_find(lua_State *L)
{
    static const char who[] = "abridge.splice.find";
    int results = 0;
    const json_part x = check_part(L, who, ARG_DOCUMENT);
    wishes asked = open_wishes(L, who, "pointers");
    for (size_t i = 0; i < asked.count; i++) {
        asked.list[i] = (abr_edit){.act = ABR_EDIT_LOOK};
        lua_rawgeti(L, ARG_EDITS, (int)i + 1);
        asked.list[i].pointer = hold_string(L, &asked, "each pointer", &asked.list[i].pointer_len);
    }
    if (!find_wishes(L, &x, &asked, &results))
        return results;
    lua_createtable(L, 0, 0);
    for (size_t i = 0; i < asked.count; i++) {
        if (asked.list[i].found.type == ABR_SPLICED_NONE)
            continue;
        lua_rawgeti(L, asked.held, (int)i + 1);
        push_found(L, &x, &asked.list[i].found);
        lua_rawset(L, -3);
    }
    return 1;
}

/* Push a field of the table on top of the stack; returns its type. */
static int push_raw_field(lua_State *L, const char *name)
{
    lua_pushstring(L, name);
    return abr_raw_get(L, -2);
}

/* Read { pointer =, replace = | insert = | remove = true } on top of the stack, and pop it. */
static abr_edit take_wish(lua_State *L, wishes *x)
{
    abr_edit edit = {.act = ABR_EDIT_LOOK};
    int acts = 0;
    if (lua_type(L, -1) != LUA_TTABLE)
        abr_wrong(L, x->who, "each edit", "a table", -1);
    push_raw_field(L, "pointer");
    edit.pointer = hold_string(L, x, "pointer", &edit.pointer_len);
    push_raw_field(L, "remove");
    if (!lua_isnil(L, -1) && abr_check_boolean(L, x->who, "remove", -1)) {
        edit.act = ABR_EDIT_REMOVE;
        acts++;
    }
    lua_pop(L, 1);
    for (int i = 0; i < 2; i++) {
        const char *name = i == 0 ? "replace" : "insert";
        if (push_raw_field(L, name) == LUA_TNIL) {
            lua_pop(L, 1);
            continue;
        }
        edit.act = i == 0 ? ABR_EDIT_REPLACE : ABR_EDIT_INSERT;
        edit.json = hold_string(L, x, name, &edit.json_len);
        acts++;
    }
    lua_pop(L, 1);
    if (acts != 1)
        luaL_error(L, "%s: an edit has one of replace, insert and remove = true", x->who);
    return edit;
}

/* edit(json, edits) -> json | nil, message, code */
static int l_edit(lua_State *L)
{
    static const char who[] = "abridge.splice.edit";
    int results = 0;
    const json_part x = check_part(L, who, ARG_DOCUMENT);
    wishes asked = open_wishes(L, who, "edits");
    for (size_t i = 0; i < asked.count; i++) {
        lua_rawgeti(L, ARG_EDITS, (int)i + 1);
        asked.list[i] = take_wish(L, &asked);
    }
    abr_splice **splice = open_splice(L, who, &x, asked.list, asked.count, &results);
    if (!splice)
        return results;
    const size_t n = abr_splice_size(*splice);
    char *made = lua_newuserdata(L, n + 1);
    abr_splice_write(*splice, made);
    abr_splice_close(*splice);
    *splice = NULL;
    lua_pushlstring(L, made, n);
    return 1;
}

/* Set `name` in the table on top of the stack, if it is a member's; `room` is as large as the longest. */
static void set_name(lua_State *L, const json_part *x, const abr_spliced *member, char *room)
{
    size_t at = 0;
    if (member->name_at == 0)
        return;
    const size_t n = abr_decode_value(x->p + member->name_at, member->name_len, &at, room,
                                      member->name_len + DECODED_LEAST);
    lua_pushlstring(L, room, n);
    lua_setfield(L, -2, "name");
}

/* list(json, most, first, last) -> values, their total number | nil, message, code */
static int l_list(lua_State *L)
{
    static const char who[] = "abridge.splice.list";
    abr_error error = {ABR_OK, NULL, 0};
    const json_part x = check_part(L, who, ARG_DOCUMENT);
    const uint64_t asked = abr_check_count(L, who, "most", ARG_EDITS);
    const size_t most = asked < x.n ? (size_t)asked : x.n; /* no document has more */
    size_t count;
    if (abr_list_values(x.p, x.n, NULL, 0, NULL, &count, &error) != ABR_OK)
        return fail_splice(L, who, &error);
    const size_t listed = count < most ? count : most;
    abr_spliced *list = lua_newuserdata(L, (listed + 1) * sizeof *list);
    if (abr_list_values(x.p, x.n, list, listed, NULL, &count, &error) != ABR_OK)
        return fail_splice(L, who, &error);
    size_t longest = 0;
    for (size_t i = 0; i < listed; i++)
        longest = list[i].name_len > longest ? list[i].name_len : longest;
    char *room = lua_newuserdata(L, longest + DECODED_LEAST);
    lua_createtable(L, 0, 0);
    for (size_t i = 0; i < listed; i++) {
        push_found(L, &x, &list[i]);
        set_name(L, &x, &list[i], room);
        lua_rawseti(L, -2, (int)i + 1);
    }
    abr_push_count(L, count);
    return 2;
}

/* text(json, first, last, at) -> some of the text of the string there, the place to continue at, or nil */
static int l_text(lua_State *L)
{
    static const char who[] = "abridge.splice.text";
    const json_part x = check_part(L, who, 2);
    if (x.n < 2 || x.p[0] != '"' || x.p[x.n - 1] != '"')
        return luaL_error(L, "%s: no string stands there", who);
    size_t at = (size_t)(lua_isnoneornil(L, 4) ? 0 : abr_check_count(L, who, "at", 4));
    if (at > x.n - 2)
        return luaL_error(L, "%s: no such bytes", who);
    const size_t left = x.n - 2 - at;
    const size_t room = (left < DECODED ? left : DECODED) + DECODED_LEAST;
    char *text = lua_newuserdata(L, room);
    const size_t n = abr_decode_value(x.p + 1, x.n - 2, &at, text, room);
    lua_pushlstring(L, text, n);
    if (at < x.n - 2)
        abr_push_count(L, at);
    else
        lua_pushnil(L);
    return 2;
}

const luaL_Reg abr_splice_functions[] = {{"splice_find", l_find},
                                         {"splice_edit", l_edit},
                                         {"splice_list", l_list},
                                         {"splice_text", l_text},
                                         {NULL, NULL}};

const luaL_Reg abr_splice_methods[] = {{"__gc", collect_splice}, {NULL, NULL}};
