/*
 * Is a text the log of a command at work, or something written? The form of each examined line gives evidence
 * of both. Few lines of a log lack evidence of one; in a written text such evidence is rare.
 */
#include <string.h>

#include "kinds/text/log.h"
#include "base/ascii.h"
#include "kinds/failing.h"
#include "line/char_set.h"
#include "line/layout.h"
#include "line/lines.h"
#include "line/rule.h"
#include "text/scan.h"

enum {
    SAMPLED = 512,    /* lines sampled of a text, */
    OF_STRETCH = 48,  /* and of a stretch, */
    FIRST_LOOK = 8,   /* unless this many all look written */
    LONG_LINE = 1000, /* bytes of a line of minified source: nobody prints such lines */
    LONG_WEIGHT = 8,  /* a longer line counts as so many */
    /* bytes. Of 8,090 sources, pages and listings, 28 have one that looks like a log */
    STRETCH = ABR_OR_TINY(8 * 1024, 200),
    FEW_LINES = 4,
    HEAD = 16 /* lines that tell how a text starts */
};

/* Evidence of text: per examined line, and relative to the evidence of a log. */
static const float least_text = 0.35F;
static const float least_alone = 0.1F; /* if there is almost no evidence of a log: */
static const float most_alone = 0.01F;
static const float least_of_few = 0.5F;
static const float least_printed = 0.5F; /* evidence of a log in each line of a stretch of one */
/* Of 1,257 stretches of source and documents, 1,070 are as sure as this. */
static const float least_sure = 0.6F;
static const float most_sure = 0.03F;
static const float any_log = 1e9F;
static const float repeated_text = 0.7F; /* in a line that repeats the one before, less text says nothing, */
static const float repeated_log = 0.5F;  /* and the repeating is this much evidence of a log */
static const float text_a_log = 3.0F;
static const float text_of_text = 1.5F; /* if it starts like pure text, with some of a log in it */
static const float text_in_log = 8.0F;  /* if it starts like a log, with some text in it */

typedef struct {
    float log;
    float text;
    float lines;
    float numbers;        /* lines with only a number: printed in a loop, or a list of numbers */
    abr_text_line before; /* the first word of the line before */
} evidence;

/* Bytes of a name with a colon at the start of a line, `web-1` of "web-1: GET /"; 0 if there is none. A mere
 * word may be the type of a commit. */
static size_t label_size(abr_text_line line)
{
    const size_t n = abr_past(line, 0, abr_joined(ABR_WORD_CHARS, ABR_SET("-./")));
    const bool is_word = abr_past(line, 0, ABR_LETTERS) == n;
    return !is_word && n + 1 < line.n && line.p[n] == ':' && line.p[n + 1] == ' ' ? n : 0;
}

typedef enum { REPEATS_NOTHING, REPEATS_WORD, REPEATS_LABEL } repetition;

/* Does the line start with the same word as the one before, like lines printed in a loop? Not if that is a
 * call: source may have many of one function. Or with the same label, which settings have once? */
static repetition repeats(abr_text_line *before, abr_text_line line)
{
    const abr_text_line own = abr_trimmed(line);
    const size_t label = label_size(own);
    const size_t n = label > 0 ? label : abr_past(line, 0, ABR_LETTERS);
    const abr_text_line first = {label > 0 ? own.p : line.p, n};
    const bool words = n < line.n && !memchr("/.-(", line.p[n], 4) && !abr_is_word(line.p[n]) &&
                       memchr(line.p + n + 1, ' ', line.n - n - 1);
    const bool same = n > 0 && n == before->n && memcmp(first.p, before->p, n) == 0;
    *before = first;
    if (same && label > 0)
        return REPEATS_LABEL;
    return same && words ? REPEATS_WORD : REPEATS_NOTHING;
}

/* The start of a line, which tells its form. */
static abr_text_line form_part(abr_text_line line)
{
    return (abr_text_line){line.p, line.n < ABR_FORM_WITHIN ? line.n : ABR_FORM_WITHIN};
}

abr_form_told abr_line_says(const abr_forms *forms, abr_text_line line, abr_text_line *before)
{
    abr_form_told told = abr_read_whole_form(forms, line);
    if (line.n >= LONG_LINE && told.log < 1)
        told.text = 1;
    const repetition again = repeats(before, form_part(abr_own_text(line)));
    if (told.form != ABR_FORM_COLUMNS &&
        (again == REPEATS_LABEL || (again == REPEATS_WORD && told.text < repeated_text))) {
        told.text = 0;
        told.log = told.log > repeated_log ? told.log : repeated_log;
    }
    return told;
}

static bool is_number(abr_text_line bare)
{
    return abr_past(bare, 0, ABR_DIGITS) == bare.n;
}

