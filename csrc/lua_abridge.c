/*
 * The Lua face of the core: arguments in, core call, results out. No policy and no sentence a model reads.
 *
 * Memory that must survive a Lua error is owned by the collector: a cut lives in a userdata whose metatable frees
 * it. The one callback into Lua (count_tokens) runs protected, so that no error jumps over a core frame.
 */
#include <errno.h>
#include <limits.h>
#ifdef ABR_LUA51 /* `make nvim`, which wants no Lua headers */
#include "lua51.h"
#else
#include <lauxlib.h>
#include <lua.h>
#endif
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abridge.h"
#include "internal.h"

/* ---- what differs between Lua 5.1 and 5.5: all that is used here is the same from 5.3 on ---- */

/* Set functions in the table below the top of the stack; what is on top becomes the upvalue of each, and is popped. */
#if LUA_VERSION_NUM < 502
static void set_functions(lua_State *L, const luaL_Reg *functions)
{
    for (; functions->name; functions++) {
        lua_pushvalue(L, -1);
        lua_pushcclosure(L, functions->func, 1);
        lua_setfield(L, -3, functions->name);
    }
    lua_pop(L, 1);
}

static size_t raw_length(lua_State *L, int idx)
{
    return lua_objlen(L, idx);
}
#else
static void set_functions(lua_State *L, const luaL_Reg *functions)
{
    luaL_setfuncs(L, functions, 1);
}

static size_t raw_length(lua_State *L, int idx)
{
    return (size_t)lua_rawlen(L, idx);
}
#endif

/* Push a count as an integer where the host has them; every count is exact in a double. */
static void push_count(lua_State *L, uint64_t count)
{
#if LUA_VERSION_NUM >= 503
    lua_pushinteger(L, (lua_Integer)count);
#else
    lua_pushnumber(L, (lua_Number)count);
#endif
}

/* ---- checks ---- */

/* Print a number alike on every host: lua_pushfstring writes 5.0 on some and 5 on others. */
static const char *push_number(lua_State *L, lua_Number number)
{
    char text[32];
    snprintf(text, sizeof text, "%.14g", (double)number);
    return lua_pushfstring(L, "%s", isnan(number) ? "nan" : text); /* some C libraries print its sign */
}

/* Describe the value at idx for an error message. Pushes a string. */
static const char *describe(lua_State *L, int idx)
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
        return push_number(L, lua_tonumber(L, idx));
    case LUA_TBOOLEAN:
        return lua_toboolean(L, idx) ? "true" : "false";
    case LUA_TNONE:
        return "no value";
    default:
        return luaL_typename(L, idx);
    }
}

static int wrong(lua_State *L, const char *who, const char *name, const char *expected, int idx)
{
    const char *value = describe(L, idx);
    return luaL_error(L, "%s: %s must be %s, got %s", who, name, expected, value);
}

/* The one check of counts: a number, finite, integral, 0 to 2^53. */
static bool to_count(lua_State *L, int idx, uint64_t *count)
{
    if (lua_type(L, idx) != LUA_TNUMBER)
        return false;
    lua_Number number = lua_tonumber(L, idx);
    if (!(number >= 0 && number <= (lua_Number)ABR_COUNT_MAX) || number != floor(number))
        return false;
#if LUA_VERSION_NUM >= 503
    /* 2^53 + 1 as an integer is 2^53 as a double */
    if (lua_isinteger(L, idx) && (uint64_t)lua_tointeger(L, idx) > ABR_COUNT_MAX)
        return false;
#endif
    *count = (uint64_t)number;
    return true;
}

static uint64_t check_count(lua_State *L, const char *who, const char *name, int idx)
{
    uint64_t count = 0;
    if (!to_count(L, idx, &count))
        wrong(L, who, name, "an integer from 0 to 2^53", idx);
    return count;
}

/* A count of bytes, or a size as text ("30KB"). */
static bool to_size(lua_State *L, int idx, uint64_t *size)
{
    size_t n;
    if (lua_type(L, idx) != LUA_TSTRING)
        return to_count(L, idx, size);
    const char *text = lua_tolstring(L, idx, &n);
    return abr_parse_size(text, n, size);
}

static uint64_t check_size(lua_State *L, const char *who, const char *name, int idx)
{
    uint64_t size = 0;
    if (!to_size(L, idx, &size))
        wrong(L, who, name, "an integer from 0 to 2^53 or a size such as \"30KB\"", idx);
    return size;
}

static double check_number(lua_State *L, const char *who, const char *name, int idx, double min, double max)
{
    double number = lua_type(L, idx) == LUA_TNUMBER ? (double)lua_tonumber(L, idx) : -1;
    if (!(number >= min && number <= max)) {
        const char *from = push_number(L, min);
        wrong(L, who, name, lua_pushfstring(L, "a number from %s to %s", from, push_number(L, max)), idx);
    }
    return number;
}

static double check_safety(lua_State *L, const char *who, const char *name, int idx)
{
    double safety = lua_type(L, idx) == LUA_TNUMBER ? (double)lua_tonumber(L, idx) : 0;
    if (!(safety > 0 && safety <= ABR_TOKEN_SAFETY_MAX))
        wrong(L, who, name, "a number over 0 and up to 1000", idx);
    return safety;
}

static bool check_boolean(lua_State *L, const char *who, const char *name, int idx)
{
    if (lua_type(L, idx) != LUA_TBOOLEAN)
        wrong(L, who, name, "true or false", idx);
    return lua_toboolean(L, idx);
}

/* A string proper: a number is refused, so that a slip does not pass for text. */
static const char *check_text(lua_State *L, const char *who, const char *name, int idx, size_t *n)
{
    if (lua_type(L, idx) != LUA_TSTRING)
        wrong(L, who, name, "a string", idx);
    return lua_tolstring(L, idx, n);
}

/* The string at idx when it can be a key or a word: "" for what is no string or has a NUL in it. */
static const char *word_at(lua_State *L, int idx)
{
    size_t n;
    const char *word = lua_type(L, idx) == LUA_TSTRING ? lua_tolstring(L, idx, &n) : NULL;
    return word && strlen(word) == n ? word : "";
}

/* The position of the string at idx in a NULL-terminated list of words; `expected` lists them for people. */
static int check_word(lua_State *L, const char *who, const char *name, int idx, const char *const words[],
                      const char *expected)
{
    const char *word = word_at(L, idx);
    for (int i = 0; words[i]; i++)
        if (strcmp(words[i], word) == 0)
            return i;
    return wrong(L, who, name, expected, idx);
}

/* ---- options of a cut ---- */

static const char *const strategy_names[] = {"head", "tail", "head_tail", "pipeline", "priority", NULL};
static const char strategy_words[] = "\"head\", \"tail\", \"head_tail\", \"pipeline\" or \"priority\"";

/* Where the stack holds what a cut needs. */
enum {
    ARG_TEXT = 1,
    ARG_OPTS = 2,
    SLOT_COUNTER = 3,
    SLOT_RESERVE = 4,
    SLOT_MARKER = 5,
    SLOT_HITS = 6,
    SLOT_REDACT = 7,
    SLOT_CALLER = 8
};

typedef struct {
    const char *who; /* the function's name, for messages */
    abr_opts opts;
    bool named_strategy; /* opts.strategy is an option here */
    bool has_marker;     /* a marker key was given */
    bool cleans;         /* the text is cleaned first */
    abr_clean_opts clean;
} cut_options;

/* Read one of the options that are budgets. */
static bool read_budget(lua_State *L, const char *who, const char *key, int value, abr_budget *max)
{
    if (strcmp(key, "max_lines") == 0)
        max->lines = check_count(L, who, key, value);
    else if (strcmp(key, "max_bytes") == 0)
        max->bytes = check_size(L, who, key, value);
    else if (strcmp(key, "max_chars") == 0)
        max->chars = check_count(L, who, key, value);
    else if (strcmp(key, "max_tokens") == 0)
        max->tokens = check_count(L, who, key, value);
    else
        return false;
    return true;
}

static int unknown_option(lua_State *L, const char *who, int key, int value)
{
    const char *name = lua_type(L, key) == LUA_TSTRING ? lua_tostring(L, key) : describe(L, key);
    return luaL_error(L, "%s: unknown option '%s' (value %s)", who, name, describe(L, value));
}

/* Keep a value alive in its slot, whatever becomes of the options table while a counter runs. */
static void keep(lua_State *L, int value, int slot)
{
    lua_pushvalue(L, value);
    lua_replace(L, slot);
}

/* Read the options that shape a head_tail or a pipeline. */
static bool read_shape(lua_State *L, cut_options *c, const char *key, int value)
{
    static const char *const snaps[] = {"line", "char", NULL};
    static const char *const markers[] = {"inside", "outside", "none", NULL};
    abr_opts *o = &c->opts;
    if (strcmp(key, "head_ratio") == 0) {
        o->head_ratio = check_number(L, c->who, key, value, 0, 1);
    } else if (strcmp(key, "snap") == 0) {
        o->snap = (abr_snap)check_word(L, c->who, key, value, snaps, "\"line\" or \"char\"");
    } else if (strcmp(key, "marker") == 0) {
        o->marker =
            (abr_marker)check_word(L, c->who, key, value, markers, "\"inside\", \"outside\" or \"none\"");
        c->has_marker = true;
    } else if (strcmp(key, "marker_text") == 0) {
        o->marker_text = check_text(L, c->who, key, value, &o->marker_text_len);
        keep(L, value, SLOT_MARKER);
        c->has_marker = true;
    } else if (strcmp(key, "indicators") == 0) {
        o->indicators = check_boolean(L, c->who, key, value);
    } else {
        return false;
    }
    return true;
}

/* ---- options of cleaning ---- */

static const char *const clean_names[] = {
    "carriage_return", "backspace", "tab",     "erase", "cursor",  "color", "string",
    "charset",         "escape",    "control", "c1",    "invalid", NULL};

/* Read { kind = false }, which keeps a kind. */
static void read_clean_table(lua_State *L, const char *who, int value, abr_clean_opts *opts)
{
    lua_pushnil(L);
    while (lua_next(L, value)) {
        const char *key = word_at(L, -2);
        int kind = 0;
        while (clean_names[kind] && strcmp(clean_names[kind], key) != 0)
            kind++;
        if (!clean_names[kind])
            luaL_error(L, "%s: unknown key '%s' in clean (value %s)", who,
                       lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : describe(L, -2),
                       describe(L, lua_gettop(L)));
        int at = lua_gettop(L);
        const char *name = lua_pushfstring(L, "clean.%s", key);
        if (!check_boolean(L, who, name, at))
            opts->keep |= 1u << kind;
        lua_pop(L, 2);
    }
}

