/* Cuts of texts and of lines. */
#include <string.h>

#include "lua/cut.h"
#include "abridge.h"
#include "cut/cut_text.h"
#include "kinds/binary.h"
#include "lua/check.h"
#include "lua/clean.h"
#include "lua/compat.h"
#include "lua/options.h"
#include "lua/counter.h"
#include "lua/frame.h"
#include "lua/ledger.h"
#include "lua/results.h"
#include "lua/slots.h"
#include "lua/redact.h"
#include "priority/told_line.h"

static void put_raw_bytes(lua_State *L, void *ctx)
{
    const size_t *raw = ctx;
    abr_put_count(L, WORD_raw_bytes, *raw);
}

/* A cut with its reasons. */
typedef struct {
    abr_told_lines lines;
    size_t raw;
    bool cleans;
} told_cut;

/* Put the reasons why lines show or don't into the ledger, and `passed`: the first and the last line of each
 * stretch of output of passing tests. */
static void put_told(lua_State *L, void *ctx)
{
    static const char *const why[] = {
        [ABR_WHY_FILLING] = "filling", [ABR_WHY_START] = "start",   [ABR_WHY_END] = "end",
        [ABR_WHY_SAYS] = "says",       [ABR_WHY_BEFORE] = "before", [ABR_WHY_AFTER] = "after",
        [ABR_WHY_HIT] = "hit",         [ABR_WHY_ODD] = "odd",       [ABR_WHY_COMMAND] = "command"};
    const told_cut *cut = ctx;
    const abr_told_lines *told = &cut->lines;
    if (cut->cleans)
        abr_put_count(L, WORD_raw_bytes, cut->raw);
    lua_createtable(L, (int)told->count, 0);
    for (size_t i = 0; i < told->count; i++) {
        const abr_told_line *line = &told->list[i];
        lua_createtable(L, 0, 7);
        abr_set_count(L, "line", line->line + 1);
        abr_set_boolean(L, "kept", line->kept);
        lua_pushstring(L, why[line->why]);
        lua_setfield(L, -2, "why");
        lua_pushnumber(L, (lua_Number)line->line_score);
        lua_setfield(L, -2, "score");
        lua_pushnumber(L, (lua_Number)line->keep_value);
        lua_setfield(L, -2, "value");
        if (line->failure > 0)
            abr_set_count(L, "failure", line->failure);
        if (line->alike > 1)
            abr_set_count(L, "alike", line->alike);
        lua_rawseti(L, -2, (int)i + 1);
    }
    lua_createtable(L, 2 * (int)told->passed_count, 0);
    for (size_t i = 0; i < told->passed_count; i++) {
        lua_pushnumber(L, (lua_Number)told->passed[i].from + 1);
        lua_rawseti(L, -2, 2 * (int)i + 1);
        lua_pushnumber(L, (lua_Number)told->passed[i].end);
        lua_rawseti(L, -2, 2 * (int)i + 2);
    }
    lua_setfield(L, -2, "passed");
    lua_setfield(L, -2, "told_lines");
}

/* Prepare the results of a cut of the text at ARG_TEXT; `raw`: its size before it was cleaned, or NULL. Field
 * by field, as zeroing the cut, which the core fills in, would cost more than all this. */
static void begin_results(abr_cut_results *results, abr_frame *frame, size_t n, size_t *raw)
{
    abr_frame_begin(frame);
    results->text_size = n;
    results->push_more = raw ? put_raw_bytes : NULL;
    results->ctx = raw;
    results->more = raw != NULL;
    results->busy = NULL;
    results->frame = frame;
}

/* Is the text at ARG_TEXT binary? This is judged before cleaning; nothing of a binary shows. */
static bool is_binary(lua_State *L, const abr_cut_options *c)
{
    size_t n;
    const char *type;
    const char *text = lua_tolstring(L, ARG_TEXT, &n);
    if (c->opts.strategy != ABR_AUTO || c->opts.kind != ABR_KIND_TOLD)
        return c->opts.strategy == ABR_AUTO && c->opts.kind == ABR_KIND_BINARY;
    return c->cleans ? abr_is_binary_to_clean(text, n, true) : abr_is_binary(text, n, true, &type);
}

