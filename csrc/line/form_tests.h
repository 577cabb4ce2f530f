/* The tests that the rows of forms.def run on a line. */
#ifndef ABR_LINE_FORM_TESTS_H
#define ABR_LINE_FORM_TESTS_H

#include <limits.h>

#include "abridge.h"
#include "base/ascii.h"
#include "base/private.h"
#include "base/word.h"
#include "line/bits.h"
#include "line/char_set.h"
#include "line/lines.h"

ABR_PRIVATE_BEGIN

struct abr_forms;

/* A line whose form is being told. */
typedef struct {
    abr_text_line line; /* at most ABR_FORM_WITHIN bytes */
    abr_text_line bare; /* the same without blanks around it; not empty */
    abr_char_set chars; /* of `bare`, plus bits for any digit and any capital, */
    bool has_chars;     /* set once a form has needed them; from the start if all forms are asked for */
    struct abr_form_words *words;
    const struct abr_forms *forms;
} abr_form_line;

/* The words of a line, counted when a form first asks. */
struct abr_form_words {
    size_t first; /* bytes of the first word */
    size_t count; /* of words between spaces */
    size_t plain; /* the words of prose among them */
};

/* For forms told by their chars alone. */
static inline bool abr_form_always(const abr_form_line *l)
{
    (void)l;
    return true;
}

/* For forms told by marks.def alone. */
static inline bool abr_form_never(const abr_form_line *l)
{
    (void)l;
    return false;
}

#define FORM(name, log, text, first, last, holds, test, program, proof) bool test(const abr_form_line *l);
#include "line/forms.def"
#undef FORM

/* The first byte from `at` on that is in from..to (outside it if `is_in` is false), or the line's end. */
static inline size_t abr_next(abr_text_line line, size_t at, char from, char to, bool is_in)
{
    const uint64_t other = is_in ? 0 : UINT64_C(0x8080808080808080);
    for (; line.n - at >= sizeof other; at += sizeof other) {
        const uint64_t found = abr_bytes_in(abr_load_word(line.p + at), from, to) ^ other;
        if (found != 0)
            return at + lowest(found) / CHAR_BIT;
    }
    while (at < line.n && (line.p[at] >= from && line.p[at] <= to) != is_in)
        at++;
    return at;
}

static inline size_t abr_next_digit(abr_text_line line, size_t at)
{
    return at < line.n ? abr_next(line, at, '0', '9', true) : line.n;
}

/* The first blank or tab from `at` on, or the line's end. */
static inline size_t abr_next_blank(abr_text_line line, size_t at)
{
    do
        at = abr_next(line, at, '\t', ' ', true);
    while (at < line.n && line.p[at] != ' ' && line.p[at] != '\t' && ++at);
    return at;
}

/* Does a comment start or go on at `at`, as in a match of grep: `cart.js:12: * Sets the total`? */
static inline bool abr_starts_comment(abr_text_line line, size_t at)
{
    return at + 1 < line.n && (line.p[at] == '#' || (line.p[at] == '*' && ABR_HAS(" /", line.p[at + 1])) ||
                               (line.p[at] == '/' && ABR_HAS("/*", line.p[at + 1])));
}

/* The first word of the line, up to a blank. */
static inline abr_text_line abr_first_word(const abr_form_line *l)
{
    if (l->words->first == 0)
        l->words->first = abr_next_blank(l->bare, 0);
    return (abr_text_line){l->bare.p, l->words->first};
}

/* Bytes of digits from `at` on. */
static inline size_t abr_digits_at(abr_text_line line, size_t at)
{
    return abr_past(line, at, ABR_DIGITS) - at;
}

static inline abr_text_line abr_line_from(abr_text_line line, size_t at)
{
    return (abr_text_line){line.p + at, line.n - at};
}

ABR_PRIVATE_END

#endif
