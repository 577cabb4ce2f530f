/* How the lines of a text were judged: the rule that made one a hit, and why a word of trouble didn't
 * count. */
#include <string.h>

#include "lua/judge.h"
#include "abridge.h"
#include "line/judge.h"
#include "lua/check.h"
#include "lua/compat.h"
#include "lua/options.h"
#include "lua/slots.h"

enum {
    ARG_FIRST = 3,
    ARG_LAST = 4,
    ARG_MOST = 5,
    ARG_WELL = 6,
    ARG_FROM = 7,
    ARG_PASSED = SLOT_CALLER,
    DENIALS = ABR_DENIED_PATTERN + 1
};

/* Findings in a range of lines. */
typedef struct {
    uint64_t lines;
    uint64_t hits;
    uint64_t alike; /* lines of the shape of the line before */
    uint64_t denied[DENIALS];
    uint64_t told_hits; /* lines in the list that are hits, and others */
    uint64_t told_others;
    uint32_t shape;
    bool went_well; /* the last one is in a section of what went well */
    uint64_t from;  /* number of the first one */
    int passed;     /* numbers read of the list at ARG_PASSED */
    lua_Number first_passed;
    lua_Number last_passed;
} tally;

/* Was line `number` printed by a passing test? Asked of each line in turn. */
static bool is_of_passed(lua_State *L, tally *t, lua_Number number)
{
    while (lua_type(L, ARG_PASSED) == LUA_TTABLE && number > t->last_passed) {
        lua_rawgeti(L, ARG_PASSED, ++t->passed);
        lua_rawgeti(L, ARG_PASSED, ++t->passed);
        const bool is_one = lua_type(L, -1) == LUA_TNUMBER;
        t->first_passed = lua_tonumber(L, -2);
        t->last_passed = lua_tonumber(L, -1);
        lua_pop(L, 2);
        if (!is_one)
            return false;
    }
    return number >= t->first_passed && number <= t->last_passed;
}

static void put_field_text(lua_State *L, const char *name, const char *text)
{
    if (!text)
        return;
    lua_pushstring(L, text);
    lua_setfield(L, -2, name);
}

/* Set a field to the rule that a word matched: { table =, row =, first_byte =, last_byte = }. */
static void set_rule(lua_State *L, const char *name, const abr_traced *what, const char *p)
{
    char row[ABR_ROW_MOST];
    if (!what)
        return;
    lua_createtable(L, 0, 5);
    put_field_text(L, "table", abr_rule_table_name(what->table));
    lua_pushlstring(L, row, abr_trace_row(what, p, row));
    lua_setfield(L, -2, "row");
    abr_set_count(L, "first_byte", what->at + 1);
    abr_set_count(L, "last_byte", what->at + what->n);
    if (what->denial)
        put_field_text(L, "denied", abr_denial_name(what->denial));
    lua_setfield(L, -2, name);
}

/* The reason why its words count for less. */
static const char *less_of(const abr_trace *t)
{
    if (t->remarks)
        return "remark";
    if (t->stepped)
        return "step";
    if (t->low_level)
        return "low_level";
    return t->echoed ? "echo" : NULL;
}

static void push_judged(lua_State *L, const abr_judged *judged, const char *p, uint64_t line, bool passed)
{
    static const char *const kinds[] = {NULL, "blank", "pass", "step", "excerpt", "frame", "trace"};
    static const char *const commands[] = {
        [ABR_COMMAND_NONE] = NULL, [ABR_COMMAND_STARTS] = "starts", [ABR_COMMAND_FAILED] = "failed"};
    const abr_reading *r = &judged->reading;
    lua_createtable(L, 0, 8);
    abr_set_count(L, "line", line);
    abr_set_boolean(L, "hit", r->hit);
    lua_pushnumber(L, (lua_Number)r->line_score);
    lua_setfield(L, -2, "score");
    put_field_text(L, "form", kinds[r->kind]);
    put_field_text(L, "command", commands[r->command]);
    put_field_text(L, "less", passed ? "passed" : less_of(&judged->trace));
    if (r->line_score > 0)
        set_rule(L, "rule", abr_trace_best(&judged->trace), p);
    if (!r->hit)
        set_rule(L, "denied", abr_trace_denied(&judged->trace), p);
}