static void weigh_line(evidence *e, const abr_forms *forms, abr_text_line line)
{
    const float weight = line.n >= LONG_LINE ? LONG_WEIGHT : 1;
    const abr_text_line bare = abr_trimmed(form_part(line));
    if (bare.n == 0)
        return;
    const abr_form_told told = abr_line_says(forms, line, &e->before);
    e->numbers += (float)is_number(bare);
    e->log += weight * (told.text > told.log || told.text >= 1 ? told.log / 4 : told.log);
    e->text += weight * (told.log > told.text ? told.text / 4 : told.text);
    e->lines += weight;
}

static bool reads_as_written(const evidence *all, const evidence *head)
{
    if (all->lines < FEW_LINES && all->text < least_of_few * all->lines)
        return false;
    bool logs = head->log * 2 >= head->lines && head->log > head->text;
    bool writes = head->log == 0 && head->text * 2 >= head->lines && head->lines * 2 >= HEAD;
    if (all->text < (logs ? text_in_log : writes ? text_of_text : text_a_log) * all->log)
        return false;
    float least = all->log <= most_alone * all->lines ? least_alone : least_text;
    return all->text > 0 && all->text >= least * all->lines;
}

/* Among the lines that aren't numbers, is there one that only a log has? */
static bool has_log_line(const abr_forms *forms, const char *p, size_t n)
{
    abr_text_line line;
    for (size_t at = 0; abr_next_line(p, n, &at, &line);) {
        const abr_text_line bare = abr_trimmed(line);
        if (is_number(bare))
            continue;
        const abr_form_told told = abr_read_whole_form(forms, line);
        if (told.log >= 1 && told.text < 1)
            return true;
    }
    return false;
}

/* Weigh so many lines, or stop earlier once they have more evidence of a log than `most_log`. */
ABR_WRAPS static void weigh_lines(uint64_t most, float most_log, const abr_forms *forms, const char *p,
                                  size_t n, evidence *all, evidence *head)
{
    uint64_t lines = abr_count_newlines(p, n) + 1;
    uint64_t step = (lines + most - 1) / most;
    uint32_t random = 1;
    abr_text_line line;
    *all = *head = (evidence){0};
    for (size_t at = 0, read = 0; all->log <= most_log && abr_next_line(p, n, &at, &line); read++) {
        weigh_line(all, forms, line);
        if (read < HEAD) {
            *head = *all;
            continue;
        }
        /* at random, so that the sample does not fall in step with a period of the text */
        random = random * 1103515245 + 12345;
        uint64_t passed = random / 65536 % (2 * step - 1);
        at += abr_nth_newline(p + at, n - at, &passed);
    }
}

/* Is it written, by so many of its lines? `all` gets their evidence, up to `most_log` of a log. */
static bool is_written_by(uint64_t lines, float most_log, const abr_forms *forms, const char *p, size_t n,
                          evidence *all)
{
    evidence head;
    weigh_lines(lines, most_log, forms, p, n, all, &head);
    /* numbers say nothing, so the rest decides, however little of it there is */
    return reads_as_written(all, &head) && (all->numbers * 2 <= all->lines || !has_log_line(forms, p, n));
}

bool abr_is_written(const char *p, size_t n)
{
    abr_forms forms;
    evidence all;
    abr_forms_open(&forms, ABR_ALL_FORMS, ABR_NO_RULE);
    return is_written_by(SAMPLED, any_log, &forms, p, n, &all);
}

/* Do a few lines of a stretch all look written? */
static bool seems_written(const abr_forms *forms, const char *p, size_t n)
{
    for (size_t i = 0; i < FIRST_LOOK; i++) {
        size_t at = i * (n / FIRST_LOOK);
        const char *newline = i > 0 ? memchr(p + at, '\n', n - at) : NULL;
        abr_text_line line = {p, 0};
        at = newline ? (size_t)(newline - p) + 1 : at;
        if (!abr_next_line(p, n, &at, &line) || abr_trimmed(line).n == 0)
            continue;
        const abr_form_told told = abr_read_whole_form(forms, line);
        if (told.text <= told.log)
            return false;
    }
    return true;
}

bool abr_stretch_is_written(const abr_forms *forms, const char *p, size_t n, bool surely)
{
    evidence all;
    const float most_log = surely ? most_sure * OF_STRETCH : any_log;
    return seems_written(forms, p, n) && is_written_by(OF_STRETCH, most_log, forms, p, n, &all) &&
           (!surely || (all.text >= least_sure * all.lines && all.log <= most_sure * all.lines));
}

bool abr_stretch_is_printed(const abr_forms *forms, const char *p, size_t n)
{
    evidence all;
    evidence head;
    weigh_lines(OF_STRETCH, any_log, forms, p, n, &all, &head);
    return all.log >= all.text || all.log >= least_printed * all.lines;
}

/* Find the first stretch of (p, n), some 8 KiB of whole lines, that is not written. Returns its start, n if
 * there is none. */
