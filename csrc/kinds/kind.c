/*
 * What a text is: each kind is asked in turn, the one that is hardest to be mistaken for first.
 */
#include "kinds/kind.h"
#include "abridge.h"
#include "kinds/aligned.h"
#include "kinds/binary.h"
#include "kinds/delimited.h"
#include "kinds/diff.h"
#include "kinds/json_lines.h"
#include "kinds/log.h"

abr_telling abr_tell_kind(const char *p, size_t n, bool whole)
{
    abr_telling told = {.kind = ABR_KIND_LOG};
    if (n > ABR_KIND_BYTES) {
        n = ABR_KIND_BYTES;
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

const char *abr_kind_name(abr_text_kind kind)
{
    static const char *const names[] = {
        [ABR_KIND_LOG] = "log",       [ABR_KIND_TEXT] = "text",
        [ABR_KIND_JSON] = "json",     [ABR_KIND_JSON_LINES] = "json_lines",
        [ABR_KIND_TABLE] = "table",   [ABR_KIND_DIFF] = "diff",
        [ABR_KIND_BINARY] = "binary",
    };
    return names[kind];
}
