/*
 * A text that is read as a log is examined in stretches of some 4 KiB of whole lines, at places that depend
 * on its bytes alone. A written stretch without a failure belongs to a written part; if a stretch is unlike
 * the one before it, the line where the text changes is looked for.
 *
 * Invariant: `held` has the previous stretch, then the start of each line of the open one.
 */
#include <string.h>

#include "kinds/text/stretches.h"
#include "base/memory.h"
#include "base/tiny.h"
#include "kinds/failing.h"
#include "kinds/text/log.h"
#include "line/form.h"
#include "line/lines.h"
#include "line/rule.h"
#include "text/scan.h"

enum {
    LINES_SIZE = ABR_OR_TINY(4 * 1024, 120), /* bytes of a stretch, up to the end of the line there, */
    LINE_END = ABR_OR_TINY(1024, 16),        /* so many of its last line are held */
    STRETCH_HELD = LINES_SIZE + LINE_END,
    PARTS_MOST = ABR_OR_TINY(ABR_PARTS_MOST, 4),
    PART_HEAD = ABR_OR_TINY(512, 15),  /* bytes at hand of a part's start, */
    PART_TAIL = ABR_OR_TINY(2048, 60), /* and of its end, */
    TAIL_MOST = ABR_OR_TINY(32, 3)     /* at most so many lines */
};

_Static_assert((size_t)PART_HEAD < LINE_END, "a cut line never seems to end in a part's head");

/* Counts before a line. */
typedef struct {
    uint64_t bytes;
    uint64_t lines;
    uint64_t chars;
} line_place;

struct abr_stretches {
    const abr_alloc *alloc;
    bool counts_chars;
    bool written; /* but for a failure, the text looks so */
    abr_forms forms;
    abr_failure_rules failures;
    char held[2 * STRETCH_HELD];
    size_t before_n; /* bytes held of the stretch before, */
    size_t open_n;   /* and of the open one */
    line_place before;
    line_place open;
    uint64_t failure;   /* lines up to a failure of the stretch before, if it is read as a log for that */
    uint64_t open_size; /* all its bytes */
    uint64_t open_lines;
    abr_char_counter chars; /* of it */

    abr_log_part parts[PARTS_MOST];
    size_t count;
    char heads[PARTS_MOST + 1][PART_HEAD];
    char tails[PARTS_MOST + 1][PART_TAIL];

    /* The parts if the text ended here. */
    abr_log_part seen[PARTS_MOST];
    abr_log_parts seen_list;
};

/* ---- lines ---- */

/* Counts before the line that starts at this place of the held bytes. */
static line_place place_of(const abr_stretches *s, size_t at)
{
    const bool in_open = at >= s->before_n;
    line_place place = in_open ? s->open : s->before;
    const char *p = s->held + (in_open ? s->before_n : 0);
    const size_t n = at - (in_open ? s->before_n : 0);
    place.bytes += n;
    place.lines += abr_count_newlines(p, n);
    place.chars += s->counts_chars ? abr_count_chars(p, n, NULL) : 0;
    return place;
}

/* Copy whole lines of the held bytes, from..end - 1. */
static abr_lines_at_hand copy_lines(const abr_stretches *s, size_t from, size_t end, char *to)
{
    const line_place place = place_of(s, from);
    memcpy(to, s->held + from, end - from);
    return (abr_lines_at_hand){.line = place.lines,
                               .at = place.bytes,
                               .chars = place.chars,
                               .p = to,
                               .n = end - from,
                               .lines = (size_t)abr_count_newlines(to, end - from)};
}

/* The first line at a place, if all of it is held. */
static abr_lines_at_hand head_at(const abr_stretches *s, size_t at, char *to)
{
    const size_t left = s->before_n + s->open_n - at;
    const char *newline = memchr(s->held + at, '\n', left < PART_HEAD ? left : PART_HEAD);
    return newline ? copy_lines(s, at, (size_t)(newline - s->held) + 1, to) : (abr_lines_at_hand){0};
}

/* The last lines before a place, none of them before the first one of their part, or cut. */
static abr_lines_at_hand tail_before(const abr_stretches *s, size_t end, uint64_t first, char *to)
{
    size_t from = end;
    const line_place place = place_of(s, end);
    for (uint64_t line = place.lines; from > 0 && line > first && place.lines - line < TAIL_MOST; line--) {
        const char *newline = from > 1 ? abr_find_last_newline(s->held, from - 1) : NULL;
        const size_t start = newline ? (size_t)(newline - s->held) + 1 : 0;
        if (end - start > PART_TAIL || from - start >= LINE_END)
            break;
        from = start;
    }
    return copy_lines(s, from, end, to);
}

/* ---- changes of the text ---- */

/* How much more a line looks written than printed; `before` is as for abr_line_says(). */
static float written_look(const abr_stretches *s, abr_text_line line, abr_text_line *before)
{
    const abr_form_told told = abr_line_says(&s->forms, line, before);
    return told.text > told.log ? told.text - told.log / 4 : told.text / 4 - told.log;
}

