/* Pages of files and texts, and the indexes of lines. */
#include <stdio.h>
#include <string.h>

#include "lua/page.h"
#include "abridge.h"
#include "lua/check.h"
#include "lua/clean.h"
#include "lua/compat.h"
#include "lua/options.h"
#include "lua/counter.h"
#include "lua/ledger.h"
#include "lua/results.h"
#include "lua/slots.h"

/* index() -> index */
static int l_index(lua_State *L)
{
    abr_error error;
    abr_index **index = lua_newuserdata(L, sizeof(abr_index *)); /* NOLINT(bugprone-sizeof-expression) */
    *index = NULL;
    luaL_getmetatable(L, ABR_INDEX_TYPE);
    lua_setmetatable(L, -2);
    if (abr_index_open(NULL, index, &error) != ABR_OK)
        return luaL_error(L, "abridge.index: %s", error.message);
    return 1;
}

static int collect_index(lua_State *L)
{
    abr_index **index = luaL_checkudata(L, 1, ABR_INDEX_TYPE);
    abr_index_close(*index);
    *index = NULL;
    return 0;
}

/* index:bytes() -> memory it takes */
static int l_index_bytes(lua_State *L)
{
    abr_index *const *index = luaL_checkudata(L, 1, ABR_INDEX_TYPE);
    abr_push_count(L, abr_index_bytes(*index));
    return 1;
}

const luaL_Reg abr_index_methods[] = {{"bytes", l_index_bytes}, {"__gc", collect_index}, {NULL, NULL}};

/* A page for Lua: the core's, and references in the registry to the values it points to. */
typedef struct {
    abr_page *page; /* NULL once closed */
    lua_State *L;   /* of the call under way, for the counter */
    int counter;    /* reference, LUA_NOREF for none */
    int anchor;     /* reference to a table with the options' strings, the text and the index */
    bool busy;      /* a cut is being made */
    bool opening;   /* opening it takes more steps */
} lua_page;

static bool count_page_tokens(void *ctx, const char *p, size_t n, uint64_t *tokens)
{
    const lua_page *page = ctx;
    return abr_ask_counter(page->L, p, n, tokens);
}

static lua_page *check_page(lua_State *L, const char *who)
{
    lua_page *page = luaL_checkudata(L, 1, ABR_PAGE_TYPE);
    if (!page->page)
        luaL_error(L, "%s: the page is closed", who);
    if (page->busy)
        luaL_error(L, "%s: the page is being cut", who);
    if (page->opening)
        luaL_error(L, "%s: the page is not open yet", who);
    return page;
}

static uint64_t check_number_from_1(lua_State *L, const char *who, const char *name, int idx)
{
    uint64_t number = 0;
    if (!abr_to_count(L, idx, &number) || number == 0)
        abr_wrong(L, who, name, "an integer from 1 to 2^53", idx);
    return number;
}

typedef struct {
    abr_page_opts opts;
    int index_at; /* stack index of the abr_index; 0: none */
} page_options;

/* Take the options that only pages have out of the table; the values left on the stack stay alive. */
static void read_page_options(lua_State *L, const char *who, page_options *own)
{
    abr_page_opts *o = &own->opts;
    if (abr_take_option(L, "offset"))
        o->offset = check_number_from_1(L, who, "offset", -1);
    if (abr_take_option(L, "column"))
        o->column = check_number_from_1(L, who, "column", -1);
    if (abr_take_option(L, "limit"))
        o->limit = check_number_from_1(L, who, "limit", -1);
    if (abr_take_option(L, "binary"))
        o->binary = abr_check_boolean(L, who, "binary", -1);
    if (abr_take_option(L, "version")) {
        size_t n;
        o->version = abr_check_text(L, who, "version", -1, &n);
    }
    if (abr_take_option(L, "pointer"))
        o->pointer = abr_check_text(L, who, "pointer", -1, &o->pointer_len);
    if (abr_take_option(L, "index")) {
        bool is_index = lua_getmetatable(L, -1) != 0;
        if (is_index) {
            luaL_getmetatable(L, ABR_INDEX_TYPE);
            is_index = lua_rawequal(L, -1, -2);
            lua_pop(L, 2);
        }
        if (!is_index)
            abr_wrong(L, who, "index", "what abridge.index() returned", -1);
        o->index = *(abr_index **)lua_touserdata(L, -1);
        own->index_at = lua_gettop(L);
    }
}

static const abr_page_items no_items;

