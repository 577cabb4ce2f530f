/* Streams, and reading descriptors into them. */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "lua/stream.h"
#include "abridge.h"
#include "base/memory.h"
#include "files/portable.h"
#include "lua/check.h"
#include "lua/clean.h"
#include "lua/compat.h"
#include "lua/options.h"
#include "lua/counter.h"
#include "lua/ledger.h"
#include "lua/results.h"
#include "lua/slots.h"
#include "lua/redact.h"

/* ---- streams ---- */

/* A stream for Lua: the core's, and a reference in the registry to its token counter. */
typedef struct {
    abr_stream *stream;   /* NULL once closed */
    abr_cleaner *cleaner; /* in front of it, or NULL */
    lua_State *L;         /* of the call under way, for the counter */
    int counter;          /* reference, LUA_NOREF for none */
    char *block;          /* to read descriptors into; NULL until one is read, and again at its end */
    bool busy;            /* a cut is being made: a counter or finalizer must not touch the stream */
} lua_stream;

static bool count_stream_tokens(void *ctx, const char *p, size_t n, uint64_t *tokens)
{
    const lua_stream *s = ctx;
    return abr_ask_counter(s->L, p, n, tokens);
}

static bool write_cleaned(void *ctx, const char *p, size_t n)
{
    const lua_stream *s = ctx;
    return abr_stream_write(s->stream, p, n) == ABR_OK;
}

static lua_stream *check_stream(lua_State *L, const char *who)
{
    lua_stream *s = luaL_checkudata(L, 1, ABR_STREAM_TYPE);
    if (!s->stream)
        luaL_error(L, "%s: the stream is closed", who);
    if (s->busy)
        luaL_error(L, "%s: the stream is being cut", who);
    return s;
}

/* One of the names of full_output = { dir =, name = }, left on the stack. */
static const char *check_name(lua_State *L, const char *who, const char *key, const char *name)
{
    size_t n;
    lua_getfield(L, -1, key);
    const char *text = abr_check_text(L, who, name, lua_gettop(L), &n);
    if (n == 0 || strlen(text) != n)
        abr_wrong(L, who, name, "a name without NUL", lua_gettop(L));
    lua_insert(L, -2);
    return text;
}

/* Take full_output out of the options: the folder and the name stay on the stack. */
static void read_full_output(lua_State *L, const char *who, int value, const char **dir, const char **name)
{
    if (lua_type(L, value) == LUA_TBOOLEAN && !lua_toboolean(L, value))
        return;
    if (lua_type(L, value) != LUA_TTABLE)
        abr_wrong(L, who, "full_output", "a table {dir=, name=} or false", value);
    lua_pushnil(L);
    while (lua_next(L, value)) {
        const char *key = abr_word_at(L, -2);
        if (strcmp(key, "dir") != 0 && strcmp(key, "name") != 0)
            abr_unknown_key(L, who, "full_output", lua_gettop(L) - 1, lua_gettop(L));
        lua_pop(L, 1);
    }
    lua_pushvalue(L, value);
    *dir = check_name(L, who, "dir", "full_output.dir");
    *name = check_name(L, who, "name", "full_output.name");
    lua_pop(L, 1);
}

/* Push a stream that judges the raw text, cleans and redacts in Lua, in front of one of ours. `full_output`:
 * that option's slot, or 0. */
static int stream_in_lua(lua_State *L, const char *who, int full_output)
{
    lua_pushboolean(L, false);
    lua_setfield(L, ARG_OPTS, "redact");
    if (full_output != 0) {
        lua_pushvalue(L, full_output);
        lua_setfield(L, ARG_OPTS, "full_output");
    }
    if (lua_isnil(L, SLOT_REDACT))
        lua_pushnil(L);
    else
        abr_push_redactor(L, who);
    abr_push_function(L, "abridge.output.redacted_stream", "stream");
    lua_pushvalue(L, ARG_OPTS);
    lua_pushvalue(L, -3);
    lua_call(L, 2, 1);
    return 1;
}

