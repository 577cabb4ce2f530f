/* The kind of a text, and its parts. */
#include "abridge.h"
#include "kinds/kind.h"
#include "kinds/mixed/output_parts.h"
#include "kinds/text/stretches.h"
#include "text/scan.h"

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
    const abr_stretches_opts own = {.written = abr_fails_amid(late),
                                    .alloc = alloc,
                                    .bytes_before = from,
                                    .lines_before = abr_count_newlines(p, from)};
    const abr_code code = abr_stretches_open(&own, &s);
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
