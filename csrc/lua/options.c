/* Options of cuts, streams and pages, read from a table of Lua. */
#include <stdio.h>
#include <string.h>

#include "lua/options.h"
#include "abridge.h"
#include "lua/check.h"
#include "lua/clean.h"
#include "lua/compat.h"
#include "lua/counter.h"
#include "lua/slots.h"

/* ---- options of a cut ---- */

/* The default head_ratio of "auto", for text. */
#define TEXT_HEAD_RATIO 0.7

static const char *const strategy_names[] = {"head",     "tail", "head_tail", "pipeline",
                                             "priority", "auto", NULL};
static const char strategy_words[] =
    "\"head\", \"tail\", \"head_tail\", \"pipeline\", \"priority\" or \"auto\"";

/* The name of an option; empty if the key is not a string. */
typedef struct {
    const char *p;
    size_t n;
} option_name;

static option_name name_at(lua_State *L, int idx)
{
    option_name name = {"", 0};
    if (lua_type(L, idx) == LUA_TSTRING)
        name.p = lua_tolstring(L, idx, &name.n);
    return name;
}

/* Compared without a call: much of a cut's time is spent here. */
#define IS(name, literal)                                                                                    \
    ((name).n == sizeof(literal) - 1 && memcmp((name).p, literal, sizeof(literal) - 1) == 0)

static abr_long_line check_long_line(lua_State *L, const char *who, option_name key, int value)
{
    static const char *const words[] = {"omit", "split", NULL};
    int word = abr_check_word(L, who, key.p, value, words, "\"omit\" or \"split\"");
    return word == 0 ? ABR_LONG_OMIT : ABR_LONG_SPLIT;
}

/* Read one of the options that are budgets. */
static bool read_budget(lua_State *L, const char *who, option_name key, int value, abr_budget *max)
{
    if (IS(key, "max_lines"))
        max->lines = abr_check_count(L, who, key.p, value);
    else if (IS(key, "max_bytes"))
        max->bytes = abr_check_size(L, who, key.p, value);
    else if (IS(key, "max_chars"))
        max->chars = abr_check_count(L, who, key.p, value);
    else if (IS(key, "max_tokens"))
        max->tokens = abr_check_count(L, who, key.p, value);
    else
        return false;
    return true;
}

int abr_unknown_option(lua_State *L, const char *who, int key, int value)
{
    const char *name = lua_type(L, key) == LUA_TSTRING ? lua_tostring(L, key) : abr_describe(L, key);
    return luaL_error(L, "%s: unknown option '%s' (value %s)", who, name, abr_describe(L, value));
}

void abr_keep_alive(lua_State *L, int value, int slot)
{
    lua_pushvalue(L, value);
    lua_replace(L, slot);
}

/* Read the options that shape a head_tail or a pipeline. */
static bool read_shape(lua_State *L, abr_cut_options *c, option_name key, int value)
{
    static const char *const snaps[] = {"line", "char", NULL};
    static const char *const markers[] = {"inside", "outside", "none", NULL};
    abr_opts *o = &c->opts;
    if (IS(key, "head_ratio")) {
        o->head_ratio = abr_check_number(L, c->who, key.p, value, 0, 1);
        c->has_ratio = true;
    } else if (IS(key, "snap")) {
        o->snap = (abr_snap)abr_check_word(L, c->who, key.p, value, snaps, "\"line\" or \"char\"");
    } else if (IS(key, "marker")) {
        o->marker = (abr_marker)abr_check_word(L, c->who, key.p, value, markers,
                                               "\"inside\", \"outside\" or \"none\"");
        c->has_marker = true;
    } else if (IS(key, "marker_text")) {
        o->marker_text = abr_check_text(L, c->who, key.p, value, &o->marker_text_len);
        abr_keep_alive(L, value, SLOT_MARKER);
        c->has_marker = true;
    } else if (IS(key, "indicators")) {
        o->indicators = abr_check_boolean(L, c->who, key.p, value);
    } else {
        return false;
    }
    return true;
}

void abr_keep_redact(lua_State *L, int value)
{
    if (lua_toboolean(L, value))
        abr_keep_alive(L, value, SLOT_REDACT);
}

static abr_kind read_kind(lua_State *L, const char *who, int value)
{
    enum { WORD_MOST = 20 }; /* with its quotes and separator */
    char words[ABR_KINDS * WORD_MOST];
    size_t n = 0;
    const char *word = abr_word_at(L, value);
    for (int i = ABR_KIND_LOG; i < ABR_KIND_MIXED; i++) {
        const char *before = i == ABR_KIND_LOG ? "" : i + 1 < ABR_KIND_MIXED ? ", " : " or ";
        if (strcmp(word, abr_kind_name((abr_kind)i)) == 0)
            return (abr_kind)i;
        if (n < sizeof words)
            n +=
                (size_t)snprintf(words + n, sizeof words - n, "%s\"%s\"", before, abr_kind_name((abr_kind)i));
    }
    abr_wrong(L, who, "kind", words, value);
    return ABR_KIND_TOLD;
}