/* stream(opts) -> stream */
static int l_stream(lua_State *L)
{
    const char *who = "abridge.stream";
    abr_cut_options c = {.who = who, .opts = ABR_OPTS_INIT, .named_strategy = true};
    const char *dir = NULL;
    const char *name = NULL;
    abr_error error;
    lua_settop(L, 1);
    lua_pushliteral(L, "");
    lua_insert(L, ARG_TEXT); /* move the options to the place of a cut's */
    lua_settop(L, SLOT_REDACT);
    abr_check_options_table(L, who);
    abr_copy_options(L);
    bool keeps_file = abr_take_option(L, "full_output");
    int full_output = lua_gettop(L);
    if (keeps_file)
        read_full_output(L, who, full_output, &dir, &name);
    abr_read_options(L, &c);
    /* the text must be judged binary or not before it is cleaned */
    if (!lua_isnil(L, SLOT_REDACT) || (c.cleans && c.opts.strategy == ABR_AUTO))
        return stream_in_lua(L, who, keeps_file ? full_output : 0);

    lua_stream *s = lua_newuserdata(L, sizeof *s);
    *s = (lua_stream){.counter = LUA_NOREF};
    luaL_getmetatable(L, ABR_STREAM_TYPE);
    lua_setmetatable(L, -2);
    if (!lua_isnil(L, SLOT_COUNTER)) {
        lua_pushvalue(L, SLOT_COUNTER);
        s->counter = luaL_ref(L, LUA_REGISTRYINDEX);
        c.opts.count_tokens = count_stream_tokens;
        c.opts.count_ctx = s;
    }
    if (abr_stream_open(&c.opts, dir, name, &s->stream, &error) != ABR_OK ||
        (c.cleans && abr_cleaner_open(&c.clean, write_cleaned, s, &s->cleaner, &error) != ABR_OK))
        return luaL_error(L, "%s: %s", who, error.message);
    return 1;
}

enum { BYTES_AT_ONCE = 256 * 1024 /* bytes taken at once */ };

/* Add bytes to the stream, through a cleaner of Lua if there is one. */
static abr_code write_block(lua_stream *s, abr_lua_cleaner *before, const char *p, size_t n)
{
    if (s->cleaner)
        return abr_cleaner_write(s->cleaner, p, n);
    if (!before)
        return abr_stream_write(s->stream, p, n);
    abr_code code = abr_cleaner_write(before->cleaner, p, n);
    if (code == ABR_OK)
        code = abr_stream_write(s->stream, before->p, before->n);
    before->n = 0;
    return code;
}

/* The cleaner at idx, NULL for none. */
static abr_lua_cleaner *check_cleaner_before(lua_State *L, const char *who, int idx)
{
    if (lua_isnoneornil(L, idx))
        return NULL;
    abr_lua_cleaner *before = luaL_checkudata(L, idx, ABR_CLEANER_TYPE);
    if (!before->cleaner || before->finished)
        luaL_error(L, "%s: the cleaner is %s", who, before->cleaner ? "finished" : "closed");
    return before;
}

/* stream:write(chunk, cleaner) -> true | nil, message, code */
static int l_stream_write(lua_State *L)
{
    const char *who = "stream:write";
    size_t n;
    lua_stream *s = check_stream(L, who);
    const char *chunk = abr_check_text(L, who, "chunk", 2, &n);
    abr_lua_cleaner *before = check_cleaner_before(L, who, 3);
    if (abr_stream_finished(s->stream))
        return luaL_error(L, "%s: the stream is finished", who);
    abr_code code = ABR_OK;
    const size_t most = before ? BYTES_AT_ONCE : n; /* cleaned text is held as a whole */
    size_t at = 0;
    do {
        const size_t part = n - at < most ? n - at : most;
        code = write_block(s, before, chunk + at, part);
        at += part;
    } while (at < n && code == ABR_OK);
    if (code == ABR_OK) {
        lua_pushboolean(L, 1);
        return 1;
    }
    lua_pushnil(L);
    lua_pushliteral(L, "out of memory");
    lua_pushliteral(L, "ENOMEM");
    return 3;
}

/* ---- descriptors ---- */

enum { FD_MOST = 1024 * 1024 /* bytes read by a call without a limit */ };

static int check_fd(lua_State *L, const char *who, int idx)
{
    uint64_t fd = 0;
    if (!abr_to_count(L, idx, &fd) || fd > INT_MAX)
        abr_wrong(L, who, "fd", "a file descriptor, an integer from 0 to 2^31-1", idx);
    return (int)fd;
}