static int push_cut_text(lua_State *L, const char *who, abr_strategy strategy, bool named)
{
    abr_cut_options c = {.who = who, .opts = ABR_OPTS_INIT, .named_strategy = named};
    abr_cut_results results;
    abr_frame frame;
    size_t raw;
    abr_error error;
    abr_check_text(L, who, "text", ARG_TEXT, &raw);
    lua_settop(L, ARG_OPTS);
    lua_settop(L, SLOT_REDACT);
    c.opts.strategy = strategy;
    abr_read_options(L, &c);
    if (!is_binary(L, &c))
        abr_make_source(L, who, c.cleans ? &c.clean : NULL);
    size_t n;
    const char *text = lua_tolstring(L, ARG_TEXT, &n);
    if (!lua_isnil(L, SLOT_COUNTER)) {
        lua_pushcfunction(L, abr_call_counter);
        c.opts.count_tokens = abr_ask_counter;
        c.opts.count_ctx = L;
    }
    begin_results(&results, &frame, n, c.cleans ? &raw : NULL);
    c.opts.alloc = &frame.alloc;
    abr_code code = abr_cut_text(text, n, &c.opts, &results.cut, &error);
    return abr_finish_results(L, &results, who, code, &error);
}

static int l_head(lua_State *L)
{
    return push_cut_text(L, "abridge.head", ABR_HEAD, false);
}

static int l_tail(lua_State *L)
{
    return push_cut_text(L, "abridge.tail", ABR_TAIL, false);
}

static int l_head_tail(lua_State *L)
{
    return push_cut_text(L, "abridge.head_tail", ABR_HEAD_TAIL, false);
}

static int l_cut(lua_State *L)
{
    return push_cut_text(L, "abridge.cut", ABR_HEAD, true);
}

static int l_priority(lua_State *L)
{
    return push_cut_text(L, "abridge.priority", ABR_PRIORITY, false);
}

static int l_auto(lua_State *L)
{
    return push_cut_text(L, "abridge.auto", ABR_AUTO, false);
}

/* explain(text, opts) -> content, cut, source: the results of cut() with `cut.told_lines`, which is empty if
 * no line was chosen by itself, and the text it refers to. */
static int l_explain(lua_State *L)
{
    abr_cut_options c = {.who = "abridge.explain", .opts = ABR_OPTS_INIT, .named_strategy = true};
    told_cut told;
    abr_cut_results results;
    abr_frame frame;
    abr_error error;
    size_t n;
    abr_check_text(L, c.who, "text", ARG_TEXT, &told.raw);
    lua_settop(L, ARG_OPTS);
    lua_settop(L, SLOT_REDACT);
    abr_read_options(L, &c);
    told.cleans = c.cleans;
    if (!is_binary(L, &c))
        abr_make_source(L, c.who, c.cleans ? &c.clean : NULL);
    const char *text = lua_tolstring(L, ARG_TEXT, &n);
    begin_results(&results, &frame, n, NULL);
    results.push_more = put_told;
    results.ctx = &told;
    results.more = 2;
    if (!lua_isnil(L, SLOT_COUNTER)) {
        lua_pushcfunction(L, abr_call_counter);
        c.opts.count_tokens = abr_ask_counter;
        c.opts.count_ctx = L;
    }
    c.opts.alloc = &frame.alloc;
    abr_code code = abr_explain_text(text, n, &c.opts, &results.cut, &told.lines, &error);
    const int pushed = abr_finish_results(L, &results, c.who, code, &error);
    lua_pushvalue(L, ARG_TEXT);
    return pushed + 1;
}

