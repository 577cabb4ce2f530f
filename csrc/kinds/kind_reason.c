/*
 * Why a text is of its kind. kind.c tells the kind; logs and texts are told apart by their lines, and this
 * finds the lines that speak for each.
 */
#include "kinds/kind_reason.h"
#include "abridge.h"
#include "kinds/kind.h"
#include "kinds/text/late_log.h"
#include "kinds/text/log.h"
#include "line/form.h"
#include "line/lines.h"
#include "line/rule.h"
#include "text/scan.h"

static const char *reason_of(const abr_telling *told)
{
    switch (told->kind) {
    case ABR_KIND_BINARY:
        return told->media_type ? "signature" : "bytes";
    case ABR_KIND_JSON:
        return "document";
    case ABR_KIND_JSON_LINES:
        return "documents";
    case ABR_KIND_DIFF:
        return "hunks";
    case ABR_KIND_MIXED:
        return "parts";
    case ABR_KIND_TABLE:
        return told->delimiter ? "delimiter" : "columns";
    default:
        return "lines";
    }
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
    uint64_t number = 0;
    abr_forms_open(&forms, ABR_ALL_FORMS, ABR_NO_RULE);
    for (size_t at = 0; abr_next_line(p, n, &at, &line);) {
        number++;
        if (abr_trimmed(line).n == 0)
            continue;
        const abr_form_told told = abr_read_whole_form(&forms, line);
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