/* The most bytes to read, if the argument at idx says so. */
static uint64_t check_most(lua_State *L, const char *who, int idx)
{
    uint64_t most = FD_MOST;
    if (!lua_isnoneornil(L, idx) && (!abr_to_count(L, idx, &most) || most == 0))
        abr_wrong(L, who, "most", "an integer from 1 to 2^53", idx);
    return most;
}

static void drop_block(lua_stream *s)
{
    abr_block_free(abr_allocator(NULL), s->block);
    s->block = NULL;
}

/* stream:read_fd(fd, most, cleaner) -> bytes read, 0 at the end | nil, message, code */
static int l_stream_read_fd(lua_State *L)
{
    const char *who = "stream:read_fd";
    lua_stream *s = check_stream(L, who);
    const int fd = check_fd(L, who, 2);
    const uint64_t most = check_most(L, who, 3);
    abr_lua_cleaner *before = check_cleaner_before(L, who, 4);
    if (abr_stream_finished(s->stream))
        return luaL_error(L, "%s: the stream is finished", who);
    if (!s->block && !(s->block = abr_block_new(abr_allocator(NULL), BYTES_AT_ONCE)))
        return abr_push_errno(L, who, ENOMEM);
    uint64_t total = 0;
    bool ended = false;
    int failed = 0;
    for (size_t wanted = 1, got = 1; got == wanted && total < most && failed == 0; total += got) {
        wanted = most - total < BYTES_AT_ONCE ? (size_t)(most - total) : BYTES_AT_ONCE;
        failed = abr_read_some(fd, s->block, wanted, &got, &ended);
        if (got > 0 && write_block(s, before, s->block, got) != ABR_OK)
            return abr_push_errno(L, who, ENOMEM);
    }
    if (ended)
        drop_block(s);
    if (total == 0 && failed != 0)
        return abr_push_errno(L, who, failed);
    abr_push_count(L, total);
    return 1;
}

/* read_fd(fd, most) -> at most 64 KiB, "" at the end | nil, message, code */
static int l_read_fd(lua_State *L)
{
    enum { CHUNK = 64 * 1024 };
    const char *who = "stream:read_fd"; /* this does part of its work when Lua has to see the bytes */
    const int fd = check_fd(L, who, 1);
    const uint64_t most = check_most(L, who, 2);
    const size_t size = most < CHUNK ? (size_t)most : CHUNK;
    size_t got;
    bool ended;
    char *block = abr_push_block(L, size);
    int failed = abr_read_some(fd, block, size, &got, &ended);
    if (failed != 0)
        return abr_push_errno(L, who, failed);
    lua_pushlstring(L, block, got);
    return 1;
}

/* widen_pipe(fd) -> whether the pipe now holds 1 MiB */
static int l_widen_pipe(lua_State *L)
{
    lua_pushboolean(L, abr_widen_pipe(check_fd(L, "abridge.core.widen_pipe", 1)));
    return 1;
}

/* has_unread(fd) -> whether it holds unread bytes */
static int l_has_unread(lua_State *L)
{
    lua_pushboolean(L, abr_has_unread(check_fd(L, "abridge.core.has_unread", 1)));
    return 1;
}

/* has_no_reader(fd) -> whether a write to it would fail, since nobody holds the other end */
static int l_has_no_reader(lua_State *L)
{
    lua_pushboolean(L, abr_has_no_reader(check_fd(L, "abridge.core.has_no_reader", 1)));
    return 1;
}

/* ---- cuts of streams ---- */

static void put_full_output(lua_State *L, const abr_full_output *full)
{
    if (full->path) {
        abr_put_text(L, WORD_full_output_path, full->path);
        abr_put_count(L, WORD_full_output_bytes, full->bytes);
    }
    if (full->error) {
        abr_put_text(L, WORD_full_output_error, full->error);
        abr_put_text(L, WORD_full_output_code, full->code);
    }
}

/* Give the stream the cleaner's pending text: for good when finishing, otherwise for the next cut only. */
static void show_pending(lua_State *L, const char *who, lua_stream *s, bool finish)
{
    abr_code code;
    if (finish) {
        code = abr_cleaner_finish(s->cleaner, NULL);
    } else {
        size_t n = abr_cleaner_pending(s->cleaner, NULL);
        char *text = lua_newuserdata(L, n > 0 ? n : 1);
        abr_cleaner_pending(s->cleaner, text);
        code = abr_stream_preview(s->stream, text, n);
        lua_pop(L, 1);
    }
    if (code != ABR_OK)
        luaL_error(L, "%s: out of memory", who);
}

