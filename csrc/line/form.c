/*
 * The form of a line, from the rows of forms.def and marks.def.
 *
 * Rows are ruled out by the first char, the last one and the chars they need. The tests of the rest run in
 * the order of the table, the surest first, but only while a row can add to the rows before it.
 */
#include <limits.h>

#include "line/form.h"
#include "abridge.h"
#include "base/ascii.h"
#include "base/private.h"
#include "base/word.h"
#include "line/bits.h"
#include "line/form_tests.h"
#include "line/layout.h"
#include "line/rule.h"

enum { BEYOND = ABR_FIRSTS - 1 };

/* ---- tables ---- */

typedef struct {
    float log;
    float text;
    const char *first;
    const char *last;
    const char *holds;
    bool (*test)(const abr_form_line *l);
} form_row;

static const form_row form_rows[ABR_FORMS] = {
    [ABR_FORM_NONE] = {0, 0, "", "", "", abr_form_never},
#define FORM(name, log, text, first, last, holds, test, program, proof)                                      \
    [ABR_FORM_##name] = {log, text, first, last, holds, test},
#include "line/forms.def"
#undef FORM
};

/* The place of a mark; the last ones are those of results, unless lines of their form are asked for. */
typedef enum {
    MARK_START,
    MARK_EDGE,
    MARK_END,
    MARK_WITHIN,
    MARK_WORD,
    MARK_TYPE,
    MARK_LABEL,
    MARK_RESULT_START,
    MARK_RESULT_END,
    MARK_RESULT_WITHIN,
    MARK_PLACES
} mark_place;

_Static_assert((int)MARK_PLACES == (int)ABR_MARK_PLACES, "every place has its marks");

typedef struct {
    const char *text;
    uint8_t n;
    uint8_t place;
    uint8_t form;
} form_mark;

static const form_mark mark_rows[] = {
#define MARK(place, form, text, program, proof) {text, sizeof(text) - 1, MARK_##place, ABR_FORM_##form},
#include "line/marks.def"
#undef MARK
};

enum { MARK_ROWS = sizeof mark_rows / sizeof *mark_rows };
_Static_assert((int)MARK_ROWS < (int)ABR_MARKS_MOST, "every mark has a place");
_Static_assert(ABR_FORMS <= 64, "a bit for each form");

static unsigned char_index(char c)
{
    return (unsigned char)c < BEYOND ? (unsigned char)c : BEYOND;
}

/* The chars of a row's text, as forms.def spells them. */
static abr_char_set spelled_set(const char *text)
{
    abr_char_set set = {0, 0};
    for (; *text; text++)
        set = abr_joined(set, *text == '\1'   ? ABR_DIGITS
                              : *text == '\2' ? ABR_CAPITALS
                              : *text == '\3' ? ABR_SMALL_LETTERS
                                              : abr_set_of_char(*text));
    return set;
}

/* The same, with one bit for all digits and one for all capitals: any of them will do. */
static abr_char_set needs_of(const char *text)
{
    abr_char_set set = {0, 0};
    for (; *text; text++)
        set = abr_joined(set, abr_set_of_char(*text));
    return set;
}

/* Add the form to the sets of these chars. */
static void add_to_each(abr_form_set by_char[ABR_FIRSTS], abr_char_set set, abr_form_set form)
{
    for (uint64_t low = set.low; low != 0; low &= low - 1)
        by_char[lowest(low)] |= form;
    for (uint64_t high = set.high; high != 0; high &= high - 1)
        by_char[64 + lowest(high)] |= form;
}

static unsigned steps_of(float sureness)
{
    return (unsigned)(sureness * ABR_SURE + 0.5F);
}

/* Note how sure a form is. */
static void add_sureness(abr_forms *x, unsigned form)
{
    for (unsigned i = 0; i < steps_of(form_rows[form].log); i++)
        x->surer_log[i] |= ABR_FORM_BIT(form);
    for (unsigned i = 0; i < steps_of(form_rows[form].text); i++)
        x->surer_text[i] |= ABR_FORM_BIT(form);
}

static void open_rows(abr_forms *x, abr_form_set asked)
{
    abr_form_set any_first = 0;
    abr_form_set any_last = 0;
    for (unsigned i = 1; i < ABR_FORMS; i++) {
        const form_row *row = &form_rows[i];
        add_sureness(x, i);
        if (!(asked >> i & 1) || x->without == ABR_RULE_FORM + i - 1 || row->test == abr_form_never)
            continue;
        add_to_each(x->by_first, spelled_set(row->first), ABR_FORM_BIT(i));
        add_to_each(x->by_last, spelled_set(row->last), ABR_FORM_BIT(i));
        any_first |= *row->first ? 0 : ABR_FORM_BIT(i);
        any_last |= *row->last ? 0 : ABR_FORM_BIT(i);
        x->holds[i] = needs_of(row->holds);
        x->needed = abr_joined(x->needed, x->holds[i]);
        add_to_each(x->needing, x->holds[i], ABR_FORM_BIT(i));
    }
    for (unsigned c = 0; c < ABR_FIRSTS; c++) {
        x->by_first[c] |= any_first;
        x->by_last[c] |= any_last;
    }
}

static unsigned result_place(unsigned place)
{
    return place == MARK_END      ? MARK_RESULT_END
           : place == MARK_WITHIN ? MARK_RESULT_WITHIN
                                  : MARK_RESULT_START;
}

ABR_WRAPS static void open_marks(abr_forms *x, abr_form_set asked)
{
    for (unsigned i = MARK_ROWS; i-- > 0;) {
        const form_mark *m = &mark_rows[i];
        const bool is_asked = m->place >= MARK_WORD || asked >> m->form & 1; /* words serve tests */
        if ((!is_asked && m->form != ABR_FORM_TEST) || x->without == ABR_RULE_MARK + i ||
            x->without == ABR_RULE_FORM + (unsigned)m->form - 1)
            continue;
        const unsigned place = is_asked ? m->place : result_place(m->place);
        if (place == MARK_WITHIN) {
            if (x->within_count < ABR_WITHIN_MOST)
                x->within[x->within_count++] = (abr_mark_within){needs_of(m->text), (uint16_t)i};
            continue;
        }
        const char c = (char)(m->place == MARK_WITHIN ? '\0' : m->text[m->place == MARK_END ? m->n - 1 : 0]);
        uint16_t *head = &x->marks[place][char_index(c)];
        x->next[i + 1] = *head;
        *head = (uint16_t)(i + 1);
    }
}

void abr_forms_open(abr_forms *x, abr_form_set asked, unsigned without)
{
    memset(x, 0, sizeof *x);
    x->without = without;
    open_rows(x, asked);
    open_marks(x, asked);
}

/* ---- marks ---- */

/* Does the line have the mark at its place? */
static inline bool has_mark(const abr_form_line *l, const form_mark *m)
{
    const abr_text_line line = m->place == MARK_EDGE ? l->line : l->bare;
    if (line.n < m->n)
        return false;
    const char *p = m->place == MARK_END ? line.p + line.n - m->n : line.p;
    return p[m->n / 2] == m->text[m->n / 2] && memcmp(p, m->text, m->n) == 0;
}

static void add_form(abr_form_told *told, unsigned form)
{
    const form_row *row = &form_rows[form];
    const float most = told->log > told->text ? told->log : told->text;
    if (row->log > most || row->text > most)
        told->form = (uint8_t)form;
    told->log = row->log > told->log ? row->log : told->log;
    told->text = row->text > told->text ? row->text : told->text;
}

/* The forms that can add to the findings so far. If the line is surely of a log, only a form that is as sure
 * of a text counts; after that, none does. */
static abr_form_set say_more(const abr_forms *x, const abr_form_told *told)
{
    const abr_form_set log = x->surer_log[steps_of(told->log)];
    const abr_form_set text = x->surer_text[steps_of(told->text)];
    if (x->thorough || told->log < 1)
        return x->thorough || told->text < 1 ? log | text : 0;
    return told->text < 1 ? x->surer_text[ABR_SURE - 1] : 0;
}

static inline void read_marks(const abr_forms *x, unsigned place, unsigned c, const abr_form_line *l,
                              abr_form_told *told)
{
    for (unsigned i = x->marks[place][c]; i != 0; i = x->next[i]) {
        const form_mark *m = &mark_rows[i - 1];
        if (has_mark(l, m) && say_more(x, told) >> m->form & 1)
            add_form(told, m->form);
    }
}

static void read_marks_within(const abr_forms *x, const abr_form_line *l, abr_form_told *told)
{
    for (unsigned i = 0; i < x->within_count; i++) {
        const form_mark *m = &mark_rows[x->within[i].mark];
        if (abr_has_only(x->within[i].holds, l->chars) && say_more(x, told) >> m->form & 1 &&
            abr_contains(l->bare, m->text, m->n))
            add_form(told, m->form);
    }
}

static bool has_word(const abr_forms *x, mark_place place, abr_form form, abr_text_line word)
{
    if (word.n == 0)
        return false;
    for (unsigned i = x->marks[place][char_index(*word.p)]; i != 0; i = x->next[i]) {
        const form_mark *m = &mark_rows[i - 1];
        if (m->form == form && m->n == word.n && memcmp(m->text, word.p, word.n) == 0)
            return true;
    }
    return false;
}

bool abr_starts_with_mark(const abr_forms *x, abr_form form, abr_text_line line)
{
    for (unsigned i = line.n > 0 ? x->marks[MARK_EDGE][char_index(*line.p)] : 0; i != 0; i = x->next[i])
        if (mark_rows[i - 1].form == form && abr_has_at(line, 0, mark_rows[i - 1].text, mark_rows[i - 1].n))
            return true;
    return false;
}

/* Does the line have one of the results' marks, of those at this place that start or end with this char? */
static bool has_result(const abr_forms *x, mark_place place, char c, const abr_form_line *l)
{
    for (unsigned i = x->marks[place][char_index(c)]; i != 0; i = x->next[i]) {
        const form_mark *m = &mark_rows[i - 1];
        if (place == MARK_RESULT_WITHIN ? abr_contains(l->bare, m->text, m->n) : has_mark(l, m))
            return true;
    }
    return false;
}

bool abr_is_result(const abr_forms *x, abr_text_line line)
{
    line.n = line.n < ABR_FORM_WITHIN ? line.n : ABR_FORM_WITHIN;
    const abr_form_line l = {.line = line, .bare = abr_trimmed(line)};
    return l.bare.n > 0 && (has_result(x, MARK_RESULT_START, *l.bare.p, &l) ||
                            has_result(x, MARK_RESULT_END, l.bare.p[l.bare.n - 1], &l) ||
                            has_result(x, MARK_RESULT_WITHIN, '\0', &l));
}

bool abr_is_mark(const abr_forms *x, abr_form form, abr_text_line word)
{
    return has_word(x, MARK_WORD, form, word);
}

abr_subject abr_commit_subject(const abr_forms *x, abr_text_line line)
{
    char small[16];
    size_t size = 0;
    while (size < line.n && size < sizeof small && abr_is_letter(line.p[size])) {
        small[size] = (char)(size == 0 ? abr_to_lower(line.p[size]) : line.p[size]);
        size++;
    }
    if (size == line.n || !ABR_HAS("(!:", line.p[size])) /* most lines */
        return ABR_SUBJECT_NONE;
    const abr_text_line type = {small, size};
    const bool labels = has_word(x, MARK_LABEL, ABR_FORM_SUBJECT, type);
    if (!labels && !has_word(x, MARK_TYPE, ABR_FORM_SUBJECT, type))
        return ABR_SUBJECT_NONE;
    const bool scoped = line.p[size] == '(';
    while (scoped && size < line.n && line.p[size] != ')')
        size++;
    size += scoped && size < line.n;
    size += size < line.n && line.p[size] == '!';
    if (!abr_has_at(line, size, ": ", 2))
        return ABR_SUBJECT_NONE;
    return labels && !scoped ? ABR_SUBJECT_MAYBE : ABR_SUBJECT_SURE;
}

/* ---- the line ---- */

/* The lowest bits of the bytes of a word, next to each other. */
ABR_WRAPS static uint64_t bits_of_bytes(uint64_t word)
{
    return word * UINT64_C(0x0102040810204080) >> 56;
}

static abr_char_set chars_of(abr_text_line bare)
{
    enum { WORD = sizeof(uint64_t) };
    char has[UCHAR_MAX + 1] = {0}; /* one byte each, which is faster to set than a bit */
    abr_char_set chars = {0, 0};
    const unsigned char *p = (const unsigned char *)bare.p;
    const unsigned char *end = p + bare.n;
    uint64_t beyond = 0;
    for (; end - p >= WORD; p += WORD) {
        beyond |= abr_load_word((const char *)p);
        has[p[0]] = has[p[1]] = has[p[2]] = has[p[3]] = has[p[4]] = has[p[5]] = has[p[6]] = has[p[7]] = 1;
    }
    for (; p < end; p++) {
        has[*p] = 1;
        beyond |= *p;
    }
    for (size_t i = 0; i < 64; i += WORD) {
        chars.low |= bits_of_bytes(abr_load_word(has + i)) << i;
        chars.high |= bits_of_bytes(abr_load_word(has + 64 + i)) << i;
    }
    chars.high |= (uint64_t)((beyond & UINT64_C(0x8080808080808080)) != 0) << 63;
    chars.low |= (uint64_t)abr_has_any(chars, ABR_DIGITS) << '\1' | (uint64_t)abr_has_any(chars, ABR_CAPITALS)
                                                                        << '\2';
    return chars;
}

/* Does the line have the chars that a form needs? A few are looked for one by one, as is any digit. */
static bool line_holds(abr_form_line *l, abr_char_set needed)
{
    if (!l->has_chars) {
        const uint64_t digit = UINT64_C(1) << '\1';
        for (uint64_t signs = needed.low >> ' ' << ' '; signs != 0; signs &= signs - 1)
            if (!memchr(l->bare.p, (int)lowest(signs), l->bare.n))
                return false;
        const uint64_t others = needed.low & low_bits(' ');
        if (needed.high == 0 && (others & ~digit) == 0)
            return others == 0 || abr_next_digit(l->bare, 0) < l->bare.n;
        l->chars = chars_of(l->bare);
        l->has_chars = true;
    }
    return abr_has_only(needed, l->chars);
}

/* The forms that need chars not among these. */
static abr_form_set needing_others(const abr_forms *x, abr_char_set chars)
{
    abr_form_set forms = 0;
    for (uint64_t low = x->needed.low & ~chars.low; low != 0; low &= low - 1)
        forms |= x->needing[lowest(low)];
    for (uint64_t high = x->needed.high & ~chars.high; high != 0; high &= high - 1)
        forms |= x->needing[64 + lowest(high)];
    return forms;
}

/* Run the tests of these forms. */
static void read_rows(const abr_forms *x, abr_form_set may, abr_form_line *l, abr_form_told *told)
{
    while (may != 0) {
        const unsigned form = lowest(may);
        may &= may - 1;
        if ((x->within_count > 0 || line_holds(l, x->holds[form])) && form_rows[form].test(l)) {
            add_form(told, form);
            may &= say_more(x, told);
        }
    }
}

abr_form_told abr_read_form(const abr_forms *x, abr_text_line line)
{
    abr_form_told told = {ABR_FORM_NONE, 0, 0};
    line.n = line.n < ABR_FORM_WITHIN ? line.n : ABR_FORM_WITHIN;
    const abr_text_line bare = abr_trimmed(line);
    if (bare.n == 0)
        return told;
    const unsigned first = char_index(*bare.p);
    const unsigned last = char_index(bare.p[bare.n - 1]);
    const bool marked = x->marks[MARK_START][first] || x->marks[MARK_EDGE][first] || x->marks[MARK_END][last];
    abr_form_set may = x->by_first[first] & x->by_last[last];
    if (may == 0 && !marked && x->within_count == 0)
        return told; /* most lines, if few forms are asked for */
    struct abr_form_words words = {.first = 0};
    abr_form_line l = {.line = line, .bare = bare, .words = &words, .forms = x};
    if (marked) {
        read_marks(x, MARK_START, first, &l, &told);
        read_marks(x, MARK_EDGE, first, &l, &told);
        read_marks(x, MARK_END, last, &l, &told);
    }
    if (x->within_count > 0) {
        l.chars = chars_of(bare);
        l.has_chars = true;
        read_marks_within(x, &l, &told);
        may &= ~needing_others(x, l.chars);
    }
    if (told.form != ABR_FORM_NONE)
        may &= say_more(x, &told);
    if (may != 0)
        read_rows(x, may, &l, &told);
    return told;
}

abr_form_told abr_read_whole_form(const abr_forms *x, abr_text_line line)
{
    const abr_lead lead = abr_lead_of(line.p, line.n);
    abr_form_told told = abr_read_form(x, (abr_text_line){line.p + lead.n, line.n - lead.n});
    if (lead.stamped)
        told.log = 1;
    return told;
}