static const char *code_name(abr_code code)
{
    static const char *const names[] = {
        [ABR_ENOENT] = "ENOENT",    [ABR_EACCES] = "EACCES",   [ABR_EISDIR] = "EISDIR",
        [ABR_ENOTREG] = "ENOTREG",  [ABR_EBINARY] = "EBINARY", [ABR_EOFFSET] = "EOFFSET",
        [ABR_ECOLUMN] = "ECOLUMN",  [ABR_EIO] = "EIO",         [ABR_EJSON] = "EJSON",
        [ABR_EPOINTER] = "EPOINTER"};
    return names[code];
}

/* { what =, at =, total =, members = }: the details of EJSON and EPOINTER. */
static void push_json_error(lua_State *L, const abr_error *error, const abr_page_items *items)
{
    lua_createtable(L, 0, 4);
    lua_pushstring(L, error->message);
    lua_setfield(L, -2, "what");
    abr_set_count(L, "at", error->position);
    abr_set_count(L, "total", items->total);
    abr_set_boolean(L, "members", items->members);
}

/* Push nil, the code and a detail: a number for EOFFSET and ECOLUMN, a table for EJSON and EPOINTER,
 * otherwise a text. The items are those at which a pointer stops. */
static int push_page_error(lua_State *L, const char *who, const abr_error *error, const abr_page_items *items)
{
    if (error->code == ABR_ENOMEM || error->code == ABR_EINVAL || error->code == ABR_ECOUNT)
        return luaL_error(L, "%s: %s", who, error->message);
    lua_pushnil(L);
    lua_pushstring(L, code_name(error->code));
    if (error->code == ABR_EOFFSET || error->code == ABR_ECOLUMN)
        abr_push_count(L, error->position);
    else if (error->code == ABR_EJSON || error->code == ABR_EPOINTER)
        push_json_error(L, error, items);
    else
        lua_pushstring(L, error->message);
    return 3;
}

static lua_page *push_page(lua_State *L)
{
    lua_page *page = lua_newuserdata(L, sizeof *page);
    *page = (lua_page){.counter = LUA_NOREF, .anchor = LUA_NOREF};
    luaL_getmetatable(L, ABR_PAGE_TYPE);
    lua_setmetatable(L, -2);
    return page;
}

/* Close a page that could not be opened, and push why. */
static int page_failed(lua_State *L, const char *who, lua_page *page, const abr_error *error)
{
    const abr_page_items items = abr_page_shown(page->page);
    abr_page_close(page->page);
    page->page = NULL;
    return push_page_error(L, who, error, &items);
}

/* The source of a page, and how it is opened. */
typedef enum { WHOLE_FILE, FILE_IN_STEPS, WHOLE_TEXT, TEXT_IN_PARTS } page_source;

/* (path or text, opts) -> page | nil, code, detail */
static int open_page(lua_State *L, const char *who, page_source from)
{
    const bool is_file = from == WHOLE_FILE || from == FILE_IN_STEPS;
    abr_cut_options c = {.who = who, .opts = ABR_OPTS_INIT, .named_strategy = true};
    page_options own = {ABR_PAGE_OPTS_INIT, 0};
    abr_error error = {ABR_ENOENT, "no such file or directory", 0};
    size_t n;
    const char *source = abr_check_text(L, who, is_file ? "path" : "text", ARG_TEXT, &n);
    lua_settop(L, ARG_OPTS);
    lua_settop(L, SLOT_REDACT);
    abr_check_options_table(L, who);
    abr_copy_options(L);
    read_page_options(L, who, &own);
    if (!abr_take_option(L, "strategy"))
        lua_pushliteral(L, "head");
    lua_setfield(L, ARG_OPTS, "strategy");
    abr_read_options(L, &c);
    if (c.cleans || !lua_isnil(L, SLOT_REDACT))
        return luaL_error(L, "%s: %s is not for pages: their lines and bytes are those of the file", who,
                          c.cleans ? "clean" : "redact");

    lua_page *page = push_page(L);
    lua_pushvalue(L, ARG_TEXT);
    lua_rawseti(L, ARG_OPTS, 1);
    lua_pushvalue(L, own.index_at > 0 ? own.index_at : ARG_TEXT);
    lua_rawseti(L, ARG_OPTS, 2);
    lua_pushvalue(L, ARG_OPTS);
    page->anchor = luaL_ref(L, LUA_REGISTRYINDEX);
    if (!lua_isnil(L, SLOT_COUNTER)) {
        lua_pushvalue(L, SLOT_COUNTER);
        page->counter = luaL_ref(L, LUA_REGISTRYINDEX);
        c.opts.count_tokens = count_page_tokens;
        c.opts.count_ctx = page;
    }
    own.opts.cut = c.opts;
    if (is_file && strlen(source) != n)
        return push_page_error(L, who, &error, &no_items);
    page->opening = from == FILE_IN_STEPS || from == TEXT_IN_PARTS;
    abr_code code = page->opening ? abr_page_begin(is_file ? source : NULL, &own.opts, &page->page, &error)
                    : is_file     ? abr_page_open(source, &own.opts, &page->page, &error)
                                  : abr_page_text(source, n, &own.opts, &page->page, &error);
    if (code == ABR_OK && from == TEXT_IN_PARTS && abr_page_write(page->page, source, n, &error) != ABR_OK)
        return page_failed(L, who, page, &error);
    return code == ABR_OK ? 1 : push_page_error(L, who, &error, &no_items);
}

