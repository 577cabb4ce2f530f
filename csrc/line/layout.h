/* How a line is laid out: a logger's prefix, its indent, and its look. */
#ifndef ABR_LINE_LAYOUT_H
#define ABR_LINE_LAYOUT_H

#include "abridge.h"
#include "base/private.h"
#include "line/lines.h"

ABR_PRIVATE_BEGIN

/* The level in a line's prefix. */
typedef enum {
    ABR_LEVEL_NONE = 0,
    ABR_LEVEL_NOTE, /* a compiler's "note:"; loggers have none */
    ABR_LEVEL_LOW,  /* info, debug */
    ABR_LEVEL_WARNING,
    ABR_LEVEL_ERROR
} abr_level;

typedef enum {
    ABR_LOOK_TEXT = 0,
    ABR_LOOK_BLANK, /* nothing after the prefix */
    ABR_LOOK_RULE,  /* ------, ====== */
    ABR_LOOK_HEAD   /* the head of a failure: 1) name, --- FAIL: name, ____ name ____ */
} abr_look;

typedef struct {
    size_t text;   /* start of the tool's own text */
    size_t indent; /* blanks before it, after the prefix */
    uint8_t level;
    uint8_t look;
} abr_layout;

/* The beginning of a line before its own text: times, and the name or number that another program adds to
 * each line it passes on. */
typedef struct {
    size_t n; /* bytes */
    bool stamped;
} abr_lead;

abr_lead abr_lead_of(const char *p, size_t n);

/* The line without it. */
static inline abr_text_line abr_own_text(abr_text_line line)
{
    const size_t lead = abr_lead_of(line.p, line.n).n;
    return (abr_text_line){line.p + lead, line.n - lead};
}

/* Bytes of the place that a linter's row starts with, `12:5` in the file named above, and of the blanks after
 * it; 0 if there is none. */
size_t abr_row_place(const char *p, size_t n);

/* Is the line (p, n) a linter's row, about the file named above it? */
bool abr_is_row(const abr_layout *layout, const char *p, size_t n);

/* The level whose name (p, n) starts with; *size: bytes of the name. */
abr_level abr_level_at(const char *p, size_t n, size_t *size);

/* The same without a row of levels.def. */
abr_level abr_level_without(const char *p, size_t n, unsigned rule, size_t *size);

/* Does (p, n) start with an error or a warning, as linters print one right after a place, `error:` or
 * `error - `? Without a row of levels.def, as above. */
bool abr_states_level(const char *p, size_t n, unsigned rule);

/* `e` or `w` if it is an error or a warning of kotlinc, "e: file:///src/Main.kt:3:1 ..."; else '\0'. */
char abr_kotlin_level(const char *p, size_t n);

void abr_read_layout(const char *p, size_t n, abr_layout *out);

ABR_PRIVATE_END

#endif