/* Read the options that prepare the source. */
static bool read_source(lua_State *L, abr_cut_options *c, option_name key, int value)
{
    if (IS(key, "clean")) {
        c->cleans = abr_read_clean(L, c->who, value, &c->clean);
    } else if (IS(key, "redact")) {
        abr_keep_redact(L, value);
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
            const char *key = abr_word_at(L, field - 1);
            const char *full = lua_pushfstring(L, "%s.%s", name, key);
            if (strcmp(key, "text") == 0)
                hit->p = abr_check_text(L, who, full, field, &hit->n);
            else if (strcmp(key, "weight") == 0)
                hit->weight = abr_check_number(L, who, full, field, 0, ABR_HIT_WEIGHT_MOST);
            else if (strcmp(key, "word") == 0)
                hit->word = abr_check_boolean(L, who, full, field);
            else if (strcmp(key, "case") == 0)
                hit->fold = !abr_check_boolean(L, who, full, field);
            else
                abr_unknown_key(L, who, name, field - 1, field);
            lua_settop(L, field - 1);
        }
    }
    if (!hit->p || hit->n == 0 || hit->n > ABR_HIT_MOST)
        abr_wrong(L, who, name, "a text of 1 to 1024 bytes, or a table {text=, weight=, word=, case=}",
                  value);
}

/* hits.groups = { warnings = false } */
static void read_groups(lua_State *L, abr_cut_options *c, int value)
{
    static const char *const groups[] = {"errors",   "failures",     "fatal",     "problems",
                                         "warnings", "expectations", "summaries", NULL};
    static const char words[] = "errors, failures, fatal, problems, warnings, expectations, summaries";
    if (lua_type(L, value) != LUA_TTABLE)
        abr_wrong(L, c->who, "hits.groups", "a table such as {warnings=false}", value);
    lua_pushnil(L);
    while (lua_next(L, value)) {
        int field = lua_gettop(L);
        const char *key = abr_word_at(L, field - 1);
        int i = 0;
        while (groups[i] && strcmp(groups[i], key) != 0)
            i++;
        if (!groups[i])
            luaL_error(L, "%s: unknown key '%s' in hits.groups (%s)", c->who,
                       lua_type(L, field - 1) == LUA_TSTRING ? key : abr_describe(L, field - 1), words);
        if (!abr_check_boolean(L, c->who, lua_pushfstring(L, "hits.groups.%s", key), field))
            c->opts.quiet_groups |= 1U << i;
        lua_settop(L, field - 1);
    }
}

/* The core copies the patterns before any of the caller's functions runs; until then the options hold their
 * texts. */
static void read_hits(lua_State *L, abr_cut_options *c, int value)
{
    if (lua_type(L, value) != LUA_TTABLE)
        abr_wrong(L, c->who, "hits", "a table of patterns", value);
    size_t count = abr_raw_length(L, value);
    if (count > ABR_HITS_MOST)
        luaL_error(L, "%s: hits must be at most %d patterns, got %d", c->who, ABR_HITS_MOST, (int)count);
    abr_hit *hits = lua_newuserdata(L, (count + 1) * sizeof *hits);
    abr_keep_alive(L, lua_gettop(L), SLOT_HITS);
    lua_pushnil(L);
    while (lua_next(L, value)) {
        int field = lua_gettop(L);
        uint64_t i = 0;
        if (abr_to_count(L, field - 1, &i) && lua_type(L, field - 1) == LUA_TNUMBER && i >= 1 && i <= count)
            read_hit(L, c->who, lua_pushfstring(L, "hits[%d]", (int)i), field, &hits[i - 1]);
        else if (strcmp(abr_word_at(L, field - 1), "groups") == 0)
            read_groups(L, c, field);
        else
            abr_unknown_key(L, c->who, "hits", field - 1, field);
        lua_settop(L, field - 1);
    }
    lua_pop(L, 1);
    c->opts.hits = hits;
    c->opts.hit_count = count;
}

static void read_option(lua_State *L, abr_cut_options *c, int key_idx, int value)
{
    static const char *const modes[] = {"keep", "replace", NULL};
    abr_opts *o = &c->opts;
    const option_name key = name_at(L, key_idx);
    if (read_budget(L, c->who, key, value, &o->max) || read_shape(L, c, key, value) ||
        read_source(L, c, key, value))
        return;
    if (IS(key, "count_tokens")) {
        if (lua_type(L, value) != LUA_TFUNCTION)
            abr_wrong(L, c->who, key.p, "a function", value);
        abr_keep_alive(L, value, SLOT_COUNTER);
    } else if (IS(key, "token_safety")) {
        o->token_safety = abr_check_safety(L, c->who, key.p, value);
    } else if (IS(key, "reserve")) {
        o->reserve = abr_check_text(L, c->who, key.p, value, &o->reserve_len);
        abr_keep_alive(L, value, SLOT_RESERVE);
    } else if (IS(key, "utf8")) {
        o->utf8_replace = abr_check_word(L, c->who, key.p, value, modes, "\"keep\" or \"replace\"") == 1;
    } else if (IS(key, "long_line")) {
        o->long_line = check_long_line(L, c->who, key, value);
    } else if (IS(key, "strategy") && c->named_strategy) {
        o->strategy = (abr_strategy)abr_check_word(L, c->who, key.p, value, strategy_names, strategy_words);
    } else if (IS(key, "hits")) {
        read_hits(L, c, value);
    } else if (IS(key, "kind")) {
        o->kind = read_kind(L, c->who, value);
    } else {
        abr_unknown_option(L, c->who, key_idx, value);
    }
}