/* page(path, opts) -> page | nil, code, detail */
static int l_page(lua_State *L)
{
    return open_page(L, "abridge.page", WHOLE_FILE);
}

/* page_in_steps(path, opts) -> page, open once page:step() says so | nil, code, detail */
static int l_page_in_steps(lua_State *L)
{
    return open_page(L, "abridge.page", FILE_IN_STEPS);
}

/* page:step(n) -> is it open, after about n more bytes were read | nil, code, detail, and it is closed */
static int l_page_step(lua_State *L)
{
    const char *who = "page:step";
    abr_error error;
    bool done;
    lua_page *page = luaL_checkudata(L, 1, ABR_PAGE_TYPE);
    uint64_t most = abr_check_count(L, who, "n", 2);
    if (!page->page || !page->opening)
        return luaL_error(L, "%s: the page is %s", who, page->page ? "open" : "closed");
    if (abr_page_step(page->page, most, &done, &error) != ABR_OK)
        return page_failed(L, who, page, &error);
    page->opening = !done;
    lua_pushboolean(L, done);
    return 1;
}

/* read_file(path, at, n) -> up to n bytes from byte `at` on, the file's size | nil, code, detail */
static int l_read_file(lua_State *L)
{
    const char *who = "abridge.core.read_file";
    abr_error error = {ABR_ENOENT, "no such file or directory", 0};
    uint64_t size;
    size_t got;
    size_t path_n;
    const char *path = abr_check_text(L, who, "path", 1, &path_n);
    uint64_t at = abr_check_count(L, who, "at", 2);
    size_t n = (size_t)abr_check_count(L, who, "n", 3);
    char *block = abr_push_block(L, n);
    if (strlen(path) != path_n || abr_file_read_at(path, at, block, n, &got, &size, &error) != ABR_OK)
        return push_page_error(L, who, &error, &no_items);
    lua_pushlstring(L, block, got);
    abr_push_count(L, size);
    return 2;
}

/* page_text(text, opts) -> page | nil, code, detail */
static int l_page_text(lua_State *L)
{
    return open_page(L, "abridge.core.page_text", WHOLE_TEXT);
}

/* json_in_parts(text, opts) -> page of the JSON that begins with this text; page:write() adds to it,
 * page:step() ends it | nil, code, detail */
static int l_json_in_parts(lua_State *L)
{
    return open_page(L, "abridge.core.json_in_parts", TEXT_IN_PARTS);
}

/* page:write(text) -> true | nil, code, detail, and it is closed */
static int l_page_write(lua_State *L)
{
    const char *who = "page:write";
    abr_error error;
    size_t n;
    lua_page *page = luaL_checkudata(L, 1, ABR_PAGE_TYPE);
    const char *text = abr_check_text(L, who, "text", 2, &n);
    if (!page->page || !page->opening)
        return luaL_error(L, "%s: the page is %s", who, page->page ? "open" : "closed");
    if (abr_page_write(page->page, text, n, &error) != ABR_OK)
        return page_failed(L, who, page, &error);
    lua_pushboolean(L, true);
    return 1;
}

/* For the fields of the ledger that only pages have. */
typedef struct {
    abr_page *page;
    const abr_page_lines *lines;
} page_fields;

enum { PAGE_FIELDS = 10 };

/* Set the ledger's field `items` to { { unit =, of =, total =, kept =, first = } }, and next_pointer. */
static void put_items(lua_State *L, const abr_page_items *items)
{
    lua_createtable(L, 1, 0);
    lua_createtable(L, 0, 5);
    lua_pushstring(L, items->members ? "members" : "elements");
    lua_setfield(L, -2, "unit");
    lua_pushlstring(L, items->parent, items->parent_len);
    lua_setfield(L, -2, "of");
    abr_set_count(L, "total", items->total);
    abr_set_count(L, "kept", items->shown);
    abr_set_count(L, "first", items->first);
    lua_rawseti(L, -2, 1);
    lua_setfield(L, -2, "items");
    if (!items->next)
        return;
    lua_pushlstring(L, items->next, items->next_len);
    lua_setfield(L, -2, "next_pointer");
}

