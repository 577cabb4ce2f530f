/*
 * The kind of a text, by the register of kinds.
 */
#include "kinds/kind.h"
#include "abridge.h"
#include "kinds/binary.h"
#include "kinds/diff/diff.h"
#include "kinds/diff/diff_cut.h"
#include "kinds/json/json_lines.h"
#include "kinds/json/json_reader.h"
#include "kinds/mixed/mixed.h"
#include "kinds/records/aligned.h"
#include "kinds/records/delimited.h"
#include "kinds/records/drawn.h"
#include "kinds/records/records.h"
#include "kinds/text/late_log.h"
#include "kinds/text/log.h"

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
    static const char *const names[] = {
        "elements", "members", "chars", "records", "rows", "files", "hunks", "commits",
    };
    return (size_t)unit < sizeof names / sizeof *names ? names[unit] : NULL;
}