/* Count a line, and add its judgement to the list on top of the stack if it says anything. */
static void tell_line(lua_State *L, abr_judge *j, const char *p, size_t n, uint64_t most, tally *t)
{
    abr_judged judged;
    abr_judge_line(j, p, n, &judged);
    t->went_well = abr_follow_section(t->went_well, &judged.reading);
    const bool passed = is_of_passed(L, t, (lua_Number)(t->from + t->lines));
    if (passed)
        abr_excuse_reading(&judged.reading);
    const abr_reading *r = &judged.reading;
    const abr_traced *denied = r->hit ? NULL : abr_trace_denied(&judged.trace);
    const bool alike = t->lines > 0 && r->shape == t->shape;
    t->alike += alike;
    t->shape = r->shape;
    t->lines++;
    t->hits += r->hit;
    if (denied)
        t->denied[denied->denial]++;
    uint64_t *told = r->hit ? &t->told_hits : &t->told_others;
    const bool says = r->hit || (!alike && (denied || abr_trace_best(&judged.trace)));
    if (*told == most || (!says && most != ABR_COUNT_MAX))
        return;
    ++*told;
    push_judged(L, &judged, p, t->lines, (passed || t->went_well) && !r->hit);
    lua_rawseti(L, -2, (int)(t->told_hits + t->told_others));
}

/* Push { lines =, hits =, alike =, denied = { nothing =, ... }, told = the list on top of the stack }. */
static void push_tally(lua_State *L, const tally *t)
{
    lua_createtable(L, 0, 5);
    lua_insert(L, -2);
    lua_setfield(L, -2, "told");
    abr_set_count(L, "lines", t->lines);
    abr_set_count(L, "hits", t->hits);
    abr_set_count(L, "alike", t->alike);
    lua_newtable(L);
    for (int i = ABR_DENIED_NOT + 1; i < DENIALS; i++)
        if (t->denied[i] > 0)
            abr_set_count(L, abr_denial_name((abr_denial)i), t->denied[i]);
    lua_setfield(L, -2, "denied");
    abr_set_boolean(L, "went_well", t->went_well);
}

/* judge(text, opts, first, last, most, went_well, from, passed) -> the judgement of the lines in these bytes
 * of the text, read alone: at most `most` hits, and as many others that say something or have a word of
 * trouble, the first of several similar ones; without `most`, of every line. Of the options, only `hits`
 * counts. `went_well`: that of the judgement of the lines before; `from`: the number of the first line;
 * `passed`: the first and last line of each stretch of output of passing tests. */
static int l_judge(lua_State *L)
{
    abr_cut_options c = {.who = "abridge.core.judge", .opts = ABR_OPTS_INIT, .named_strategy = true};
    tally t = {.lines = 0};
    size_t n;
    const char *text = abr_check_text(L, c.who, "text", ARG_TEXT, &n);
    const uint64_t first = abr_check_count(L, c.who, "first", ARG_FIRST);
    const uint64_t last = abr_check_count(L, c.who, "last", ARG_LAST);
    const uint64_t most =
        lua_isnoneornil(L, ARG_MOST) ? ABR_COUNT_MAX : abr_check_count(L, c.who, "most", ARG_MOST);
    if (first < 1 || last > n)
        return luaL_error(L, "%s: no such bytes", c.who);
    t.went_well = lua_toboolean(L, ARG_WELL);
    t.from = lua_isnoneornil(L, ARG_FROM) ? 1 : abr_check_count(L, c.who, "from", ARG_FROM);
    lua_settop(L, ARG_PASSED);
    for (int slot = SLOT_COUNTER; slot <= SLOT_REDACT; slot++) {
        lua_pushnil(L);
        lua_replace(L, slot);
    }
    abr_read_options(L, &c);
    abr_judge *j = lua_newuserdata(L, sizeof *j);
    abr_judge_begin(j, &c.opts);
    lua_newtable(L);
    for (size_t at = (size_t)first - 1; at < last;) {
        const char *newline = memchr(text + at, '\n', (size_t)last - at);
        const size_t size = newline ? (size_t)(newline - text) - at : (size_t)last - at;
        tell_line(L, j, text + at, size, most, &t);
        at += size + 1;
    }
    push_tally(L, &t);
    return 1;
}

const luaL_Reg abr_judge_functions[] = {{"judge", l_judge}, {NULL, NULL}};