/* How written a log's first or last lines may look, derived from the lines of the written text: many of those
 * say nothing. */
static float most_printed(const abr_stretches *s, size_t from, size_t end)
{
    static const float part = 0.6F;
    float sum = 0;
    float lines = 0;
    abr_text_line line;
    abr_text_line before = {s->held, 0};
    for (size_t at = from; abr_next_line(s->held, end, &at, &line);) {
        if (abr_trimmed(line).n == 0)
            continue;
        sum += written_look(s, line, &before);
        lines++;
    }
    return lines > 0 ? part * sum / lines : 0;
}

/* The place in from..end where lines go from looking more written than `most` to less; `written`: the other
 * way round. */
static size_t find_change(const abr_stretches *s, size_t from, size_t end, float most, bool written)
{
    float sum = 0;
    float best_sum = 0;
    size_t best = from;
    abr_text_line line;
    abr_text_line before = {s->held, 0};
    for (size_t at = from; abr_next_line(s->held, end, &at, &line);) {
        const float look = abr_trimmed(line).n > 0 ? written_look(s, line, &before) - most : 0;
        sum += written ? -look : look;
        if (sum > best_sum || (written && sum >= best_sum)) {
            best_sum = sum;
            best = at;
        }
    }
    return best;
}

static size_t line_after(const abr_stretches *s, size_t at)
{
    abr_text_line line;
    abr_next_line(s->held, s->before_n + s->open_n, &at, &line);
    return at;
}

/* ---- parts ---- */

/* The text changes at this place of the held bytes: add a part to the list. Returns the number of parts. */
static size_t start_part(abr_stretches *s, size_t edge, bool written, abr_log_part *list, size_t count)
{
    abr_log_part *last = &list[count - 1];
    const uint64_t line = place_of(s, edge).lines;
    if (last->written == written || edge == s->before_n + s->open_n)
        return count;
    if (line <= last->line) { /* nothing is left of it */
        last->written = written;
        if (count == 1)
            return 1;
        list[count - 2].tail = (abr_lines_at_hand){0};
        return count - 1;
    }
    if (count == PARTS_MOST) { /* after so many, what is between two logs is a log too */
        if (!last->written)
            return count;
        list[count - 2].tail = (abr_lines_at_hand){0};
        return count - 1;
    }
    if (!last->written)
        last->tail = tail_before(s, edge, last->line, s->tails[count - 1]);
    list[count] = (abr_log_part){.line = line, .written = written, .head = head_at(s, edge, s->heads[count])};
    return count + 1;
}

/* The start of a line, if it is held, else of the held bytes. */
static size_t start_of_line(const abr_stretches *s, uint64_t line)
{
    const uint64_t first = s->before_n > 0 ? s->before.lines : s->open.lines;
    uint64_t passed = line > first ? line - first : 0;
    return passed > 0 ? (size_t)abr_nth_newline(s->held, s->before_n + s->open_n, &passed) : 0;
}

/* The place in from..failure where the log around a failure starts. */
static size_t start_of_log(const abr_stretches *s, size_t from, size_t failure, float most)
{
    const size_t change = find_change(s, from, failure, most, false);
    const size_t n = s->before_n + s->open_n;
    const size_t name = failure < n ? abr_name_of_record(&s->failures, s->held, from, failure, n) : failure;
    return name < change ? name : change;
}

/* The open stretch is written, the one before is not. A failure between written lines is a part. */
static size_t add_written(abr_stretches *s, abr_log_part *list, size_t count)
{
    const size_t n = s->before_n + s->open_n;
    const float most = most_printed(s, s->before_n, n);
    const size_t known = s->failure > s->before.lines ? start_of_line(s, s->failure - 1) : n;
    size_t edge = find_change(s, start_of_line(s, list[count - 1].line), n, most, true);
    for (;;) {
        size_t failure = abr_find_failure_by(&s->failures, s->held, edge, n);
        if (known >= edge && known < failure) /* what agrees with it is no longer held */
            failure = known;
        count = start_part(s, edge, true, list, count);
        if (failure == n)
            return count;
        count = start_part(s, start_of_log(s, edge, failure, most), false, list, count);
        edge = find_change(s, line_after(s, failure), n, most, true);
    }
}

/* The open stretch has ended: add it to the list. */
static size_t add_stretch(abr_stretches *s, bool written, abr_log_part *list, size_t count)
{
    if (count == 0) {
        list[0] = (abr_log_part){.line = s->open.lines, .written = written};
        return 1;
    }
    if (list[count - 1].written == written)
        return count;
    if (written)
        return add_written(s, list, count);
    const size_t failure = abr_find_failure_by(&s->failures, s->held, 0, s->before_n + s->open_n);
    const float most = most_printed(s, 0, s->before_n);
    return start_part(s, start_of_log(s, 0, failure, most), false, list, count);
}

/* Is the open stretch written? A failure across the joint of two such stretches is seen too; *failure: lines
 * up to it, or 0. */
