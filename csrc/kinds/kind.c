/*
 * The kind of a text, by the register of kinds, its parts, and why it is of its kind. Logs and texts are told
 * apart by their lines, so the reason names lines that speak for each.
 */
#include "kinds/kind.h"
#include "kinds/binary.h"
#include "kinds/diff/diff.h"
#include "kinds/diff/diff_cut.h"
#include "kinds/json/json_lines.h"
#include "kinds/json/json_reader.h"
#include "kinds/mixed/mixed.h"
#include "kinds/mixed/output_parts.h"
#include "kinds/records/aligned.h"
#include "kinds/records/delimited.h"
#include "kinds/records/drawn.h"
#include "kinds/records/record_list.h"
#include "kinds/text/log.h"
#include "kinds/text/stretches.h"
#include "line/form.h"
#include "line/lines.h"
#include "line/rule.h"
#include "text/scan.h"

_Static_assert(ABR_TOLD_BY % ABR_TEXT_BLOCK == 0, "the start that tells a text is whole blocks");
_Static_assert((size_t)ABR_TOLD_BY <= ABR_JSON_JUDGED, "as much of JSON is judged as of any kind");

typedef struct {
    const char *name;
    const abr_reader_methods *methods;
    bool any; /* a caller may declare any text to be of this kind */
    bool shows_end;
} register_row;

static const register_row rows[] = {
#define KIND(kind, name, reader, told, any, end, is, cut, items, before, after)                              \
    [ABR_KIND_##kind] = {name, reader, any, end},
#include "kinds/kinds.def"
#undef KIND
};

_Static_assert(sizeof rows / sizeof *rows == ABR_KINDS, "the header lists the kinds of the register");

/* In the order of the register. */
static const abr_kind asked[] = {
#define KIND(kind, name, reader, told, any, end, is, cut, items, before, after) ABR_KIND_##kind,
#include "kinds/kinds.def"
#undef KIND
};

/* Is the text of this kind? Then fill in the facts for its reader. */
static bool is_kind(abr_kind kind, const char *p, size_t n, bool whole, abr_telling *told)
{
    switch (kind) {
#define KIND(kind, name, reader, told, any, end, is, cut, items, before, after)                              \
    case ABR_KIND_##kind:                                                                                    \
        return told;
#include "kinds/kinds.def"
#undef KIND
    default:
        return false;
    }
}

static abr_telling told_as(abr_kind kind, bool *is, const char *p, size_t n, bool whole)
{
    abr_telling told = {.kind = kind};
    if (n > ABR_TOLD_BY) {
        n = ABR_TOLD_BY;
        whole = false;
    }
    *is = is_kind(kind, p, n, whole, &told);
    return told;
}

abr_telling abr_tell_kind(const char *p, size_t n, bool whole)
{
    abr_late_log amid = {.from = 0}; /* a failure in a text that looks written */
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        bool is;
        abr_telling told = told_as(asked[i], &is, p, n, whole);
        if (is && told.kind == ABR_KIND_TEXT && whole && n > ABR_TOLD_BY &&
            abr_find_late_log(p, n, ABR_TOLD_BY, &told.late))
            told.kind = ABR_KIND_LOG;
        if (is && asked[i] == ABR_KIND_LOG)
            told.late = amid;
        if (is)
            return told;
        amid = told.late;
    }
    return (abr_telling){.kind = ABR_KIND_LOG};
}

/* A caller may declare a text binary, but its media type is looked for anyway. */
abr_telling abr_tell_as(abr_kind kind, const char *p, size_t n, bool whole)
{
    if (kind == ABR_KIND_TOLD)
        return abr_tell_kind(p, n, whole);
    if (rows[kind].any && kind != ABR_KIND_BINARY)
        return (abr_telling){.kind = kind};
    bool is;
    abr_telling told = told_as(kind, &is, p, n, whole);
    if (!is && !rows[kind].any)
        told.kind = ABR_KIND_TEXT;
    return told;
}

abr_kind abr_tell(const char *p, size_t n)
{
    return abr_tell_kind(p ? p : "", n, true).kind;
}

const abr_reader_methods *abr_methods_of(abr_kind kind)
{
    return rows[kind].methods;
}

bool abr_shows_end(abr_kind kind)
{
    return rows[kind].shows_end;
}

const char *abr_kind_name(abr_kind kind)
{
    return (size_t)kind < ABR_KINDS ? rows[kind].name : NULL;
}

const char *abr_item_name(abr_item_unit unit)
{
    static const char *const names[] = {"elements", "members", "chars", "records",
                                        "rows",     "files",   "hunks", "commits"};
    return (size_t)unit < sizeof names / sizeof *names ? names[unit] : NULL;
}

/* ---- why a text is of its kind ---- */