/* Read clean = true, false or a table; returns whether to clean. */
static bool read_clean(lua_State *L, const char *who, int value, abr_clean_opts *opts)
{
    if (lua_type(L, value) == LUA_TBOOLEAN)
        return lua_toboolean(L, value);
    if (lua_type(L, value) != LUA_TTABLE)
        wrong(L, who, "clean", "true, false or a table", value);
    read_clean_table(L, who, value, opts);
    return true;
}

static void keep_redact(lua_State *L, int value)
{
    if (lua_toboolean(L, value))
        keep(L, value, SLOT_REDACT);
}

/* Read the options that make the source. */
static bool read_source(lua_State *L, cut_options *c, const char *key, int value)
{
    if (strcmp(key, "clean") == 0) {
        c->cleans = read_clean(L, c->who, value, &c->clean);
    } else if (strcmp(key, "redact") == 0) {
        keep_redact(L, value);
    } else {
        return false;
    }
    return true;
}

/* ---- hits ---- */

/* One pattern: a string, or { text =, weight =, word =, case = }; `name` is "hits[i]". */
static void read_hit(lua_State *L, const char *who, const char *name, int value, abr_hit *hit)
{
    *hit = (abr_hit){.weight = 1, .fold = true};
    if (lua_type(L, value) == LUA_TSTRING) {
        hit->p = lua_tolstring(L, value, &hit->n);
    } else if (lua_type(L, value) == LUA_TTABLE) {
        lua_pushnil(L);
        while (lua_next(L, value)) {
            int field = lua_gettop(L);
            const char *key = word_at(L, field - 1);
            const char *full = lua_pushfstring(L, "%s.%s", name, key);
            if (strcmp(key, "text") == 0)
                hit->p = check_text(L, who, full, field, &hit->n);
            else if (strcmp(key, "weight") == 0)
                hit->weight = check_number(L, who, full, field, 0, ABR_HIT_WEIGHT_MOST);
            else if (strcmp(key, "word") == 0)
                hit->word = check_boolean(L, who, full, field);
            else if (strcmp(key, "case") == 0)
                hit->fold = !check_boolean(L, who, full, field);
            else
                luaL_error(L, "%s: unknown key '%s' in %s", who,
                           lua_type(L, field - 1) == LUA_TSTRING ? key : describe(L, field - 1), name);
            lua_settop(L, field - 1);
        }
    }
    if (!hit->p || hit->n == 0 || hit->n > ABR_HIT_MOST)
        wrong(L, who, name, "a text of 1 to 1024 bytes, or a table {text=, weight=, word=, case=}", value);
}

/* hits.groups = { warnings = false } */
static void read_groups(lua_State *L, cut_options *c, int value)
{
    static const char *const groups[] = {"errors",   "failures",     "fatal",     "problems",
                                         "warnings", "expectations", "summaries", NULL};
    static const char words[] = "errors, failures, fatal, problems, warnings, expectations, summaries";
    if (lua_type(L, value) != LUA_TTABLE)
        wrong(L, c->who, "hits.groups", "a table such as {warnings=false}", value);
    lua_pushnil(L);
    while (lua_next(L, value)) {
        int field = lua_gettop(L);
        const char *key = word_at(L, field - 1);
        int i = 0;
        while (groups[i] && strcmp(groups[i], key) != 0)
            i++;
        if (!groups[i])
            luaL_error(L, "%s: unknown key '%s' in hits.groups (%s)", c->who,
                       lua_type(L, field - 1) == LUA_TSTRING ? key : describe(L, field - 1), words);
        if (!check_boolean(L, c->who, lua_pushfstring(L, "hits.groups.%s", key), field))
            c->opts.quiet_groups |= 1U << i;
        lua_settop(L, field - 1);
    }
}

/* The core copies patterns before any function of the caller may run; until then the options hold their texts. */
static void read_hits(lua_State *L, cut_options *c, int value)
{
    if (lua_type(L, value) != LUA_TTABLE)
        wrong(L, c->who, "hits", "a table of patterns", value);
    size_t count = raw_length(L, value);
    if (count > ABR_HITS_MOST)
        luaL_error(L, "%s: hits must be at most %d patterns, got %d", c->who, ABR_HITS_MOST, (int)count);
    abr_hit *hits = lua_newuserdata(L, (count + 1) * sizeof *hits);
    keep(L, lua_gettop(L), SLOT_HITS);
    lua_pushnil(L);
    while (lua_next(L, value)) {
        int field = lua_gettop(L);
        uint64_t i = 0;
        if (to_count(L, field - 1, &i) && lua_type(L, field - 1) == LUA_TNUMBER && i >= 1 && i <= count)
            read_hit(L, c->who, lua_pushfstring(L, "hits[%d]", (int)i), field, &hits[i - 1]);
        else if (strcmp(word_at(L, field - 1), "groups") == 0)
            read_groups(L, c, field);
        else
            luaL_error(L, "%s: unknown key '%s' in hits", c->who,
                       lua_type(L, field - 1) == LUA_TSTRING ? lua_tostring(L, field - 1)
                                                             : describe(L, field - 1));
        lua_settop(L, field - 1);
    }
    lua_pop(L, 1);
    c->opts.hits = hits;
    c->opts.hit_count = count;
}

static void read_option(lua_State *L, cut_options *c, int key_idx, int value)
{
    static const char *const modes[] = {"keep", "replace", NULL};
    static const char *const long_lines[] = {"omit", "split", NULL};
    abr_opts *o = &c->opts;
    const char *key = word_at(L, key_idx);
    if (read_budget(L, c->who, key, value, &o->max) || read_shape(L, c, key, value) ||
        read_source(L, c, key, value))
        return;
    if (strcmp(key, "count_tokens") == 0) {
        if (lua_type(L, value) != LUA_TFUNCTION)
            wrong(L, c->who, key, "a function", value);
        keep(L, value, SLOT_COUNTER);
    } else if (strcmp(key, "token_safety") == 0) {
        o->token_safety = check_safety(L, c->who, key, value);
    } else if (strcmp(key, "reserve") == 0) {
        o->reserve = check_text(L, c->who, key, value, &o->reserve_len);
        keep(L, value, SLOT_RESERVE);
    } else if (strcmp(key, "utf8") == 0) {
        o->utf8_replace = check_word(L, c->who, key, value, modes, "\"keep\" or \"replace\"") == 1;
    } else if (strcmp(key, "long_line") == 0) {
        int word = check_word(L, c->who, key, value, long_lines, "\"omit\" or \"split\"");
        o->long_line = word == 0 ? ABR_LONG_OMIT : ABR_LONG_SPLIT;
    } else if (strcmp(key, "strategy") == 0 && c->named_strategy) {
        o->strategy = (abr_strategy)check_word(L, c->who, key, value, strategy_names, strategy_words);
    } else if (strcmp(key, "hits") == 0) {
        read_hits(L, c, value);
    } else {
        unknown_option(L, c->who, key_idx, value);
    }
}

static bool has_budget(const abr_budget *max)
{
    return max->lines != ABR_UNLIMITED || max->bytes != ABR_UNLIMITED || max->chars != ABR_UNLIMITED ||
           max->tokens != ABR_UNLIMITED;
}

static void check_options_table(lua_State *L, const char *who)
{
    if (lua_type(L, ARG_OPTS) != LUA_TTABLE)
        wrong(L, who, "opts", "a table", ARG_OPTS);
}

static void read_options(lua_State *L, cut_options *c)
{
    check_options_table(L, c->who);
    if (c->named_strategy) {
        lua_pushliteral(L, "strategy");
        lua_rawget(L, ARG_OPTS); /* options are what the table itself holds */
        if (lua_isnil(L, -1))
            wrong(L, c->who, "strategy", strategy_words, -1);
        lua_pop(L, 1);
    }
    lua_pushnil(L);
    while (lua_next(L, ARG_OPTS)) {
        read_option(L, c, lua_gettop(L) - 1, lua_gettop(L));
        lua_pop(L, 1);
    }
    if (!has_budget(&c->opts.max))
        luaL_error(L, "%s: no budget given: set max_lines, max_bytes, max_chars or max_tokens", c->who);
    const abr_opts *o = &c->opts;
    if (o->indicators && o->strategy != ABR_PIPELINE)
        luaL_error(L, "%s: indicators are for \"pipeline\", not for \"%s\"", c->who,
                   strategy_names[o->strategy]);
    if (o->strategy == ABR_PIPELINE && (o->max.bytes != ABR_UNLIMITED || o->max.tokens != ABR_UNLIMITED))
        luaL_error(L, "%s: \"pipeline\" knows max_chars and max_lines, no other budget", c->who);
    if (c->has_marker && o->strategy != ABR_HEAD_TAIL && o->strategy != ABR_PRIORITY)
        luaL_error(L, "%s: marker and marker_text are for \"head_tail\" and \"priority\", not for \"%s\"",
                   c->who, strategy_names[o->strategy]);
    if ((o->hit_count > 0 || o->quiet_groups != 0) && o->strategy != ABR_PRIORITY)
        luaL_error(L, "%s: hits are for \"priority\", not for \"%s\"", c->who, strategy_names[o->strategy]);
}

/* ---- count_tokens ---- */

typedef struct {
    const char *p;
    size_t n;
} text_ref;

/* (counter, text_ref) -> the counter's answer; runs protected, since pushing the text may fail for memory. */
static int call_counter(lua_State *L)
{
    const text_ref *text = lua_touserdata(L, 2);
    uint64_t tokens;
    lua_pushvalue(L, 1);
    lua_pushlstring(L, text->p, text->n);
    lua_call(L, 1, 1);
    if (!to_count(L, -1, &tokens))
        return luaL_error(L, "abridge: count_tokens must return an integer from 0 to 2^53, got %s",
                          describe(L, -1));
    return 1;
}

/* On failure the error stays on top of the stack. */
static bool count_tokens(void *ctx, const char *p, size_t n, uint64_t *tokens)
{
    lua_State *L = ctx;
    text_ref text = {p, n};
    lua_pushvalue(L, SLOT_CALLER);
    lua_pushvalue(L, SLOT_COUNTER);
    lua_pushlightuserdata(L, &text);
    if (lua_pcall(L, 2, 1, 0) != 0)
        return false;
    to_count(L, -1, tokens);
    lua_pop(L, 1);
    return true;
}

/* ---- results ---- */