static bool is_open_written(const abr_stretches *s, const abr_log_part *list, size_t count, uint64_t *failure)
{
    const char *p = s->held + s->before_n;
    const size_t n = s->open_n;
    *failure = 0;
    if (count == PARTS_MOST && !list[count - 1].written)
        return false;
    const bool follows = count > 0 ? list[count - 1].written : s->written;
    if (!abr_stretch_is_written(&s->forms, p, n, !follows) &&
        (!follows || abr_stretch_is_printed(&s->forms, p, n)))
        return false;
    const size_t from = follows && s->before_n > 0 ? line_after(s, s->before_n / 2) : s->before_n;
    const size_t end = s->before_n + n;
    const size_t at = abr_find_failure_by(&s->failures, s->held, from, end);
    if (at < end)
        *failure = place_of(s, at).lines + 1;
    return at == end;
}

/* ---- the text ---- */

static void end_stretch(abr_stretches *s)
{
    uint64_t invalid;
    s->held[s->before_n + s->open_n - 1] = '\n'; /* even if the line was cut */
    uint64_t failure;
    const bool written = is_open_written(s, s->parts, s->count, &failure);
    s->count = add_stretch(s, written, s->parts, s->count);
    s->failure = failure;
    memmove(s->held, s->held + s->before_n, s->open_n);
    s->before_n = s->open_n;
    s->before = s->open;
    s->open.bytes += s->open_size;
    s->open.lines += s->open_lines;
    s->open.chars += abr_counted_chars(&s->chars, &invalid);
    s->open_n = 0;
    s->open_size = s->open_lines = 0;
    s->chars = (abr_char_counter){0};
}

static void add_to_stretch(abr_stretches *s, const char *p, size_t n)
{
    const size_t room = STRETCH_HELD - s->open_n;
    const size_t part = n < room ? n : room;
    memcpy(s->held + s->before_n + s->open_n, p, part);
    s->open_n += part;
    s->open_size += n;
    s->open_lines += abr_count_newlines(p, n);
    if (s->counts_chars)
        abr_count_more_chars(&s->chars, p, n);
}

void abr_stretches_write(abr_stretches *s, const char *p, size_t n)
{
    while (n > 0) {
        size_t part = s->open_size < LINES_SIZE ? (size_t)(LINES_SIZE - s->open_size) : 0;
        const char *newline = part < n ? memchr(p + part, '\n', n - part) : NULL;
        part = newline ? (size_t)(newline - p) + 1 : n;
        add_to_stretch(s, p, part);
        if (newline)
            end_stretch(s);
        p += part;
        n -= part;
    }
}

/* A written part that is short compared with the log on both sides is an excerpt, such as source that a tool
 * traces. */
static size_t join_excerpts(abr_log_part *list, size_t count, uint64_t lines)
{
    enum { EXCERPT = 8 /* at most one line in so many */ };
    size_t joined = 1;
    for (size_t i = 1; i < count; i++) {
        abr_log_part *before = &list[joined - 1];
        const uint64_t end = i + 2 < count ? list[i + 2].line : lines;
        if (!list[i].written || i + 1 == count ||
            (list[i + 1].line - list[i].line) * EXCERPT > end - before->line) {
            list[joined++] = list[i];
            continue;
        }
        i++;
        before->tail = list[i].tail;
    }
    return joined;
}

const abr_log_parts *abr_stretches_parts(abr_stretches *s)
{
    enum { FEW = 4 };
    size_t count = s->count;
    memcpy(s->seen, s->parts, sizeof s->seen);
    uint64_t failure;
    if (s->open_n > 0 && (count == 0 || s->open_lines >= FEW))
        count = add_stretch(s, is_open_written(s, s->seen, count, &failure), s->seen, count);
    if (count > 2)
        count = join_excerpts(s->seen, count, s->open.lines + s->open_lines);
    s->seen_list = (abr_log_parts){s->seen, count};
    return count > 1 ? &s->seen_list : NULL;
}

/* ---- the object ---- */

abr_code abr_stretches_open(const abr_retainer_opts *opts, bool written, abr_stretches **out)
{
    const abr_alloc *alloc = abr_allocator(opts->alloc);
    abr_stretches *s = *out = alloc->malloc(alloc->ctx, sizeof *s);
    if (!s)
        return ABR_ENOMEM;
    memset(s, 0, sizeof *s);
    s->alloc = alloc;
    s->counts_chars = opts->chars;
    s->written = written;
    abr_forms_open(&s->forms, ABR_ALL_FORMS, ABR_NO_RULE);
    abr_failure_rules_open(&s->failures);
    s->open = (line_place){opts->bytes_before, opts->lines_before, opts->chars_before};
    s->count = opts->lines_before > 0;
    s->parts[0].written = true;
    return ABR_OK;
}

void abr_stretches_close(abr_stretches *s)
{
    if (s)
        s->alloc->free(s->alloc->ctx, s);
}