static const char *reason_of(const abr_telling *told)
{
    static const char *const by[ABR_KINDS] = {[ABR_KIND_JSON] = "document",
                                              [ABR_KIND_JSON_LINES] = "documents",
                                              [ABR_KIND_DIFF] = "hunks",
                                              [ABR_KIND_MIXED] = "parts"};
    if (told->kind == ABR_KIND_BINARY)
        return told->media_type ? "signature" : "bytes";
    if (told->kind == ABR_KIND_TABLE)
        return told->delimiter ? "delimiter" : "columns";
    return by[told->kind] ? by[told->kind] : "lines";
}

/* Count a line for a side, and keep it as an example if it is surer than one of those. */
static void speak_for(abr_side_lines *side, uint64_t line, float sure)
{
    side->count++;
    for (size_t i = 0; i < ABR_REASON_LINES; i++) {
        if (sure <= side->sure[i])
            continue;
        for (size_t k = ABR_REASON_LINES - 1; k > i; k--) {
            side->line[k] = side->line[k - 1];
            side->sure[k] = side->sure[k - 1];
        }
        side->line[i] = line;
        side->sure[i] = sure;
        return;
    }
}

static void weigh_sides(const char *p, size_t n, abr_kind_reason *out)
{
    abr_forms forms;
    abr_text_line line;
    abr_text_line before = {"", 0};
    uint64_t number = 0;
    abr_forms_open(&forms, ABR_ALL_FORMS, ABR_NO_RULE);
    for (size_t at = 0; abr_next_line(p, n, &at, &line);) {
        number++;
        if (abr_trimmed(line).n == 0)
            continue;
        const abr_form_told told = abr_line_says(&forms, line, &before);
        out->lines++;
        if (told.log > told.text)
            speak_for(&out->printed, number, told.log);
        else if (told.text > 0)
            speak_for(&out->written, number, told.text);
    }
}

void abr_reason_kind(const char *p, size_t n, abr_kind_reason *out)
{
    *out = (abr_kind_reason){.told = abr_tell_kind(p, n, true)};
    out->bytes = n < ABR_TOLD_BY ? n : ABR_TOLD_BY;
    out->by = reason_of(&out->told);
    if (out->told.kind == ABR_KIND_LOG && abr_is_written(p, out->bytes)) {
        abr_late_log log = out->told.late;
        if (log.sign == 0)
            abr_find_log(p, out->bytes, &log);
        out->by = log.printed ? "log" : "failure";
        out->log_line = abr_count_newlines(p, (size_t)log.sign) + 1;
    }
    if (out->told.kind == ABR_KIND_LOG || out->told.kind == ABR_KIND_TEXT)
        weigh_sides(p, out->bytes, out);
}

/* ---- parts ---- */

static void tell_one(abr_parts *out, abr_kind kind, uint64_t first, uint64_t last)
{
    if (out->count < ABR_PARTS_MOST)
        out->list[out->count++] = (abr_part){.kind = kind, .first_line = first, .last_line = last};
}

/* Add the parts of a log that comes after so many lines. */
static abr_code add_log(const char *p, size_t n, const abr_late_log *late, uint64_t lines,
                        const abr_alloc *alloc, abr_parts *out)
{
    abr_stretches *s;
    const size_t from = (size_t)late->from; /* the bytes before are written */
    const abr_retainer_opts own = {
        .alloc = alloc, .bytes_before = from, .lines_before = abr_count_newlines(p, from)};
    const abr_code code = abr_stretches_open(&own, abr_fails_amid(late), &s);
    if (code != ABR_OK)
        return code;
    const uint64_t last = lines + abr_count_lines(p, n);
    abr_stretches_write(s, p + from, n - from);
    const abr_log_parts *parts = abr_stretches_parts(s);
    for (size_t i = 0; parts && i < parts->count; i++)
        tell_one(out, parts->list[i].written ? ABR_KIND_TEXT : ABR_KIND_LOG, lines + parts->list[i].line + 1,
                 i + 1 < parts->count ? lines + parts->list[i + 1].line : last);
    if (!parts)
        tell_one(out, ABR_KIND_LOG, lines + 1, last);
    abr_stretches_close(s);
    return ABR_OK;
}

abr_code abr_tell_parts(const char *p, size_t n, const abr_alloc *alloc, abr_parts *out)
{
    abr_output_parts found = {.count = 0};
    uint64_t line = 0;
    abr_code code = ABR_OK;
    p = p ? p : "";
    const abr_telling told = abr_tell_kind(p, n, true);
    *out = (abr_parts){.kind = told.kind};
    if (out->kind == ABR_KIND_LOG)
        code = add_log(p, n, &told.late, 0, alloc, out);
    else if (out->kind == ABR_KIND_MIXED)
        abr_find_parts(p, n, &found);
    for (size_t i = 0; i < found.count && code == ABR_OK; i++) {
        const abr_output_part *part = &found.list[i];
        const char *start = p + part->from;
        const size_t size = part->end - part->from;
        if (part->kind == ABR_KIND_LOG)
            code = add_log(start, size, &(abr_late_log){.from = 0}, line, alloc, out);
        else
            tell_one(out, part->kind, line + 1, line + abr_count_lines(start, size));
        line += abr_count_newlines(start, size);
    }
    if (out->count == 1)
        out->count = 0;
    return code;
}