enum { STREAM_FIELDS = 5 };

static void put_stream_fields(lua_State *L, void *ctx)
{
    const lua_stream *s = ctx;
    abr_full_output full = abr_stream_full_output(s->stream);
    put_full_output(L, &full);
    if (s->cleaner)
        abr_put_count(L, WORD_raw_bytes, abr_cleaner_stats(s->cleaner).raw_bytes);
}

/* snapshot and finish */
static int cut_stream(lua_State *L, const char *who, bool finish)
{
    abr_narrow narrow = ABR_NO_NARROW;
    abr_error error;
    lua_stream *s = check_stream(L, who);
    if (finish && abr_stream_finished(s->stream))
        return luaL_error(L, "%s: the stream is finished", who);
    abr_prepare_cut(L, who, s->counter, &narrow);
    if (s->cleaner && !abr_stream_finished(s->stream))
        show_pending(L, who, s, finish);
    s->L = L;
    abr_cut_results results = {.text_size = SIZE_MAX,
                               .push_more = put_stream_fields,
                               .ctx = s,
                               .more = STREAM_FIELDS,
                               .busy = &s->busy};
    s->busy = true;
    abr_code code = finish ? abr_stream_finish(s->stream, &narrow, &results.cut, &error)
                           : abr_stream_snapshot(s->stream, &narrow, &results.cut, &error);
    if (finish)
        drop_block(s);
    return abr_finish_results(L, &results, who, code, &error);
}

/* stream:preview(text): until the next write, snapshots show it at the end */
static int l_stream_preview(lua_State *L)
{
    const char *who = "stream:preview";
    size_t n;
    lua_stream *s = check_stream(L, who);
    const char *text = abr_check_text(L, who, "text", 2, &n);
    if (abr_stream_finished(s->stream))
        return luaL_error(L, "%s: the stream is finished", who);
    if (abr_stream_preview(s->stream, text, n) != ABR_OK)
        return luaL_error(L, "%s: out of memory", who);
    return 0;
}

static int l_stream_snapshot(lua_State *L)
{
    return cut_stream(L, "stream:snapshot", false);
}

static int l_stream_finish(lua_State *L)
{
    return cut_stream(L, "stream:finish", true);
}

static int collect_stream(lua_State *L)
{
    lua_stream *s = luaL_checkudata(L, 1, ABR_STREAM_TYPE);
    abr_stream_close(s->stream);
    abr_cleaner_close(s->cleaner);
    drop_block(s);
    s->stream = NULL;
    s->cleaner = NULL;
    luaL_unref(L, LUA_REGISTRYINDEX, s->counter);
    s->counter = LUA_NOREF;
    return 0;
}

/* Also __close; closing twice is fine. */
static int l_stream_close(lua_State *L)
{
    lua_stream *s = luaL_checkudata(L, 1, ABR_STREAM_TYPE);
    if (s->stream)
        check_stream(L, "stream:close");
    return collect_stream(L);
}

static int l_stream_tostring(lua_State *L)
{
    const lua_stream *s = luaL_checkudata(L, 1, ABR_STREAM_TYPE);
    const char *state = !s->stream ? "closed" : abr_stream_finished(s->stream) ? "finished" : "open";
    lua_pushfstring(L, "abridge.stream (%s)", state);
    return 1;
}

const luaL_Reg abr_stream_methods[] = {
    {"write", l_stream_write},         {"read_fd", l_stream_read_fd},
    {"snapshot", l_stream_snapshot},   {"finish", l_stream_finish},
    {"preview", l_stream_preview},     {"close", l_stream_close},
    {"__gc", collect_stream},          {"__close", l_stream_close},
    {"__tostring", l_stream_tostring}, {NULL, NULL},
};

const luaL_Reg abr_stream_functions[] = {
    {"stream", l_stream},
    {"read_fd", l_read_fd},
    {"widen_pipe", l_widen_pipe},
    {"has_unread", l_has_unread},
    {"has_no_reader", l_has_no_reader},
    {NULL, NULL},
};