static size_t find_printed(const char *p, size_t n)
{
    abr_forms forms;
    evidence all;
    abr_forms_open(&forms, ABR_ALL_FORMS, ABR_NO_RULE);
    for (size_t at = 0, end; n - at >= STRETCH / 2; at = end) {
        end = n;
        if (n - at > STRETCH) {
            const char *newline = memchr(p + at + STRETCH, '\n', n - at - STRETCH);
            end = newline ? (size_t)(newline - p) + 1 : n;
        }
        if (end - at >= STRETCH / 2 && !seems_written(&forms, p + at, end - at) &&
            !is_written_by(OF_STRETCH, any_log, &forms, p + at, end - at, &all) &&
            all.log >= least_printed * all.lines)
            return at;
    }
    return n;
}

/*
 * ---- a log after a written text ----
 *
 * After the start that tells its kind, a text is examined in blocks of one size at fixed places, so that the
 * result depends on the text alone. A log in the middle that is too short for the sample of lines is missed.
 */

enum {
    BLOCK_LINES = 4, /* lines sampled per block */
    PRINTED = 2,     /* if so many can only be a log's, all lines are examined */
    /* bytes at the end, searched for a failure before the rest */
    SEARCHED_FIRST = ABR_OR_TINY(16 * 1024, 200)
};

/* The start of the first line that starts in (p, n). */
static size_t first_line(const char *p, size_t n)
{
    const char *newline = memchr(p, '\n', n);
    return newline ? (size_t)(newline - p) + 1 : n;
}

bool abr_find_log(const char *p, size_t n, abr_late_log *out)
{
    const size_t printed = find_printed(p, n);
    size_t at = printed;
    if (at == n && n > SEARCHED_FIRST) { /* the search has a bound, and most failures are at the end */
        const size_t end = n - SEARCHED_FIRST + first_line(p + n - SEARCHED_FIRST, SEARCHED_FIRST);
        at = end + abr_find_failure(p + end, n - end);
    }
    if (at == n)
        at = abr_find_failure(p, n);
    *out = at < n ? (abr_late_log){.sign = at, .printed = printed < n} : (abr_late_log){.from = 0};
    return at < n;
}

static bool find_from(size_t from, const char *p, size_t n, abr_late_log *out)
{
    const bool found = abr_find_log(p + from, n - from, out);
    out->from += found ? from : 0;
    out->sign += found ? from : 0;
    return found;
}

static bool sample_tells(const abr_forms *forms, const char *p, size_t n)
{
    unsigned printed = 0;
    for (size_t i = 0; printed + (BLOCK_LINES - i) >= PRINTED && i < BLOCK_LINES; i++) {
        const size_t place = i * (n / BLOCK_LINES);
        size_t at = place + first_line(p + place, n - place);
        abr_text_line line;
        if (!abr_next_line(p, n, &at, &line))
            return false;
        const abr_form_told told = abr_read_whole_form(forms, line);
        printed += told.log >= 1 && told.text < 1;
    }
    return printed >= PRINTED;
}

/* Have the lines that are sampled in a block, far apart in memory, fetched before they are needed. */
static void fetch_ahead(const char *p, size_t n)
{
#if defined(__GNUC__)
    for (size_t i = 0; i < BLOCK_LINES; i++)
        __builtin_prefetch(p + i * (n / BLOCK_LINES));
#else
    (void)p;
    (void)n;
#endif
}

bool abr_log_in_blocks(const char *p, size_t n, size_t *at, abr_late_log *out)
{
    abr_forms forms;
    *at = 0;
    *out = (abr_late_log){.from = 0};
    if (n < ABR_TEXT_BLOCK)
        return false;
    abr_forms_open(&forms, ABR_ALL_FORMS, ABR_NO_RULE);
    for (; n - *at >= ABR_TEXT_BLOCK; *at += ABR_TEXT_BLOCK) {
        const char *block = p + *at;
        if (n - *at >= 3 * (size_t)ABR_TEXT_BLOCK)
            fetch_ahead(block + 2 * (size_t)ABR_TEXT_BLOCK, ABR_TEXT_BLOCK);
        if (sample_tells(&forms, block, ABR_TEXT_BLOCK) &&
            find_from(first_line(block, ABR_TEXT_BLOCK), block, ABR_TEXT_BLOCK, out))
            return true;
    }
    return false;
}

bool abr_log_in_end(bool starts, const char *p, size_t n, abr_late_log *out)
{
    return find_from(starts ? 0 : first_line(p, n), p, n, out);
}

bool abr_find_late_log(const char *p, size_t n, size_t told, abr_late_log *out)
{
    size_t at;
    bool found = abr_log_in_blocks(p + told, n - told, &at, out);
    at += told;
    if (!found) {
        at -= at > 0 ? ABR_TEXT_BLOCK : 0;
        found = abr_log_in_end(at == 0, p + at, n - at, out);
    }
    out->from += found ? at : 0;
    out->sign += found ? at : 0;
    return found;
}