/* The words of ledgers: each is made a string of Lua once, an upvalue of push_results(). */
#define LEDGER_WORDS(X)                                                                                      \
    X(strategy)                                                                                              \
    X(truncated)                                                                                             \
    X(truncated_by)                                                                                          \
    X(total_lines)                                                                                           \
    X(total_bytes)                                                                                           \
    X(total_chars)                                                                                           \
    X(output_lines)                                                                                          \
    X(output_bytes)                                                                                          \
    X(output_chars)                                                                                          \
    X(omitted_lines)                                                                                         \
    X(omitted_bytes)                                                                                         \
    X(last_line_partial)                                                                                     \
    X(first_line_exceeds_limit)                                                                              \
    X(final_newline)                                                                                         \
    X(line_bytes)                                                                                            \
    X(invalid_bytes)                                                                                         \
    X(max_lines)                                                                                             \
    X(max_bytes)                                                                                             \
    X(max_chars)                                                                                             \
    X(max_tokens)                                                                                            \
    X(hits)                                                                                                  \
    X(found)                                                                                                 \
    X(markers)                                                                                               \
    X(kept)                                                                                                  \
    X(first_byte)                                                                                            \
    X(last_byte)                                                                                             \
    X(first_line)                                                                                            \
    X(last_line)                                                                                             \
    X(raw_bytes)                                                                                             \
    X(full_output_path)                                                                                      \
    X(full_output_bytes)                                                                                     \
    X(full_output_error)                                                                                     \
    X(full_output_code)                                                                                      \
    X(first_char)                                                                                            \
    X(next_offset)                                                                                           \
    X(next_column)                                                                                           \
    X(version)                                                                                               \
    X(changed)                                                                                               \
    X(head)                                                                                                  \
    X(tail)                                                                                                  \
    X(head_tail)                                                                                             \
    X(pipeline)                                                                                              \
    X(priority)                                                                                              \
    X(lines)                                                                                                 \
    X(bytes)                                                                                                 \
    X(chars)                                                                                                 \
    X(tokens)

#define AS_NUMBER(word) WORD_##word,
#define AS_TEXT(word) #word,
typedef enum { LEDGER_WORDS(AS_NUMBER) WORDS } ledger_word;
static const char *const ledger_words[] = {LEDGER_WORDS(AS_TEXT)};

static void push_word(lua_State *L, ledger_word word)
{
    lua_pushvalue(L, lua_upvalueindex((int)word + 1));
}

/* Set a field of the ledger on top of the stack; it was made with room for it. */
static void put_count(lua_State *L, ledger_word name, uint64_t count)
{
    push_word(L, name);
    push_count(L, count);
    lua_rawset(L, -3);
}

static void put_boolean(lua_State *L, ledger_word name, bool value)
{
    push_word(L, name);
    lua_pushboolean(L, value);
    lua_rawset(L, -3);
}

static void put_text(lua_State *L, ledger_word name, const char *text)
{
    push_word(L, name);
    lua_pushstring(L, text);
    lua_rawset(L, -3);
}

static void put_word(lua_State *L, ledger_word name, ledger_word value)
{
    push_word(L, name);
    push_word(L, value);
    lua_rawset(L, -3);
}

static void put_budget(lua_State *L, ledger_word name, uint64_t budget)
{
    if (budget != ABR_UNLIMITED)
        put_count(L, name, budget);
}

static void push_kept(lua_State *L, const abr_cut *cut)
{
    int ranges = 0;
    for (size_t i = 0; i < cut->piece_count; i++)
        ranges += cut->pieces[i].source;
    lua_createtable(L, ranges, 0);
    ranges = 0;
    for (size_t i = 0; i < cut->piece_count; i++) {
        const abr_piece *piece = &cut->pieces[i];
        if (!piece->source)
            continue;
        lua_createtable(L, 0, 4);
        put_count(L, WORD_first_byte, piece->first_byte);
        put_count(L, WORD_last_byte, piece->last_byte);
        put_count(L, WORD_first_line, piece->first_line);
        put_count(L, WORD_last_line, piece->last_line);
        lua_rawseti(L, -2, ++ranges);
    }
}

/* Bytes outside well-formed UTF-8 in the content: each made it longer when it was replaced. */
static uint64_t invalid_bytes(const abr_cut *cut)
{
    size_t before = 0;
    for (size_t i = 0; i < cut->piece_count; i++)
        before += cut->pieces[i].n;
    return (cut->content_bytes - before) / (ABR_REPLACEMENT_SIZE - 1);
}

/* Bytes that a piece takes in the content. */
static size_t shown_bytes(const abr_cut *cut, const abr_piece *piece)
{
    uint64_t invalid = 0;
    if (cut->utf8_replace)
        abr_count_chars(piece->p, piece->n, &invalid);
    return piece->n + (size_t)invalid * (ABR_REPLACEMENT_SIZE - 1);
}

static int count_markers(const abr_cut *cut)
{
    int markers = 0;
    for (size_t i = 0; i < cut->piece_count; i++)
        markers += !cut->pieces[i].source;
    return markers;
}

/* Where in the content the markers stand. */
static void push_markers(lua_State *L, const abr_cut *cut, int markers)
{
    size_t end = 0;
    lua_createtable(L, markers, 0);
    markers = 0;
    for (size_t i = 0; i < cut->piece_count; i++) {
        size_t first = end + 1;
        end += shown_bytes(cut, &cut->pieces[i]);
        if (cut->pieces[i].source)
            continue;
        lua_createtable(L, 0, 2);
        put_count(L, WORD_first_byte, first);
        put_count(L, WORD_last_byte, end);
        lua_rawseti(L, -2, ++markers);
    }
}

/* Push the ledger of a cut, with room for `more` fields: a table that grows is built anew. */
static void push_ledger(lua_State *L, const abr_cut *cut, int more)
{
    enum { ALWAYS = 11 };
    const uint64_t invalid = invalid_bytes(cut);
    const bool chars = cut->max.chars != ABR_UNLIMITED;
    const int markers = count_markers(cut);
    const bool hits = cut->strategy == ABR_PRIORITY;
    const int fields = ALWAYS + more + cut->truncated + 3 * chars + cut->final_newline +
                       (cut->line_bytes > 0) + (invalid > 0) + (cut->max.lines != ABR_UNLIMITED) +
                       (cut->max.bytes != ABR_UNLIMITED) + (cut->max.tokens != ABR_UNLIMITED) + hits +
                       (markers > 0);
    lua_createtable(L, 0, fields);
    put_word(L, WORD_strategy, WORD_head + (ledger_word)cut->strategy);
    put_boolean(L, WORD_truncated, cut->truncated);
    if (cut->truncated)
        put_word(L, WORD_truncated_by, WORD_lines + (ledger_word)cut->truncated_by - ABR_BY_LINES);
    put_count(L, WORD_total_lines, cut->total_lines);
    put_count(L, WORD_total_bytes, cut->total_bytes);
    put_count(L, WORD_output_lines, cut->output_lines);
    put_count(L, WORD_output_bytes, cut->output_bytes);
    if (chars) {
        put_count(L, WORD_total_chars, cut->total_chars);
        put_count(L, WORD_output_chars, cut->output_chars);
    }
    put_count(L, WORD_omitted_lines, cut->omitted_lines);
    put_count(L, WORD_omitted_bytes, cut->omitted_bytes);
    put_boolean(L, WORD_last_line_partial, cut->last_line_partial);
    put_boolean(L, WORD_first_line_exceeds_limit, cut->first_line_exceeds_limit);
    if (cut->final_newline)
        put_boolean(L, WORD_final_newline, true);
    if (cut->line_bytes > 0)
        put_count(L, WORD_line_bytes, cut->line_bytes);
    if (invalid > 0)
        put_count(L, WORD_invalid_bytes, invalid);
    put_budget(L, WORD_max_lines, cut->max.lines);
    put_budget(L, WORD_max_bytes, cut->max.bytes);
    put_budget(L, WORD_max_chars, cut->max.chars);
    put_budget(L, WORD_max_tokens, cut->max.tokens);
    if (hits) {
        push_word(L, WORD_hits);
        lua_createtable(L, 0, 2);
        put_count(L, WORD_found, cut->hits_found);
        put_count(L, WORD_kept, cut->hits_kept);
        lua_rawset(L, -3);
    }
    push_word(L, WORD_kept);
    push_kept(L, cut);
    lua_rawset(L, -3);
    if (markers > 0) {
        push_word(L, WORD_markers);
        push_markers(L, cut, markers);
        lua_rawset(L, -3);
    }
}

/*
 * A cut on its way to Lua. What it owns, and the object it is of, must outlast whatever is raised while its results
 * are pushed, and no finalizer that runs meanwhile may touch the object: they are pushed by a function that is called
 * protected. Between begin_results() and finish_results() nothing may raise.
 */
typedef struct {
    abr_cut cut;
    size_t
        text_size; /* of the text on the stack, to be handed back where all of it is kept; SIZE_MAX: there is none */
    char *content; /* of more than one piece; NULL: none was made */
    void (*push_more)(lua_State *L,
                      void *ctx); /* sets further fields of the ledger on top of the stack, or NULL */
    void *ctx;
    int more;   /* how many they are at most */
    bool *busy; /* of the object, or NULL */
} cut_results;

/* Is the content neither the text as it came nor one piece of it? */
static bool is_joined(const cut_results *r)
{
    const abr_cut *cut = &r->cut;
    const bool as_it_came = !cut->truncated && cut->content_bytes == r->text_size;
    const bool one_piece = cut->piece_count == 1 && cut->content_bytes == cut->pieces[0].n;
    return !as_it_came && !one_piece && cut->piece_count > 0;
}

/* (results, text or nil) -> content, ledger */
static int push_results(lua_State *L)
{
    const cut_results *r = lua_touserdata(L, 1);
    const abr_cut *cut = &r->cut;
    if (r->content)
        lua_pushlstring(L, r->content, cut->content_bytes);
    else if (!cut->truncated && cut->content_bytes == r->text_size)
        lua_pushvalue(L, 2); /* all of it as it came: no copy */
    else if (cut->piece_count == 0)
        lua_pushliteral(L, "");
    else
        lua_pushlstring(L, cut->pieces[0].p, cut->pieces[0].n);
    push_ledger(L, cut, r->more);
    if (r->push_more)
        r->push_more(L, r->ctx);
    return 2;
}

/* Push push_results() with its words, for the functions that return cuts: their first upvalue. */
static void push_pusher(lua_State *L)
{
    if (!lua_checkstack(L, WORDS))
        luaL_error(L, "not enough memory");
    for (int i = 0; i < WORDS; i++)
        lua_pushstring(L, ledger_words[i]);
    lua_pushcclosure(L, push_results, WORDS);
}

