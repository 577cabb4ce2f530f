/*
 * What a text is: each kind is asked in turn, the one that is hardest to be mistaken for first.
 */
#include "kinds/kind.h"
#include "abridge.h"
#include "kinds/records/aligned.h"
#include "kinds/binary.h"
#include "kinds/records/delimited.h"
#include "kinds/diff/diff.h"
#include "kinds/json/json_lines.h"
#include "kinds/text/log.h"
#include "kinds/magic.h"

_Static_assert((size_t)ABR_TOLD_BY <= ABR_JSON_JUDGED, "JSON is told by as much as any kind");

abr_telling abr_tell_kind(const char *p, size_t n, bool whole)
{
    abr_telling told = {.kind = ABR_KIND_LOG};
    if (n > ABR_TOLD_BY) {
        n = ABR_TOLD_BY;
        whole = false;
    }
    if (abr_is_binary(p, n, whole, &told.media_type))
        told.kind = ABR_KIND_BINARY;
    else if (abr_is_json(p, n, whole))
        told.kind = ABR_KIND_JSON;
    else if (abr_is_json_lines(p, n, whole))
        told.kind = ABR_KIND_JSON_LINES;
    else if (abr_is_diff(p, n))
        told.kind = ABR_KIND_DIFF;
    else if ((told.delimiter = abr_find_delimiter(p, n, whole)) != 0 ||
             abr_is_aligned(p, n, whole, &told.header_lines))
        told.kind = ABR_KIND_TABLE;
    else if (abr_is_written(p, n))
        told.kind = ABR_KIND_TEXT;
    return told;
}

abr_telling abr_tell_as(abr_kind kind, const char *p, size_t n, bool whole)
{
    abr_telling told = {.kind = kind};
    if (kind == ABR_KIND_TOLD)
        return abr_tell_kind(p, n, whole);
    if (n > ABR_TOLD_BY) {
        n = ABR_TOLD_BY;
        whole = false;
    }
    bool is = true;
    if (kind == ABR_KIND_BINARY)
        told.media_type = abr_magic(p, n);
    else if (kind == ABR_KIND_JSON)
        is = abr_is_json(p, n, whole);
    else if (kind == ABR_KIND_DIFF)
        is = abr_is_diff(p, n);
    else if (kind == ABR_KIND_TABLE)
        is = (told.delimiter = abr_find_delimiter(p, n, whole)) != 0 ||
             abr_is_aligned(p, n, whole, &told.header_lines);
    if (!is)
        told.kind = ABR_KIND_TEXT;
    return told;
}

abr_kind abr_tell(const char *p, size_t n)
{
    return abr_tell_kind(p ? p : "", n, true).kind;
}

const char *abr_kind_name(abr_kind kind)
{
    static const char *const names[] = {
        NULL, "log", "text", "json", "json_lines", "table", "diff", "binary",
    };
    return (size_t)kind < sizeof names / sizeof *names ? names[kind] : NULL;
}

const char *abr_item_name(abr_item_unit unit)
{
    static const char *const names[] = {
        "elements", "members", "chars", "records", "rows", "files", "hunks",
    };
    return (size_t)unit < sizeof names / sizeof *names ? names[unit] : NULL;
}