static int l_pipeline(lua_State *L)
{
    const char *who = "abridge.pipeline";
    abr_opts o = ABR_OPTS_INIT;
    abr_clean_opts clean = {.keep = 0};
    bool cleans = false;
    abr_cut_results results;
    abr_frame frame;
    abr_error error;
    size_t raw;
    abr_check_text(L, who, "text", ARG_TEXT, &raw);
    lua_settop(L, ARG_OPTS);
    lua_settop(L, SLOT_REDACT);
    abr_check_options_table(L, who);
    lua_pushnil(L);
    while (lua_next(L, ARG_OPTS)) {
        int value = lua_gettop(L);
        const char *key = abr_word_at(L, value - 1);
        if (strcmp(key, "max_chars") == 0)
            o.max.chars = abr_check_count(L, who, key, value);
        else if (strcmp(key, "max_lines") == 0)
            o.max.lines = abr_check_count(L, who, key, value);
        else if (strcmp(key, "head_ratio") == 0)
            o.head_ratio = abr_check_number(L, who, key, value, 0, 1);
        else if (strcmp(key, "indicators") == 0)
            o.indicators = abr_check_boolean(L, who, key, value);
        else if (strcmp(key, "clean") == 0)
            cleans = abr_read_clean(L, who, value, &clean);
        else if (strcmp(key, "redact") == 0)
            abr_keep_redact(L, value);
        else
            abr_unknown_option(L, who, value - 1, value);
        lua_pop(L, 1);
    }
    if (o.max.chars == ABR_UNLIMITED && o.max.lines == ABR_UNLIMITED)
        return luaL_error(L, "%s: no budget given: set max_chars or max_lines", who);
    abr_make_source(L, who, cleans ? &clean : NULL);
    size_t n;
    const char *text = lua_tolstring(L, ARG_TEXT, &n);
    begin_results(&results, &frame, n, cleans ? &raw : NULL);
    o.strategy = ABR_PIPELINE;
    o.alloc = &frame.alloc;
    abr_code code = abr_cut_text(text, n, &o, &results.cut, &error);
    return abr_finish_results(L, &results, who, code, &error);
}

/* One end of a match = {first_byte, last_byte}. */
static uint64_t check_match_end(lua_State *L, const char *who, int match, int which)
{
    lua_rawgeti(L, match, which);
    uint64_t at = abr_check_count(L, who, which == 1 ? "match[1]" : "match[2]", -1);
    lua_pop(L, 1);
    return at;
}

/* line(s, max_chars, match) -> s, was_cut */
static int l_line(lua_State *L)
{
    const char *who = "abridge.line";
    size_t n;
    uint64_t first = 1;
    uint64_t last = 0;
    const char *text = abr_check_text(L, who, "s", 1, &n);
    uint64_t max_chars = abr_check_count(L, who, "max_chars", 2);
    if (!lua_isnoneornil(L, 3)) {
        if (lua_type(L, 3) != LUA_TTABLE)
            abr_wrong(L, who, "match", "a table {first_byte, last_byte}", 3);
        first = check_match_end(L, who, 3, 1);
        last = check_match_end(L, who, 3, 2);
        if (first < 1 || last < first - 1 || last > n)
            return luaL_error(L, "%s: match {%s, %s} is not within the %s bytes of s", who,
                              abr_push_number(L, (lua_Number)first), abr_push_number(L, (lua_Number)last),
                              abr_push_number(L, (lua_Number)n));
    }
    abr_window w = abr_line(text, n, max_chars, (size_t)first - 1, (size_t)(last - (first - 1)));
    if (!w.cut_before && !w.cut_after) {
        lua_pushvalue(L, 1);
    } else {
        lua_pushstring(L, w.cut_before ? ABR_LINE_BEFORE : "");
        lua_pushlstring(L, text + w.first, w.n);
        lua_pushstring(L, w.cut_after ? ABR_LINE_AFTER : "");
        lua_concat(L, 3);
    }
    lua_pushboolean(L, w.cut_before || w.cut_after);
    return 2;
}

const luaL_Reg abr_cut_functions[] = {
    {"head", l_head},
    {"tail", l_tail},
    {"head_tail", l_head_tail},
    {"priority", l_priority},
    {"cut", l_cut},
    {"pipeline", l_pipeline},
    {"line", l_line},
    {"auto", l_auto},
    {"explain", l_explain},
    {NULL, NULL},
};