static void begin_results(lua_State *L, cut_results *r)
{
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_pushlightuserdata(L, r);
    if (r->text_size != SIZE_MAX)
        lua_pushvalue(L, ARG_TEXT);
    else
        lua_pushnil(L);
    if (r->busy)
        *r->busy = true;
}

/* Push the results, or raise what the call of the core failed with. */
static int finish_results(lua_State *L, cut_results *r, const char *who, abr_code code,
                          const abr_error *error)
{
    const char *message = code == ABR_OK ? "out of memory" : error->message;
    if (code == ABR_OK && is_joined(r)) {
        r->content = malloc(r->cut.content_bytes + 1);
        if (r->content)
            abr_cut_write(&r->cut, r->content);
        else
            code = ABR_ENOMEM;
    }
    const bool raised = code == ABR_OK && lua_pcall(L, 2, 2, 0) != 0;
    free(r->content);
    abr_cut_free(&r->cut);
    if (r->busy)
        *r->busy = false;
    if (raised || code == ABR_ECOUNT)
        return lua_error(L); /* on top of the stack; by ABR_ECOUNT what the counter raised */
    return code == ABR_OK ? 2 : luaL_error(L, "%s: %s", who, message);
}

/* ---- fields by name, of tables that are not made often ---- */

static void set_count(lua_State *L, const char *name, uint64_t count)
{
    push_count(L, count);
    lua_setfield(L, -2, name);
}

static void set_boolean(lua_State *L, const char *name, bool value)
{
    lua_pushboolean(L, value);
    lua_setfield(L, -2, name);
}

/* ---- cleaning ---- */

#define CLEANED_TYPE "abridge.cleaned"

static int collect_cleaned(lua_State *L)
{
    abr_cleaned_free(lua_touserdata(L, 1));
    return 0;
}

static const luaL_Reg cleaned_methods[] = {{"__gc", collect_cleaned}, {NULL, NULL}};