static void put_page_fields(lua_State *L, void *ctx)
{
    const page_fields *fields = ctx;
    const abr_page_lines *lines = fields->lines;
    abr_page_info about = abr_page_about(fields->page);
    abr_put_count(L, WORD_first_line, lines->first_line);
    abr_put_count(L, WORD_last_line, lines->last_line);
    if (about.first_char > 0)
        abr_put_count(L, WORD_first_char, about.first_char);
    if (lines->column > 0)
        abr_put_count(L, WORD_column, lines->column);
    if (lines->next_offset > 0)
        abr_put_count(L, WORD_next_offset, lines->next_offset);
    if (lines->next_column > 0)
        abr_put_count(L, WORD_next_column, lines->next_column);
    if (*about.version)
        abr_put_text(L, WORD_version, about.version);
    if (about.changed)
        abr_put_boolean(L, WORD_changed, true);
    const abr_page_items items = abr_page_shown(fields->page);
    if (items.parent)
        put_items(L, &items);
}

/* page:snapshot(opts) -> content, cut; also as `finish`, since a page may be used in place of a stream */
static int l_page_snapshot(lua_State *L)
{
    const char *who = "page:snapshot";
    abr_narrow narrow = ABR_NO_NARROW;
    abr_page_lines lines;
    abr_error error;
    lua_page *page = check_page(L, who);
    abr_prepare_cut(L, who, page->counter, &narrow);
    page->L = L;
    page_fields fields = {page->page, &lines};
    abr_cut_results results = {.text_size = SIZE_MAX,
                               .push_more = put_page_fields,
                               .ctx = &fields,
                               .more = PAGE_FIELDS,
                               .busy = &page->busy};
    page->busy = true;
    abr_code code = abr_page_cut(page->page, &narrow, &results.cut, &lines, &error);
    return abr_finish_results(L, &results, who, code, &error);
}

/* page:read(at, n) -> up to n bytes of the page from byte `at` on | nil, code, message */
static int l_page_read(lua_State *L)
{
    const char *who = "page:read";
    abr_error error;
    size_t got;
    lua_page *page = check_page(L, who);
    uint64_t at = abr_check_count(L, who, "at", 2);
    size_t n = (size_t)abr_check_count(L, who, "n", 3);
    char *block = abr_push_block(L, n);
    if (abr_page_read(page->page, at, block, n, &got, &error) != ABR_OK)
        return push_page_error(L, who, &error, &no_items);
    lua_pushlstring(L, block, got);
    return 1;
}

/* page:about() -> totals, place, version, whether the file has changed, and the longest possible
 * next_pointer */
static int l_page_about(lua_State *L)
{
    enum { VERSION_MOST = 256 };
    lua_page *page = check_page(L, "page:about");
    abr_page_changed(page->page);
    abr_page_info about = abr_page_about(page->page);
    char version[VERSION_MOST]; /* a copy: pushing may run a finalizer that closes the page */
    snprintf(version, sizeof version, "%s", about.version);
    lua_newtable(L);
    abr_set_count(L, "first_byte", about.first_byte);
    abr_set_count(L, "total_lines", about.total_lines);
    abr_set_count(L, "total_bytes", about.total_bytes);
    lua_pushstring(L, version);
    lua_setfield(L, -2, "version");
    abr_set_boolean(L, "changed", about.changed);
    abr_set_count(L, "next_most", abr_page_shown(page->page).next_most);
    return 1;
}

static int collect_page(lua_State *L)
{
    lua_page *page = luaL_checkudata(L, 1, ABR_PAGE_TYPE);
    abr_page_close(page->page);
    page->page = NULL;
    luaL_unref(L, LUA_REGISTRYINDEX, page->counter);
    luaL_unref(L, LUA_REGISTRYINDEX, page->anchor);
    page->counter = page->anchor = LUA_NOREF;
    return 0;
}

/* Also __close; closing twice is fine. */
static int l_page_close(lua_State *L)
{
    lua_page *page = luaL_checkudata(L, 1, ABR_PAGE_TYPE);
    if (page->page && !page->opening)
        check_page(L, "page:close");
    return collect_page(L);
}

const luaL_Reg abr_page_methods[] = {
    {"snapshot", l_page_snapshot}, {"finish", l_page_snapshot},
    {"read", l_page_read},         {"about", l_page_about},
    {"step", l_page_step},         {"write", l_page_write},
    {"close", l_page_close},       {"__close", l_page_close},
    {"__gc", collect_page},        {NULL, NULL},
};

const luaL_Reg abr_page_functions[] = {
    {"page", l_page},   {"page_in_steps", l_page_in_steps}, {"page_text", l_page_text},
    {"index", l_index}, {"read_file", l_read_file},         {"json_in_parts", l_json_in_parts},
    {NULL, NULL},
};
