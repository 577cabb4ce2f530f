/*
 * How the words of a line were judged. The rules in signs.c and line_score.c note it themselves as they read
 * a line with a trace; most lines are read without one.
 */
#include <string.h>

#include "line/trace.h"
#include "abridge.h"
#include "base/ascii.h"

void abr_trace_add(abr_trace *trace, const abr_traced *what)
{
    for (unsigned i = 0; i < trace->count; i++) {
        abr_traced *known = &trace->list[i];
        if (known->at != what->at || known->n != what->n)
            continue;
        if (!known->denial && (what->score > known->score || known->score <= 0))
            *known = *what;
        return;
    }
    if (trace->count < ABR_TRACED)
        trace->list[trace->count++] = *what;
}

const abr_traced *abr_trace_best(const abr_trace *trace)
{
    const abr_traced *best = NULL;
    for (unsigned i = 0; i < trace->count; i++)
        if (trace->list[i].score > (best ? best->score : 0))
            best = &trace->list[i];
    return best;
}

const abr_traced *abr_trace_denied(const abr_trace *trace)
{
    for (unsigned i = 0; i < trace->count; i++)
        if (trace->list[i].denial)
            return &trace->list[i];
    return NULL;
}

/* The ending of endings.def in the name of an error type, or the name itself. */
static const char *ending_of(const char *p, size_t n, size_t *size)
{
    static const char *const endings[] = {
#define ENDING(class, text, program, proof) text,
#include "line/endings.def"
#undef ENDING
    };
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        *size = strlen(endings[i]);
        if (*size < n && memcmp(p + n - *size, endings[i], *size) == 0)
            return endings[i];
    }
    *size = n;
    return p;
}

size_t abr_trace_row(const abr_traced *what, const char *p, char dst[ABR_ROW_MOST])
{
    const char *text = what->form ? what->form : p + what->at;
    size_t n = what->form ? strlen(what->form) : what->n;
    size_t used = 0;
    const bool ending = what->table == ABR_TABLE_ENDINGS;
    if (ending) {
        text = ending_of(text, n, &n);
        dst[used++] = '-';
    }
    n = n < ABR_ROW_MOST - used ? n : ABR_ROW_MOST - used;
    for (size_t i = 0; i < n; i++)
        dst[used + i] = (char)(ending || what->form ? text[i] : abr_to_lower(text[i]));
    return used + n;
}

const char *abr_rule_table_name(abr_rule_table table)
{
    static const char *const names[] = {"words", "endings", "phrases", "stems", "forms", "hits"};
    return names[table];
}

const char *abr_denial_name(abr_denial denial)
{
    static const char *const names[] = {"not",   "nothing", "setting", "name",     "negated", "zero",
                                        "dealt", "written", "spoken",  "argument", "pattern"};
    return names[denial];
}