/* Clean the text at ARG_TEXT: what comes out takes its place, where it is another. */
static void clean_text(lua_State *L, const char *who, const abr_clean_opts *opts, abr_clean_stats *stats)
{
    abr_error error;
    size_t n;
    const char *text = lua_tolstring(L, ARG_TEXT, &n);
    abr_cleaned *cleaned = lua_newuserdata(L, sizeof *cleaned);
    memset(cleaned, 0, sizeof *cleaned);
    luaL_getmetatable(L, CLEANED_TYPE);
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

static void push_clean_stats(lua_State *L, const abr_clean_stats *stats)
{
    lua_createtable(L, 0, ABR_CLEAN_KINDS + 2);
    set_count(L, "raw_bytes", stats->raw_bytes);
    set_count(L, "bytes", stats->bytes);
    for (int kind = 0; kind < ABR_CLEAN_KINDS; kind++)
        set_count(L, clean_names[kind], stats->count[kind]);
}

/* The options of cleaning at idx, which may be nil. */
static abr_clean_opts check_clean_options(lua_State *L, const char *who, int idx)
{
    abr_clean_opts opts = {0, NULL};
    if (lua_isnoneornil(L, idx))
        return opts;
    if (lua_type(L, idx) != LUA_TTABLE)
        wrong(L, who, "opts", "a table", idx);
    read_clean_table(L, who, idx, &opts);
    return opts;
}

/* clean(text, opts) -> text, stats */
static int l_clean(lua_State *L)
{
    const char *who = "abridge.clean";
    abr_clean_stats stats;
    size_t n;
    check_text(L, who, "text", ARG_TEXT, &n);
    abr_clean_opts opts = check_clean_options(L, who, ARG_OPTS);
    lua_settop(L, ARG_OPTS);
    clean_text(L, who, &opts, &stats);
    lua_pushvalue(L, ARG_TEXT);
    push_clean_stats(L, &stats);
    return 2;
}

/* ---- redaction ---- */

/* Push a function of one of our Lua modules. */
static void push_function(lua_State *L, const char *module, const char *name)
{
    lua_getglobal(L, "require");
    lua_pushstring(L, module);
    lua_call(L, 1, 1);
    lua_getfield(L, -1, name);
    lua_remove(L, -2);
}

/* Push a redactor of the option redact. */
static void push_redactor(lua_State *L, const char *who)
{
    push_function(L, "abridge.redact", "compile");
    lua_pushstring(L, who);
    lua_pushvalue(L, SLOT_REDACT);
    lua_pushinteger(L, 1); /* a mistake in it is told at the place of our caller */
    lua_call(L, 3, 1);
}

/* Put the redacted text in place of the text, where redact is given. */
static void redact_text(lua_State *L, const char *who)
{
    if (lua_isnil(L, SLOT_REDACT))
        return;
    push_redactor(L, who);
    lua_getfield(L, -1, "text");
    lua_insert(L, -2);
    lua_pushvalue(L, ARG_TEXT);
    lua_call(L, 2, 1);
    lua_replace(L, ARG_TEXT);
}

/* ---- cleaners ---- */

#define CLEANER_TYPE "abridge.cleaner"

/* A cleaner of Lua: the core's, and what it handed over during a call. */
typedef struct {
    abr_cleaner *cleaner; /* NULL once closed */
    char *p;
    size_t n;
    size_t size;
    bool finished;
} lua_cleaner;

enum { CLEANER_KEEPS = 256 * 1024 /* bytes of memory that stay between calls */ };

static bool take_cleaned(void *ctx, const char *p, size_t n)
{
    lua_cleaner *c = ctx;
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

static lua_cleaner *check_cleaner(lua_State *L, const char *who)
{
    lua_cleaner *c = luaL_checkudata(L, 1, CLEANER_TYPE);
    if (!c->cleaner)
        luaL_error(L, "%s: the cleaner is closed", who);
    return c;
}

/* Push what was handed over. */
static void push_cleaned(lua_State *L, const char *who, lua_cleaner *c, abr_code code)
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

/* cleaner(opts) -> cleaner */
static int l_cleaner(lua_State *L)
{
    const char *who = "abridge.core.cleaner";
    abr_error error;
    lua_settop(L, 1);
    abr_clean_opts opts = check_clean_options(L, who, 1);
    lua_cleaner *c = lua_newuserdata(L, sizeof *c);
    memset(c, 0, sizeof *c);
    luaL_getmetatable(L, CLEANER_TYPE);
    lua_setmetatable(L, -2);
    if (abr_cleaner_open(&opts, take_cleaned, c, &c->cleaner, &error) != ABR_OK)
        return luaL_error(L, "%s: %s", who, error.message);
    return 1;
}

/* cleaner:write(chunk) -> text that is final now */
static int l_cleaner_write(lua_State *L)
{
    const char *who = "cleaner:write";
    size_t n;
    lua_cleaner *c = check_cleaner(L, who);
    const char *chunk = check_text(L, who, "chunk", 2, &n);
    if (c->finished)
        return luaL_error(L, "%s: the cleaner is finished", who);
    push_cleaned(L, who, c, abr_cleaner_write(c->cleaner, chunk, n));
    return 1;
}

/* cleaner:pending() -> text that may still change */
static int l_cleaner_pending(lua_State *L)
{
    const lua_cleaner *c = check_cleaner(L, "cleaner:pending");
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
    lua_cleaner *c = check_cleaner(L, who);
    c->finished = true;
    push_cleaned(L, who, c, abr_cleaner_finish(c->cleaner, &stats));
    push_clean_stats(L, &stats);
    return 2;
}

/* Also __close and __gc; closing twice is fine. */
static int l_cleaner_close(lua_State *L)
{
    lua_cleaner *c = luaL_checkudata(L, 1, CLEANER_TYPE);
    abr_cleaner_close(c->cleaner);
    free(c->p);
    memset(c, 0, sizeof *c);
    return 0;
}

static const luaL_Reg cleaner_methods[] = {
    {"write", l_cleaner_write},
    {"pending", l_cleaner_pending},
    {"finish", l_cleaner_finish},
    {"close", l_cleaner_close},
    {"__close", l_cleaner_close},
    {"__gc", l_cleaner_close},
    {NULL, NULL},
};

/* ---- cuts ---- */

static void put_raw_bytes(lua_State *L, void *ctx)
{
    const size_t *raw = ctx;
    put_count(L, WORD_raw_bytes, *raw);
}

/* Of a cut of the text at ARG_TEXT; `raw`, unless NULL: its size before it was cleaned. */
static cut_results text_results(size_t n, size_t *raw)
{
    return (cut_results){
        .text_size = n, .push_more = raw ? put_raw_bytes : NULL, .ctx = raw, .more = raw != NULL};
}

static int cut_text(lua_State *L, const char *who, abr_strategy strategy, bool named)
{
    cut_options c = {.who = who, .opts = ABR_OPTS_INIT, .named_strategy = named};
    size_t raw;
    abr_error error;
    check_text(L, who, "text", ARG_TEXT, &raw);
    lua_settop(L, ARG_OPTS);
    lua_settop(L, SLOT_REDACT);
    c.opts.strategy = strategy;
    read_options(L, &c);
    if (c.cleans)
        clean_text(L, who, &c.clean, NULL);
    redact_text(L, who);
    size_t n;
    const char *text = lua_tolstring(L, ARG_TEXT, &n);
    if (!lua_isnil(L, SLOT_COUNTER)) {
        lua_pushcfunction(L, call_counter);
        c.opts.count_tokens = count_tokens;
        c.opts.count_ctx = L;
    }
    cut_results results = text_results(n, c.cleans ? &raw : NULL);
    begin_results(L, &results);
    abr_code code = abr_cut_text(text, n, &c.opts, &results.cut, &error);
    return finish_results(L, &results, who, code, &error);
}

static int l_head(lua_State *L)
{
    return cut_text(L, "abridge.head", ABR_HEAD, false);
}

static int l_tail(lua_State *L)
{
    return cut_text(L, "abridge.tail", ABR_TAIL, false);
}

static int l_head_tail(lua_State *L)
{
    return cut_text(L, "abridge.head_tail", ABR_HEAD_TAIL, false);
}

static int l_cut(lua_State *L)
{
    return cut_text(L, "abridge.cut", ABR_HEAD, true);
}

static int l_priority(lua_State *L)
{
    return cut_text(L, "abridge.priority", ABR_PRIORITY, false);
}

static int l_pipeline(lua_State *L)
{
    const char *who = "abridge.pipeline";
    abr_pipeline_opts o = ABR_PIPELINE_OPTS_INIT;
    abr_clean_opts clean = {0, NULL};
    bool cleans = false;
    abr_error error;
    size_t raw;
    check_text(L, who, "text", ARG_TEXT, &raw);
    lua_settop(L, ARG_OPTS);
    lua_settop(L, SLOT_REDACT);
    check_options_table(L, who);
    lua_pushnil(L);
    while (lua_next(L, ARG_OPTS)) {
        int value = lua_gettop(L);
        const char *key = word_at(L, value - 1);
        if (strcmp(key, "max_chars") == 0)
            o.max_chars = check_count(L, who, key, value);
        else if (strcmp(key, "max_lines") == 0)
            o.max_lines = check_count(L, who, key, value);
        else if (strcmp(key, "head_ratio") == 0)
            o.head_ratio = check_number(L, who, key, value, 0, 1);
        else if (strcmp(key, "indicators") == 0)
            o.indicators = check_boolean(L, who, key, value);
        else if (strcmp(key, "clean") == 0)
            cleans = read_clean(L, who, value, &clean);
        else if (strcmp(key, "redact") == 0)
            keep_redact(L, value);
        else
            unknown_option(L, who, value - 1, value);
        lua_pop(L, 1);
    }
    if (o.max_chars == ABR_UNLIMITED && o.max_lines == ABR_UNLIMITED)
        return luaL_error(L, "%s: no budget given: set max_chars or max_lines", who);
    if (cleans)
        clean_text(L, who, &clean, NULL);
    redact_text(L, who);
    size_t n;
    const char *text = lua_tolstring(L, ARG_TEXT, &n);
    cut_results results = text_results(n, cleans ? &raw : NULL);
    begin_results(L, &results);
    abr_code code = abr_pipeline(text, n, &o, &results.cut, &error);
    return finish_results(L, &results, who, code, &error);
}

/* One end of a match = {first_byte, last_byte}. */
static uint64_t check_match_end(lua_State *L, const char *who, int match, int which)
{
    lua_rawgeti(L, match, which);
    uint64_t at = check_count(L, who, which == 1 ? "match[1]" : "match[2]", -1);
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
    const char *text = check_text(L, who, "s", 1, &n);
    uint64_t max_chars = check_count(L, who, "max_chars", 2);
    if (!lua_isnoneornil(L, 3)) {
        if (lua_type(L, 3) != LUA_TTABLE)
            wrong(L, who, "match", "a table {first_byte, last_byte}", 3);
        first = check_match_end(L, who, 3, 1);
        last = check_match_end(L, who, 3, 2);
        if (first < 1 || last < first - 1 || last > n)
            return luaL_error(L, "%s: match {%s, %s} is not within the %s bytes of s", who,
                              push_number(L, (lua_Number)first), push_number(L, (lua_Number)last),
                              push_number(L, (lua_Number)n));
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

/* ---- streams ---- */

#define STREAM_TYPE "abridge.stream"

/* A stream of Lua: the core's, and its counter of tokens in the registry. */
typedef struct {
    abr_stream *stream;   /* NULL once closed */
    abr_cleaner *cleaner; /* in front of it, or NULL */
    lua_State *L;         /* of the call under way, for the counter */
    int counter;          /* reference, LUA_NOREF for none */
    char *block;          /* to read descriptors into, NULL until one is read and at its end */
    bool busy; /* a cut is being made: a counter or finalizer that runs meanwhile may not touch it */
} lua_stream;

static bool count_stream_tokens(void *ctx, const char *p, size_t n, uint64_t *tokens)
{
    const lua_stream *s = ctx;
    return count_tokens(s->L, p, n, tokens);
}

static bool write_cleaned(void *ctx, const char *p, size_t n)
{
    const lua_stream *s = ctx;
    return abr_stream_write(s->stream, p, n) == ABR_OK;
}

static lua_stream *check_stream(lua_State *L, const char *who)
{
    lua_stream *s = luaL_checkudata(L, 1, STREAM_TYPE);
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
    const char *text = check_text(L, who, name, lua_gettop(L), &n);
    if (n == 0 || strlen(text) != n)
        wrong(L, who, name, "a name without NUL", lua_gettop(L));
    lua_insert(L, -2);
    return text;
}

/* Take full_output out of the options: the folder and the name stay on the stack. */
static void read_full_output(lua_State *L, const char *who, int value, const char **dir, const char **name)
{
    if (lua_type(L, value) == LUA_TBOOLEAN && !lua_toboolean(L, value))
        return;
    if (lua_type(L, value) != LUA_TTABLE)
        wrong(L, who, "full_output", "a table {dir=, name=} or false", value);
    lua_pushnil(L);
    while (lua_next(L, value)) {
        const char *key = word_at(L, -2);
        if (strcmp(key, "dir") != 0 && strcmp(key, "name") != 0)
            luaL_error(L, "%s: unknown key '%s' in full_output", who,
                       lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : describe(L, -2));
        lua_pop(L, 1);
    }
    lua_pushvalue(L, value);
    *dir = check_name(L, who, "dir", "full_output.dir");
    *name = check_name(L, who, "name", "full_output.name");
    lua_pop(L, 1);
}

/* A copy of the options in place of them. */
static void copy_options(lua_State *L)
{
    lua_newtable(L);
    lua_pushnil(L);
    while (lua_next(L, ARG_OPTS)) {
        lua_pushvalue(L, -2);
        lua_insert(L, -2);
        lua_rawset(L, -4);
    }
    lua_replace(L, ARG_OPTS);
}

/* Push one of the options and take it out of them; false: it is nil, and nothing is pushed. */
static bool take_option(lua_State *L, const char *key)
{
    lua_pushstring(L, key);
    lua_rawget(L, ARG_OPTS);
    if (lua_isnil(L, -1)) {
        lua_pop(L, 1);
        return false;
    }
    lua_pushstring(L, key);
    lua_pushnil(L);
    lua_rawset(L, ARG_OPTS);
    return true;
}

/* A stream that Lua redacts in front of ours. `full_output` is where that option stands, 0 for nowhere. */
static int redacted_stream(lua_State *L, const char *who, int full_output)
{
    lua_pushboolean(L, false);
    lua_setfield(L, ARG_OPTS, "redact");
    if (full_output != 0) {
        lua_pushvalue(L, full_output);
        lua_setfield(L, ARG_OPTS, "full_output");
    }
    push_redactor(L, who);
    push_function(L, "abridge.redacted", "stream");
    lua_pushvalue(L, ARG_OPTS);
    lua_pushvalue(L, -3);
    lua_call(L, 2, 1);
    return 1;
}

/* stream(opts) -> stream */
static int l_stream(lua_State *L)
{
    const char *who = "abridge.stream";
    cut_options c = {.who = who, .opts = ABR_OPTS_INIT, .named_strategy = true};
    const char *dir = NULL;
    const char *name = NULL;
    abr_error error;
    lua_settop(L, 1);
    lua_pushliteral(L, "");
    lua_insert(L, ARG_TEXT); /* options stand where those of a cut do */
    lua_settop(L, SLOT_REDACT);
    check_options_table(L, who);
    copy_options(L);
    bool keeps_file = take_option(L, "full_output");
    int full_output = lua_gettop(L);
    if (keeps_file)
        read_full_output(L, who, full_output, &dir, &name);
    read_options(L, &c);
    if (!lua_isnil(L, SLOT_REDACT))
        return redacted_stream(L, who, keeps_file ? full_output : 0);

    lua_stream *s = lua_newuserdata(L, sizeof *s);
    *s = (lua_stream){.counter = LUA_NOREF};
    luaL_getmetatable(L, STREAM_TYPE);
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

/* stream:write(chunk) -> true | nil, message, code */
static int l_stream_write(lua_State *L)
{
    const char *who = "stream:write";
    size_t n;
    lua_stream *s = check_stream(L, who);
    const char *chunk = check_text(L, who, "chunk", 2, &n);
    if (abr_stream_finished(s->stream))
        return luaL_error(L, "%s: the stream is finished", who);
    abr_code code =
        s->cleaner ? abr_cleaner_write(s->cleaner, chunk, n) : abr_stream_write(s->stream, chunk, n);
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

enum { FD_BLOCK = 256 * 1024, FD_MOST = 1024 * 1024 /* bytes read by a call that sets no limit */ };

static int push_errno(lua_State *L, const char *what, int number)
{
    lua_pushnil(L);
    lua_pushfstring(L, "%s: %s", what, abr_errno_text(number));
    lua_pushstring(L, abr_errno_name(number));
    return 3;
}

static int check_fd(lua_State *L, const char *who, int idx)
{
    uint64_t fd = 0;
    if (!to_count(L, idx, &fd) || fd > INT_MAX)
        wrong(L, who, "fd", "a file descriptor, an integer from 0 to 2^31-1", idx);
    return (int)fd;
}

/* How many bytes to read at most, where idx says so. */
static uint64_t check_most(lua_State *L, const char *who, int idx)
{
    uint64_t most = FD_MOST;
    if (!lua_isnoneornil(L, idx) && (!to_count(L, idx, &most) || most == 0))
        wrong(L, who, "most", "an integer from 1 to 2^53", idx);
    return most;
}

/* Add what was read to the stream, through a cleaner of Lua where there is one. */
static abr_code write_block(lua_stream *s, lua_cleaner *before, size_t n)
{
    if (s->cleaner)
        return abr_cleaner_write(s->cleaner, s->block, n);
    if (!before)
        return abr_stream_write(s->stream, s->block, n);
    abr_code code = abr_cleaner_write(before->cleaner, s->block, n);
    if (code == ABR_OK)
        code = abr_stream_write(s->stream, before->p, before->n);
    before->n = 0;
    return code;
}

static void drop_block(lua_stream *s)
{
    free(s->block);
    s->block = NULL;
}

/* stream:read_fd(fd, most, cleaner) -> bytes read, 0 at the end | nil, message, code */
static int l_stream_read_fd(lua_State *L)
{
    const char *who = "stream:read_fd";
    lua_stream *s = check_stream(L, who);
    const int fd = check_fd(L, who, 2);
    const uint64_t most = check_most(L, who, 3);
    lua_cleaner *before = lua_isnoneornil(L, 4) ? NULL : luaL_checkudata(L, 4, CLEANER_TYPE);
    if (before && (!before->cleaner || before->finished))
        return luaL_error(L, "%s: the cleaner is %s", who, before->cleaner ? "finished" : "closed");
    if (abr_stream_finished(s->stream))
        return luaL_error(L, "%s: the stream is finished", who);
    if (!s->block && !(s->block = malloc(FD_BLOCK)))
        return push_errno(L, who, ENOMEM);
    uint64_t total = 0;
    bool ended = false;
    int failed = 0;
    for (size_t wanted = 1, got = 1; got == wanted && total < most && failed == 0; total += got) {
        wanted = most - total < FD_BLOCK ? (size_t)(most - total) : FD_BLOCK;
        failed = abr_read_some(fd, s->block, wanted, &got, &ended);
        if (got > 0 && write_block(s, before, got) != ABR_OK)
            return push_errno(L, who, ENOMEM);
    }
    if (ended)
        drop_block(s);
    if (total == 0 && failed != 0)
        return push_errno(L, who, failed);
    push_count(L, total);
    return 1;
}

/* read_fd(fd, most) -> at most 64 KiB, "" at the end | nil, message, code */
static int l_read_fd(lua_State *L)
{
    enum { CHUNK = 64 * 1024 };
    const char *who = "stream:read_fd"; /* which it is a part of, where Lua has to see what came */
    const int fd = check_fd(L, who, 1);
    const uint64_t most = check_most(L, who, 2);
    const size_t size = most < CHUNK ? (size_t)most : CHUNK;
    size_t got;
    bool ended;
    char *block = lua_newuserdata(L, size);
    int failed = abr_read_some(fd, block, size, &got, &ended);
    if (failed != 0)
        return push_errno(L, who, failed);
    lua_pushlstring(L, block, got);
    return 1;
}

/* widen_pipe(fd) -> whether the pipe now holds 1 MiB */
static int l_widen_pipe(lua_State *L)
{
    lua_pushboolean(L, abr_widen_pipe(check_fd(L, "abridge.core.widen_pipe", 1)));
    return 1;
}

/* ---- cuts of streams ---- */

static void put_full_output(lua_State *L, const abr_full_output *full)
{
    if (full->path) {
        put_text(L, WORD_full_output_path, full->path);
        put_count(L, WORD_full_output_bytes, full->bytes);
    }
    if (full->error) {
        put_text(L, WORD_full_output_error, full->error);
        put_text(L, WORD_full_output_code, full->code);
    }
}

/* Options of one cut of a stream: budgets and reserve. */
static void read_narrow(lua_State *L, const char *who, abr_narrow *narrow)
{
    if (lua_type(L, 2) != LUA_TTABLE)
        wrong(L, who, "opts", "a table", 2);
    lua_pushnil(L);
    while (lua_next(L, 2)) {
        int value = lua_gettop(L);
        const char *key = word_at(L, value - 1);
        if (strcmp(key, "reserve") == 0) {
            narrow->reserve = check_text(L, who, key, value, &narrow->reserve_len);
            keep(L, value, SLOT_RESERVE);
        } else if (!read_budget(L, who, key, value, &narrow->max)) {
            unknown_option(L, who, value - 1, value);
        }
        lua_pop(L, 1);
    }
}

#define NO_NARROW                                                                                            \
    {                                                                                                        \
        {ABR_UNLIMITED, ABR_UNLIMITED, ABR_UNLIMITED, ABR_UNLIMITED}, NULL, 0                                \
    }

/* Set the stack up for a cut of a stream or a page, its options at 2, and read them. */
static void prepare_cut(lua_State *L, const char *who, int counter, abr_narrow *narrow)
{
    lua_settop(L, 2);
    lua_rawgeti(L, LUA_REGISTRYINDEX, counter); /* SLOT_COUNTER */
    lua_settop(L, SLOT_REDACT);
    if (!lua_isnil(L, 2))
        read_narrow(L, who, narrow);
    if (!lua_isnil(L, SLOT_COUNTER))
        lua_pushcfunction(L, call_counter);
}

/* Let the cleaner's text stand in the stream: all of it at the end, else for the cut that follows. */
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
        put_count(L, WORD_raw_bytes, abr_cleaner_stats(s->cleaner).raw_bytes);
}

/* snapshot and finish: the cut, its content made without a text to hand back. */
static int cut_stream(lua_State *L, const char *who, bool finish)
{
    abr_narrow narrow = NO_NARROW;
    abr_error error;
    lua_stream *s = check_stream(L, who);
    if (finish && abr_stream_finished(s->stream))
        return luaL_error(L, "%s: the stream is finished", who);
    prepare_cut(L, who, s->counter, &narrow);
    if (s->cleaner && !abr_stream_finished(s->stream))
        show_pending(L, who, s, finish);
    s->L = L;
    cut_results results = {.text_size = SIZE_MAX,
                           .push_more = put_stream_fields,
                           .ctx = s,
                           .more = STREAM_FIELDS,
                           .busy = &s->busy};
    begin_results(L, &results);
    abr_code code = finish ? abr_stream_finish(s->stream, &narrow, &results.cut, &error)
                           : abr_stream_snapshot(s->stream, &narrow, &results.cut, &error);
    if (finish)
        drop_block(s);
    return finish_results(L, &results, who, code, &error);
}

/* stream:preview(text): the snapshots until the next write show it behind what has come */
static int l_stream_preview(lua_State *L)
{
    const char *who = "stream:preview";
    size_t n;
    lua_stream *s = check_stream(L, who);
    const char *text = check_text(L, who, "text", 2, &n);
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
    lua_stream *s = luaL_checkudata(L, 1, STREAM_TYPE);
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
    lua_stream *s = luaL_checkudata(L, 1, STREAM_TYPE);
    if (s->stream)
        check_stream(L, "stream:close");
    return collect_stream(L);
}

static int l_stream_tostring(lua_State *L)
{
    const lua_stream *s = luaL_checkudata(L, 1, STREAM_TYPE);
    const char *state = !s->stream ? "closed" : abr_stream_finished(s->stream) ? "finished" : "open";
    lua_pushfstring(L, "abridge.stream (%s)", state);
    return 1;
}

static const luaL_Reg stream_methods[] = {
    {"write", l_stream_write},         {"read_fd", l_stream_read_fd},
    {"snapshot", l_stream_snapshot},   {"finish", l_stream_finish},
    {"preview", l_stream_preview},     {"close", l_stream_close},
    {"__gc", collect_stream},          {"__close", l_stream_close},
    {"__tostring", l_stream_tostring}, {NULL, NULL},
};

/* ---- pages ---- */

#define INDEX_TYPE "abridge.index"
#define PAGE_TYPE "abridge.page"

/* index() -> index */
static int l_index(lua_State *L)
{
    abr_error error;
    abr_index **index = lua_newuserdata(L, sizeof(abr_index *)); /* NOLINT(bugprone-sizeof-expression) */
    *index = NULL;
    luaL_getmetatable(L, INDEX_TYPE);
    lua_setmetatable(L, -2);
    if (abr_index_open(NULL, index, &error) != ABR_OK)
        return luaL_error(L, "abridge.index: %s", error.message);
    return 1;
}

static int collect_index(lua_State *L)
{
    abr_index **index = luaL_checkudata(L, 1, INDEX_TYPE);
    abr_index_close(*index);
    *index = NULL;
    return 0;
}

/* index:bytes() -> memory it takes */
static int l_index_bytes(lua_State *L)
{
    abr_index *const *index = luaL_checkudata(L, 1, INDEX_TYPE);
    push_count(L, abr_index_bytes(*index));
    return 1;
}

static const luaL_Reg index_methods[] = {{"bytes", l_index_bytes}, {"__gc", collect_index}, {NULL, NULL}};

/* A page of Lua: the core's, and in the registry what it points to. */
typedef struct {
    abr_page *page; /* NULL once closed */
    lua_State *L;   /* of the call under way, for the counter */
    int counter;    /* reference, LUA_NOREF for none */
    int anchor;     /* reference to a table with the options' strings, the text and the index */
    bool busy;      /* a cut is being made */
    bool opening;   /* more steps are to be taken before it is open */
} lua_page;

static bool count_page_tokens(void *ctx, const char *p, size_t n, uint64_t *tokens)
{
    const lua_page *page = ctx;
    return count_tokens(page->L, p, n, tokens);
}

static lua_page *check_page(lua_State *L, const char *who)
{
    lua_page *page = luaL_checkudata(L, 1, PAGE_TYPE);
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
    if (!to_count(L, idx, &number) || number == 0)
        wrong(L, who, name, "an integer from 1 to 2^53", idx);
    return number;
}

typedef struct {
    abr_page_opts opts;
    int index_at; /* where the index is on the stack; 0: none */
} page_options;

/* Take what only a page knows out of the options; what it leaves on the stack stays alive. */
static void read_page_options(lua_State *L, const char *who, page_options *own)
{
    abr_page_opts *o = &own->opts;
    if (take_option(L, "offset"))
        o->offset = check_number_from_1(L, who, "offset", -1);
    if (take_option(L, "column"))
        o->column = check_number_from_1(L, who, "column", -1);
    if (take_option(L, "limit"))
        o->limit = check_number_from_1(L, who, "limit", -1);
    if (take_option(L, "binary"))
        o->binary = check_boolean(L, who, "binary", -1);
    if (take_option(L, "version")) {
        size_t n;
        o->version = check_text(L, who, "version", -1, &n);
    }
    if (take_option(L, "index")) {
        bool is_index = lua_getmetatable(L, -1) != 0;
        if (is_index) {
            luaL_getmetatable(L, INDEX_TYPE);
            is_index = lua_rawequal(L, -1, -2);
            lua_pop(L, 2);
        }
        if (!is_index)
            wrong(L, who, "index", "what abridge.index() returned", -1);
        o->index = *(abr_index **)lua_touserdata(L, -1);
        own->index_at = lua_gettop(L);
    }
}

static const char *code_name(abr_code code)
{
    static const char *const names[] = {
        [ABR_ENOENT] = "ENOENT",   [ABR_EACCES] = "EACCES",   [ABR_EISDIR] = "EISDIR",
        [ABR_ENOTREG] = "ENOTREG", [ABR_EBINARY] = "EBINARY", [ABR_EOFFSET] = "EOFFSET",
        [ABR_ECOLUMN] = "ECOLUMN", [ABR_EIO] = "EIO"};
    return names[code];
}

/* nil, the code, and what its message tells: a number for EOFFSET and ECOLUMN, else a text. */
static int push_page_error(lua_State *L, const char *who, const abr_error *error)
{
    if (error->code == ABR_ENOMEM || error->code == ABR_EINVAL || error->code == ABR_ECOUNT)
        return luaL_error(L, "%s: %s", who, error->message);
    lua_pushnil(L);
    lua_pushstring(L, code_name(error->code));
    if (error->code == ABR_EOFFSET || error->code == ABR_ECOLUMN)
        push_count(L, error->position);
    else
        lua_pushstring(L, error->message);
    return 3;
}

static lua_page *new_page(lua_State *L)
{
    lua_page *page = lua_newuserdata(L, sizeof *page);
    *page = (lua_page){.counter = LUA_NOREF, .anchor = LUA_NOREF};
    luaL_getmetatable(L, PAGE_TYPE);
    lua_setmetatable(L, -2);
    return page;
}

/* What a page is opened of. */
typedef enum { WHOLE_FILE, FILE_IN_STEPS, WHOLE_TEXT } page_source;

/* (path or text, opts) -> page | nil, code, detail */
static int open_page(lua_State *L, const char *who, page_source from)
{
    const bool is_file = from != WHOLE_TEXT;
    cut_options c = {.who = who, .opts = ABR_OPTS_INIT, .named_strategy = true};
    page_options own = {ABR_PAGE_OPTS_INIT, 0};
    abr_error error = {ABR_ENOENT, "no such file or directory", 0};
    size_t n;
    const char *source = check_text(L, who, is_file ? "path" : "text", ARG_TEXT, &n);
    lua_settop(L, ARG_OPTS);
    lua_settop(L, SLOT_REDACT);
    check_options_table(L, who);
    copy_options(L);
    read_page_options(L, who, &own);
    if (!take_option(L, "strategy"))
        lua_pushliteral(L, "head");
    lua_setfield(L, ARG_OPTS, "strategy");
    read_options(L, &c);
    if (c.cleans || !lua_isnil(L, SLOT_REDACT))
        return luaL_error(L, "%s: %s is not for pages: their lines and bytes are those of the file", who,
                          c.cleans ? "clean" : "redact");

    lua_page *page = new_page(L);
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
        return push_page_error(L, who, &error);
    page->opening = from == FILE_IN_STEPS;
    abr_code code = from == FILE_IN_STEPS ? abr_page_begin(source, &own.opts, &page->page, &error)
                    : is_file             ? abr_page_open(source, &own.opts, &page->page, &error)
                                          : abr_page_text(source, n, &own.opts, &page->page, &error);
    return code == ABR_OK ? 1 : push_page_error(L, who, &error);
}

/* page(path, opts) -> page | nil, code, detail */
static int l_page(lua_State *L)
{
    return open_page(L, "abridge.page", WHOLE_FILE);
}

/* page_in_steps(path, opts) -> page that is open once page:step() said so | nil, code, detail */
static int l_page_in_steps(lua_State *L)
{
    return open_page(L, "abridge.page", FILE_IN_STEPS);
}

/* page:step(n) -> whether it is open now, after about n bytes more were read | nil, code, detail; closed then */
static int l_page_step(lua_State *L)
{
    const char *who = "page:step";
    abr_error error;
    bool done;
    lua_page *page = luaL_checkudata(L, 1, PAGE_TYPE);
    uint64_t most = check_count(L, who, "n", 2);
    if (!page->page || !page->opening)
        return luaL_error(L, "%s: the page is %s", who, page->page ? "open" : "closed");
    if (abr_page_step(page->page, most, &done, &error) != ABR_OK) {
        abr_page_close(page->page);
        page->page = NULL;
        return push_page_error(L, who, &error);
    }
    page->opening = !done;
    lua_pushboolean(L, done);
    return 1;
}

/* read_file(path, at, n) -> up to n bytes behind the first `at`, the file's size | nil, code, detail */
static int l_read_file(lua_State *L)
{
    const char *who = "abridge.core.read_file";
    abr_error error = {ABR_ENOENT, "no such file or directory", 0};
    uint64_t size;
    size_t got;
    size_t path_n;
    const char *path = check_text(L, who, "path", 1, &path_n);
    uint64_t at = check_count(L, who, "at", 2);
    size_t n = (size_t)check_count(L, who, "n", 3);
    char *block = lua_newuserdata(L, n > 0 ? n : 1);
    if (strlen(path) != path_n || abr_file_read_at(path, at, block, n, &got, &size, &error) != ABR_OK)
        return push_page_error(L, who, &error);
    lua_pushlstring(L, block, got);
    push_count(L, size);
    return 2;
}

/* page_text(text, opts) -> page | nil, code, detail */
static int l_page_text(lua_State *L)
{
    return open_page(L, "abridge.core.page_text", WHOLE_TEXT);
}

/* What the ledger of a page tells beside the cut. */
typedef struct {
    abr_page *page;
    const abr_page_lines *lines;
} page_fields;

enum { PAGE_FIELDS = 7 };

static void put_page_fields(lua_State *L, void *ctx)
{
    const page_fields *fields = ctx;
    const abr_page_lines *lines = fields->lines;
    abr_page_info about = abr_page_about(fields->page);
    put_count(L, WORD_first_line, lines->first_line);
    put_count(L, WORD_last_line, lines->last_line);
    if (about.first_char > 0)
        put_count(L, WORD_first_char, about.first_char);
    if (lines->next_offset > 0)
        put_count(L, WORD_next_offset, lines->next_offset);
    if (lines->next_column > 0)
        put_count(L, WORD_next_column, lines->next_column);
    if (*about.version)
        put_text(L, WORD_version, about.version);
    if (about.changed)
        put_boolean(L, WORD_changed, true);
}

/* page:snapshot(opts) -> content, cut; also as `finish`, since a page may stand where a stream does */
static int l_page_snapshot(lua_State *L)
{
    const char *who = "page:snapshot";
    abr_narrow narrow = NO_NARROW;
    abr_page_lines lines;
    abr_error error;
    lua_page *page = check_page(L, who);
    prepare_cut(L, who, page->counter, &narrow);
    page->L = L;
    page_fields fields = {page->page, &lines};
    cut_results results = {.text_size = SIZE_MAX,
                           .push_more = put_page_fields,
                           .ctx = &fields,
                           .more = PAGE_FIELDS,
                           .busy = &page->busy};
    begin_results(L, &results);
    abr_code code = abr_page_cut(page->page, &narrow, &results.cut, &lines, &error);
    return finish_results(L, &results, who, code, &error);
}

/* page:read(at, n) -> up to n bytes behind the first `at` of the page | nil, code, message */
static int l_page_read(lua_State *L)
{
    const char *who = "page:read";
    abr_error error;
    size_t got;
    lua_page *page = check_page(L, who);
    uint64_t at = check_count(L, who, "at", 2);
    size_t n = (size_t)check_count(L, who, "n", 3);
    char *block = lua_newuserdata(L, n > 0 ? n : 1);
    if (abr_page_read(page->page, at, block, n, &got, &error) != ABR_OK)
        return push_page_error(L, who, &error);
    lua_pushlstring(L, block, got);
    return 1;
}

/* page:about() -> totals, place, version, and whether the file changed until now */
static int l_page_about(lua_State *L)
{
    enum { VERSION_MOST = 256 };
    lua_page *page = check_page(L, "page:about");
    abr_page_changed(page->page);
    abr_page_info about = abr_page_about(page->page);
    char version[VERSION_MOST]; /* a copy: what is pushed may start a finalizer that closes the page */
    snprintf(version, sizeof version, "%s", about.version);
    lua_newtable(L);
    set_count(L, "first_byte", about.first_byte);
    set_count(L, "total_lines", about.total_lines);
    set_count(L, "total_bytes", about.total_bytes);
    lua_pushstring(L, version);
    lua_setfield(L, -2, "version");
    set_boolean(L, "changed", about.changed);
    return 1;
}

static int collect_page(lua_State *L)
{
    lua_page *page = luaL_checkudata(L, 1, PAGE_TYPE);
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
    lua_page *page = luaL_checkudata(L, 1, PAGE_TYPE);
    if (page->page && !page->opening)
        check_page(L, "page:close");
    return collect_page(L);
}

static const luaL_Reg page_methods[] = {
    {"snapshot", l_page_snapshot}, {"finish", l_page_snapshot}, {"read", l_page_read},
    {"about", l_page_about},       {"step", l_page_step},       {"close", l_page_close},
    {"__close", l_page_close},     {"__gc", collect_page},      {NULL, NULL},
};

/* ---- private files ---- */

#define LOG_TYPE "abridge.log"

static const char *check_path(lua_State *L, const char *who, const char *name, int idx)
{
    size_t n;
    const char *path = check_text(L, who, name, idx, &n);
    if (n == 0 || strlen(path) != n)
        wrong(L, who, name, "a path without NUL", idx);
    return path;
}

/* private_folder(dir) -> true | nil, message, code */
static int l_private_folder(lua_State *L)
{
    const char *dir = check_path(L, "abridge.core.private_folder", "dir", 1);
    int failed = abr_private_folder(dir);
    if (failed != 0)
        return push_errno(L, dir, failed);
    lua_pushboolean(L, 1);
    return 1;
}

/* save(dir, name, text) -> path, bytes, message, code: a new private file; the last two when it came out short, and
 * path nil when it could not be made */
static int l_save(lua_State *L)
{
    const char *who = "abridge.core.save";
    size_t n;
    abr_file *file;
    const char *dir = check_path(L, who, "dir", 1);
    const char *name = check_path(L, who, "name", 2);
    const char *text = check_text(L, who, "text", 3, &n);
    char path[2 * ABR_PATH_MOST]; /* a folder and a name, both shorter than one */
    uint64_t size = 0;
    int failed = abr_file_open(dir, name, false, NULL, &file);
    path[0] = '\0';
    if (failed == 0) {
        abr_file_write(file, text, n);
        failed = abr_file_flush(file);
        size = abr_file_size(file);
        snprintf(path, sizeof path, "%s", abr_file_path(file));
        abr_file_close(file);
    }
    if (path[0] != '\0')
        lua_pushstring(L, path);
    else
        lua_pushnil(L);
    push_count(L, size);
    if (failed == 0)
        return 2;
    lua_pushstring(L, abr_errno_text(failed));
    lua_pushstring(L, abr_errno_name(failed));
    return 4;
}

/* log(dir, name) -> log | nil, message, code */
static int l_log(lua_State *L)
{
    const char *who = "abridge.core.log";
    const char *dir = check_path(L, who, "dir", 1);
    const char *name = check_path(L, who, "name", 2);
    abr_file **log = lua_newuserdata(L, sizeof(abr_file *)); /* NOLINT(bugprone-sizeof-expression) */
    *log = NULL;
    luaL_getmetatable(L, LOG_TYPE);
    lua_setmetatable(L, -2);
    int failed = abr_file_open(dir, name, true, NULL, log);
    return failed == 0 ? 1 : push_errno(L, dir, failed);
}

static abr_file *check_log(lua_State *L, const char *who)
{
    abr_file **log = luaL_checkudata(L, 1, LOG_TYPE);
    if (!*log)
        luaL_error(L, "%s: the log is closed", who);
    return *log;
}

/* log:append(text) -> true | nil, message, code */
static int l_log_append(lua_State *L)
{
    size_t n;
    abr_file *log = check_log(L, "log:append");
    const char *text = check_text(L, "log:append", "text", 2, &n);
    int failed = abr_file_append(log, text, n);
    if (failed != 0)
        return push_errno(L, abr_file_path(log), failed);
    lua_pushboolean(L, 1);
    return 1;
}

static int l_log_size(lua_State *L)
{
    push_count(L, abr_file_size(check_log(L, "log:size")));
    return 1;
}

static int l_log_close(lua_State *L)
{
    abr_file **log = luaL_checkudata(L, 1, LOG_TYPE);
    abr_file_close(*log);
    *log = NULL;
    return 0;
}

static const luaL_Reg log_methods[] = {
    {"append", l_log_append}, {"size", l_log_size},     {"close", l_log_close},
    {"__gc", l_log_close},    {"__close", l_log_close}, {NULL, NULL},
};

/* ---- callbacks ---- */

/* pcall(f, ...) -> true, results | false, error; on every host what is called may not yield */
static int l_pcall(lua_State *L)
{
    if (lua_gettop(L) == 0)
        return luaL_error(L, "abridge.core.pcall: f must be a function, got nothing");
    int failed = lua_pcall(L, lua_gettop(L) - 1, LUA_MULTRET, 0);
    luaL_checkstack(L, 1, "too many results");
    lua_pushboolean(L, failed == 0);
    lua_insert(L, 1);
    return lua_gettop(L);
}

/* ---- counting, sizes, places ---- */

static int l_count_lines(lua_State *L)
{
    size_t n;
    const char *text = check_text(L, "abridge.count_lines", "text", 1, &n);
    push_count(L, abr_count_lines(text, n));
    return 1;
}

/* count_chars(text) -> chars, invalid bytes among them */
static int l_count_chars(lua_State *L)
{
    size_t n;
    uint64_t invalid;
    const char *text = check_text(L, "abridge.count_chars", "text", 1, &n);
    push_count(L, abr_count_chars(text, n, &invalid));
    push_count(L, invalid);
    return 2;
}

/* simd() -> name of the instructions that texts are scanned with */
static int l_simd(lua_State *L)
{
    lua_pushstring(L, abr_simd());
    return 1;
}

static int l_estimate_tokens(lua_State *L)
{
    size_t n;
    const char *text = check_text(L, "abridge.estimate_tokens", "text", 1, &n);
    push_count(L, abr_estimate_tokens(text, n));
    return 1;
}

/* weigh_tokens(text, token_safety) -> what a token budget takes it for */
static int l_weigh_tokens(lua_State *L)
{
    const char *who = "abridge.core.weigh_tokens";
    size_t n;
    const char *text = check_text(L, who, "text", 1, &n);
    double safety = ABR_TOKEN_SAFETY;
    if (!lua_isnoneornil(L, 2))
        safety = check_safety(L, who, "token_safety", 2);
    push_count(L, abr_weigh_tokens(text, n, safety));
    return 1;
}

static int l_format_size(lua_State *L)
{
    char size[ABR_SIZE_MAX];
    lua_pushlstring(L, size, abr_format_size(check_count(L, "abridge.format_size", "n", 1), size));
    return 1;
}

/* parse_size(value) -> bytes | nil */
static int l_parse_size(lua_State *L)
{
    uint64_t size;
    if (to_size(L, 1, &size))
        push_count(L, size);
    else
        lua_pushnil(L);
    return 1;
}

/* find_line(text, line) -> first byte of line `line`, or nil when the text has fewer lines */
static int l_find_line(lua_State *L)
{
    const char *who = "abridge.core.find_line";
    size_t n;
    const char *text = check_text(L, who, "text", 1, &n);
    uint64_t line = check_count(L, who, "line", 2);
    uint64_t newlines = line > 0 ? line - 1 : 0;
    size_t at = abr_nth_newline(text, n, &newlines);
    if (newlines > 0 || (at == n && n > 0))
        lua_pushnil(L);
    else
        push_count(L, at + 1);
    return 1;
}

/* find_char(text, char) -> first byte of char `char`; one past the end for the char after the last; else nil */
static int l_find_char(lua_State *L)
{
    const char *who = "abridge.core.find_char";
    size_t n;
    const char *text = check_text(L, who, "text", 1, &n);
    uint64_t which = check_count(L, who, "char", 2);
    size_t at = abr_skip_chars(text, n, which > 0 ? which - 1 : 0);
    if (at == n && abr_count_chars(text, n, NULL) + 1 < which)
        lua_pushnil(L);
    else
        push_count(L, at + 1);
    return 1;
}

/* cells(text) -> columns a terminal gives it */
static int l_cells(lua_State *L)
{
    size_t n;
    const char *text = check_text(L, "abridge.core.cells", "text", 1, &n);
    push_count(L, abr_cells(text, n));
    return 1;
}

/* fit_cells(text, width) -> bytes of the longest prefix that fits */
static int l_fit_cells(lua_State *L)
{
    const char *who = "abridge.core.fit_cells";
    size_t n;
    const char *text = check_text(L, who, "text", 1, &n);
    push_count(L, abr_fit_cells(text, n, check_count(L, who, "width", 2)));
    return 1;
}

/* ---- TruncationInfo ---- */

/* The fields of a block: upvalues of l_info_json(). */
enum {
    INFO_TRUNCATED,
    INFO_BYTES_RETURNED,
    INFO_BYTES_TOTAL,
    INFO_NEXT_OFFSET,
    INFO_RESUME_HINT,
    INFO_REASON
};
static const char *const info_fields[] = {"truncated",   "bytes_returned", "bytes_total",
                                          "next_offset", "resume_hint",    "reason"};
enum { INFO_FIELDS = sizeof info_fields / sizeof *info_fields };

/* Push a field of the block at 1; returns where it stands. */
static int push_info_field(lua_State *L, int field)
{
    lua_pushvalue(L, lua_upvalueindex(field + 1));
    lua_rawget(L, 1);
    return lua_gettop(L);
}

static uint64_t optional_count(lua_State *L, const char *who, int field)
{
    const int at = push_info_field(L, field);
    return lua_isnil(L, at) ? ABR_UNLIMITED : check_count(L, who, info_fields[field], at);
}

static abr_reason check_reason(lua_State *L, const char *who, int idx)
{
    const char *word = word_at(L, idx);
    for (int reason = 0; abr_reason_name((abr_reason)reason); reason++)
        if (strcmp(abr_reason_name((abr_reason)reason), word) == 0)
            return (abr_reason)reason;
    wrong(L, who, "reason", "\"size_cap\", \"line_cap\", \"row_cap\", \"exec_budget\" or \"item_cap\"", idx);
    return ABR_SIZE_CAP;
}

/* info_json{truncated=, bytes_returned=, ...} -> JSON */
static int l_info_json(lua_State *L)
{
    enum { USUAL = 512 /* bytes of JSON */ };
    const char *who = "abridge.info";
    char usual[USUAL];
    abr_info info = {.resume_hint = NULL};
    if (lua_type(L, 1) != LUA_TTABLE)
        return wrong(L, who, "info", "a table", 1);
    lua_settop(L, 1);
    info.bytes_returned = check_count(L, who, "bytes_returned", push_info_field(L, INFO_BYTES_RETURNED));
    info.bytes_total = optional_count(L, who, INFO_BYTES_TOTAL);
    info.next_offset = optional_count(L, who, INFO_NEXT_OFFSET);
    info.truncated = check_boolean(L, who, "truncated", push_info_field(L, INFO_TRUNCATED));
    info.reason = check_reason(L, who, push_info_field(L, INFO_REASON));
    const int hint = push_info_field(L, INFO_RESUME_HINT); /* stays on the stack while its bytes are used */
    if (!lua_isnil(L, hint))
        info.resume_hint = check_text(L, who, "resume_hint", hint, &info.resume_hint_len);
    const size_t size = abr_info_json(&info, usual, sizeof usual);
    char *json = usual;
    if (size > sizeof usual) {
        json = lua_newuserdata(L, size);
        abr_info_json(&info, json, size);
    }
    lua_pushlstring(L, json, size);
    return 1;
}

static void push_info_json(lua_State *L)
{
    for (int i = 0; i < INFO_FIELDS; i++)
        lua_pushstring(L, info_fields[i]);
    lua_pushcclosure(L, l_info_json, INFO_FIELDS);
}

/* ---- the module ---- */

static const luaL_Reg functions[] = {
    {"head", l_head},
    {"tail", l_tail},
    {"head_tail", l_head_tail},
    {"priority", l_priority},
    {"cut", l_cut},
    {"clean", l_clean},
    {"cleaner", l_cleaner},
    {"pipeline", l_pipeline},
    {"line", l_line},
    {"stream", l_stream},
    {"page", l_page},
    {"page_in_steps", l_page_in_steps},
    {"page_text", l_page_text},
    {"index", l_index},
    {"read_file", l_read_file},
    {"read_fd", l_read_fd},
    {"widen_pipe", l_widen_pipe},
    {"private_folder", l_private_folder},
    {"save", l_save},
    {"log", l_log},
    {"pcall", l_pcall},
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
    {"simd", l_simd},
    {NULL, NULL},
};

ABR_API int luaopen_abridge_core(lua_State *L);

/* A metatable whose methods are found in itself; push_results() is on top of the stack. */
static void new_type(lua_State *L, const char *name, const luaL_Reg *methods)
{
    luaL_newmetatable(L, name);
    lua_pushvalue(L, -2);
    set_functions(L, methods);
    lua_pushvalue(L, -1);
    lua_setfield(L, -2, "__index");
    lua_pushstring(L, name);
    lua_setfield(L, -2, "__name");
    lua_pop(L, 1);
}

int luaopen_abridge_core(lua_State *L)
{
    push_pusher(L);
    new_type(L, CLEANED_TYPE, cleaned_methods);
    new_type(L, CLEANER_TYPE, cleaner_methods);
    new_type(L, STREAM_TYPE, stream_methods);
    new_type(L, INDEX_TYPE, index_methods);
    new_type(L, PAGE_TYPE, page_methods);
    new_type(L, LOG_TYPE, log_methods);
    lua_newtable(L);
    lua_insert(L, -2);
    set_functions(L, functions);
    push_info_json(L);
    lua_setfield(L, -2, "info_json");
    lua_pushstring(L, abr_version());
    lua_setfield(L, -2, "version");
    /* the Lua it was built for, such as "5.1": another one may load it and go wrong */
    lua_pushfstring(L, "%d.%d", LUA_VERSION_NUM / 100, LUA_VERSION_NUM % 100);
    lua_setfield(L, -2, "lua_version");
    return 1;
}