static bool has_budget(const abr_budget *max)
{
    return max->lines != ABR_UNLIMITED || max->bytes != ABR_UNLIMITED || max->chars != ABR_UNLIMITED ||
           max->tokens != ABR_UNLIMITED;
}

void abr_check_options_table(lua_State *L, const char *who)
{
    if (lua_type(L, ARG_OPTS) != LUA_TTABLE)
        abr_wrong(L, who, "opts", "a table", ARG_OPTS);
}

void abr_read_options(lua_State *L, abr_cut_options *c)
{
    abr_check_options_table(L, c->who);
    if (c->named_strategy) {
        lua_pushliteral(L, "strategy");
        lua_rawget(L, ARG_OPTS); /* raw: only the table's own fields are options */
        if (lua_isnil(L, -1))
            c->opts.strategy = ABR_AUTO;
        lua_pop(L, 1);
    }
    const int key = lua_gettop(L) + 1;
    lua_pushnil(L);
    while (lua_next(L, ARG_OPTS)) {
        read_option(L, c, key, key + 1);
        lua_settop(L, key);
    }
    if (!has_budget(&c->opts.max))
        luaL_error(L, "%s: no budget given: set max_lines, max_bytes, max_chars or max_tokens", c->who);
    const abr_opts *o = &c->opts;
    if (o->indicators && o->strategy != ABR_PIPELINE)
        luaL_error(L, "%s: indicators are for \"pipeline\", not for \"%s\"", c->who,
                   strategy_names[o->strategy]);
    if (o->strategy == ABR_PIPELINE && (o->max.bytes != ABR_UNLIMITED || o->max.tokens != ABR_UNLIMITED))
        luaL_error(L, "%s: \"pipeline\" knows max_chars and max_lines, no other budget", c->who);
    const bool by_hits = o->strategy == ABR_PRIORITY || o->strategy == ABR_AUTO;
    if (c->has_marker && o->strategy != ABR_HEAD_TAIL && !by_hits)
        luaL_error(
            L, "%s: marker and marker_text are for \"auto\", \"head_tail\" and \"priority\", not for \"%s\"",
            c->who, strategy_names[o->strategy]);
    if ((o->hit_count > 0 || o->quiet_groups != 0) && !by_hits)
        luaL_error(L, "%s: hits are for \"auto\" and \"priority\", not for \"%s\"", c->who,
                   strategy_names[o->strategy]);
    if (o->kind != ABR_KIND_TOLD && o->strategy != ABR_AUTO)
        luaL_error(L, "%s: kind is for \"auto\", not for \"%s\"", c->who, strategy_names[o->strategy]);
    if (o->strategy == ABR_AUTO && !c->has_ratio)
        c->opts.head_ratio = TEXT_HEAD_RATIO;
}

/* ---- options that the caller takes out, and options of one cut of a stream or page ---- */

void abr_copy_options(lua_State *L)
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

bool abr_take_option(lua_State *L, const char *key)
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

/* Options of one cut of a stream: budgets, reserve, long_line, and two that are not for callers. */
static void read_narrow(lua_State *L, const char *who, abr_narrow *narrow)
{
    if (lua_type(L, 2) != LUA_TTABLE)
        abr_wrong(L, who, "opts", "a table", 2);
    lua_pushnil(L);
    while (lua_next(L, 2)) {
        int value = lua_gettop(L);
        const option_name key = name_at(L, value - 1);
        if (IS(key, "reserve")) {
            narrow->reserve = abr_check_text(L, who, key.p, value, &narrow->reserve_len);
            abr_keep_alive(L, value, SLOT_RESERVE);
        } else if (IS(key, "long_line")) {
            narrow->long_line = check_long_line(L, who, key, value);
        } else if (IS(key, "keep_output")) {
            narrow->keep_output = abr_check_boolean(L, who, key.p, value);
        } else if (IS(key, "keep_bytes")) {
            narrow->keep_bytes = abr_check_boolean(L, who, key.p, value);
        } else if (!read_budget(L, who, key, value, &narrow->max)) {
            abr_unknown_option(L, who, value - 1, value);
        }
        lua_pop(L, 1);
    }
}

void abr_prepare_cut(lua_State *L, const char *who, int counter, abr_narrow *narrow)
{
    lua_settop(L, 2);
    lua_rawgeti(L, LUA_REGISTRYINDEX, counter); /* SLOT_COUNTER */
    lua_settop(L, SLOT_REDACT);
    if (!lua_isnil(L, 2))
        read_narrow(L, who, narrow);
    if (!lua_isnil(L, SLOT_COUNTER))
        lua_pushcfunction(L, abr_call_counter);
}
