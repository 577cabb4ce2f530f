/*
 * The value of a failure's lines.
 *
 * The lines that failure.c found and a few before them, up to the head that announced them, are a block. Its
 * value is that of its best hit, and its lines have a part of it, which shrinks with the share of the budget
 * between a line and the last new thing that the block said. So the first failure and the last one are kept
 * whole before a third begins, and a failure that is too long keeps its head, its message and its end.
 */
#include <string.h>

#include "priority/blocks.h"
#include "abridge.h"
#include "base/ascii.h"
#include "budget/options.h"
#include "priority/candidates.h"
#include "priority/chooser.h"
#include "priority/failure.h"
#include "line/char_set.h"
#include "line/command.h"
#include "line/layout.h"
#include "line/line_score.h"
#include "line/lines.h"
#include "line/score.h"

enum {
    BEFORE_MOST = 4,     /* lines before a hit that belong to it */
    TEST_MOST = 24,      /* lines of a test's output before its result */
    HEAD_WITHIN = 60,    /* lines before a hit that are searched for its head */
    DUMP_DIGITS = 16,    /* least hexadecimal digits in a line of a dump */
    LINE_MOST = 200,     /* bytes of a line that count */
    SAME_WITHIN = 24,    /* lines among which lines of one shape are counted */
    SAME_MOST = 2,       /* so many of them are worth as much as the first */
    FEW_HITS = 3,        /* hits that are not a list */
    COMMAND_WITHIN = 60, /* lines before the end of a failed command that belong to it */
    ENDS = 2,            /* failures at either end of the text with the full reach */
};

/* Parts of a block's value. */
static const float told_least = 0.5F;    /* of a failure that isn't a list */
static const float part_of_none = 0.25F; /* of a failure that adds nothing to others */
static const float part_of_head = 0.95F;
static const float part_after = 0.85F;
static const float part_before = 0.7F;
static const float part_of_message = 0.9F; /* a clear hit unlike those before it in the block */
static const float part_of_values = 0.7F;  /* the expected value and the actual one */
static const float part_of_end = 0.8F;
static const float part_of_blank = 0.7F;
static const float part_of_dump = 0.4F;
static const float part_of_repeat = 0.5F;  /* a line whose text was seen before */
static const float part_of_foreign = 0.4F; /* it takes none of the reach either */
/* Parts of the budget within which a line's part falls by half. */
static const float reach_after = 0.5F;
static const float reach_before = 0.1F;
static const float weak_reach = 0.4F;     /* factor if no hit is clear */
static const float other_reach = 0.5F;    /* factor for blocks not near the first or the last */
static const float same_discount = 0.15F; /* for each further line of one shape */
static const float late_bonus = 1.5F;     /* for the last failures */
static const float list_part = 0.6F;      /* of the budget, for the list of failures that ends a text */
/* The output of a failed command before it reported the failure. */
static const float command_value = 8.0F;
static const float command_step = 0.95F;
static const float later_command = 0.5F; /* factor for those after the first one near the end */
static const float command_blank = 0.6F;
static const float command_dull = 0.25F;

static bool follows(const abr_chooser *x, size_t i)
{
    return i > 0 && x->lines[i].c->line == x->lines[i - 1].c->line + 1;
}

static bool is_blank(const abr_shown_line *u)
{
    return u->layout.look == ABR_LOOK_BLANK;
}

static bool is_clear(const abr_shown_line *u)
{
    return u->c->hit && u->c->line_score >= ABR_SCORE_CLEAR;
}

/* Is it a line of a dump: hexadecimal digits, and no letters but x? */
static bool is_dump(const abr_shown_line *u)
{
    unsigned digits = 0;
    if (u->c->kind != ABR_LINE_PLAIN || u->c->hit)
        return false;
    for (size_t i = abr_lead_of(u->c->start, u->c->start_n).n; i < u->c->start_n; i++) {
        const char c = abr_to_lower(u->c->start[i]);
        if (abr_is_hex(c))
            digits++;
        else if (abr_is_letter(c) && c != 'x')
            return false;
    }
    return digits >= DUMP_DIGITS;
}

static float length_of(const abr_shown_line *u)
{
    return (float)(u->c->size < LINE_MOST ? u->c->size : LINE_MOST) + 1;
}

static abr_text_line own_text(const abr_shown_line *u)
{
    const size_t at = abr_at_most(u->layout.text, u->c->start_n);
    return (abr_text_line){u->c->start + at, u->c->start_n - at};
}

/* The sign of a line that only one of two compared values has; '\0': it has none. */
static char sign_of(const abr_shown_line *u)
{
    const abr_text_line own = own_text(u);
    return (char)(abr_has_sign(own.p, own.n) ? *own.p : '\0');
}

/* ---- the start of a block ---- */

/* Does the line report the failure of a test, after the test's output? */
static bool ends_test(const abr_shown_line *u)
{
    const abr_text_line own = own_text(u);
    return abr_ends_test(own.p, own.n);
}

/* Can the line stand before the first one of a block? */
static bool may_precede(const abr_shown_line *u, bool of_test)
{
    const abr_candidate *c = u->c;
    return c->failure == 0 && c->command == ABR_COMMAND_NONE && c->kind != ABR_LINE_PASS &&
           (of_test || c->kind != ABR_LINE_STEP);
}

/* The first line of the block whose failure starts at line i. */
static size_t start_of_block(const abr_chooser *x, size_t i)
{
    const abr_shown_line *hit = &x->lines[i];
    const bool of_test = ends_test(hit);
    const unsigned most = of_test ? TEST_MOST : BEFORE_MOST;
    size_t start = i;
    unsigned blanks = 0;
    if (hit->layout.look == ABR_LOOK_HEAD && !of_test)
        return i;
    for (size_t k = i; follows(x, k) && i - k < HEAD_WITHIN; k--) {
        const abr_shown_line *u = &x->lines[k - 1];
        if (u->c->command == ABR_COMMAND_STARTS && i - k < BEFORE_MOST)
            return k - 1;
        if (!may_precede(u, of_test))
            break;
        if (u->layout.look == ABR_LOOK_HEAD)
            return k - 1;
        if (is_blank(u)) {
            if (++blanks > 1 && hit->layout.indent == 0)
                break;
            continue;
        }
        if (u->layout.indent == 0 && (blanks > 0 || i - k >= most))
            break;
        if (i - k < most && blanks == 0 && (of_test || u->c->nth < ABR_OFTEN) &&
            u->layout.level != ABR_LEVEL_LOW)
            start = k - 1;
    }
    return start;
}

/* ---- the value of its lines ---- */

typedef struct {
    size_t start;
    size_t first; /* line of the failure */
    size_t end;   /* the line after its last */
    uint32_t failure;
    uint32_t nth; /* failures like it before it */
    float told;   /* 1; less if most of its lines are hits, as in a list of failures */
    float value;
    bool is_clear;
    bool tells; /* it says more than that something failed */
    /* it says no more than others do: a suite's, whose tests failed before it, or a test's, of which the run
     * tells again in detail */
    bool adds_nothing;
    uint16_t margin; /* indent of its lines with a sign */
    bool compares;   /* it has lines of both signs there: two values are compared */
} block;

/* Is a block nothing but results of tests, in a row with a test that passed, and told of again? */
static bool is_told_again(const abr_chooser *x, const block *b)
{
    size_t i = b->first;
    if (!x->twice || !follows(x, i) || x->lines[i - 1].c->kind != ABR_LINE_PASS)
        return false;
    while (i < b->end && x->lines[i].c->tells >= ABR_TELLS && abr_counts_results(x->lines[i].c->count))
        i++;
    return i == b->end;
}

/* Does the block compare two values, line by line? */
static void find_comparison(const abr_chooser *x, block *b)
{
    bool plus = false;
    bool minus = false;
    b->margin = UINT16_MAX;
    for (size_t i = b->first; i < b->end; i++) {
        const abr_shown_line *u = &x->lines[i];
        const char sign = sign_of(u);
        if (sign == '\0' || u->layout.indent > b->margin)
            continue;
        plus = sign == '+' || (plus && u->layout.indent == b->margin);
        minus = sign == '-' || (minus && u->layout.indent == b->margin);
        b->margin = (uint16_t)u->layout.indent;
    }
    b->compares = plus && minus;
}

/* The block whose failure starts at line i. */
static block block_at(const abr_chooser *x, size_t i)
{
    unsigned hits = 0;
    unsigned others = FEW_HITS;
    bool named = false; /* by its head, or by the result of its test */
    block b = {.start = start_of_block(x, i),
               .first = i,
               .end = i + 1,
               .failure = x->lines[i].c->failure,
               .nth = UINT32_MAX};
    for (size_t k = i; k < x->count && x->lines[k].c->failure == x->lines[i].c->failure; k++) {
        const abr_shown_line *u = &x->lines[k];
        if (!is_blank(u))
            b.end = k + 1;
        if (u->c->hit && b.value < u->own_value)
            b.value = u->own_value;
        b.is_clear = b.is_clear || is_clear(u);
        b.tells = b.tells || u->c->tells;
        named = named || ends_test(u);
        if (u->c->hit && u->c->nth < b.nth)
            b.nth = u->c->nth;
        hits += u->c->hit;
        others += !u->c->hit && !is_blank(u);
    }
    if (b.nth == UINT32_MAX)
        b.nth = 0;
    b.adds_nothing =
        b.tells ? is_told_again(x, &b) : abr_fails_in_tap(own_text(&x->lines[i]).p, own_text(&x->lines[i]).n);
    b.told = others < hits ? (float)others / (float)hits : 1;
    const float headed = ABR_SCORE_CLEAR * abr_early_hit_factor(x->lines[b.start].c, ABR_EARLY_BONUS);
    named = named || x->lines[b.start].layout.look == ABR_LOOK_HEAD;
    if (named && b.value < headed) {
        b.value = headed;
        b.is_clear = true;
    }
    return b;
}

/* How many of the lines before line i, within the block, have its shape? */
static unsigned same_before(const abr_chooser *x, const block *b, size_t i)
{
    unsigned same = 0;
    for (size_t k = i; k > b->first && i - k < SAME_WITHIN; k--)
        same += x->lines[k - 1].c->shape == x->lines[i].c->shape;
    return same;
}

/* Lower the lines of a block that adds nothing to others. */
static void lower_block(abr_chooser *x, block *b)
{
    b->value *= part_of_none;
    for (size_t i = b->first; i < b->end; i++)
        x->lines[i].keep_value *= part_of_none;
}

static void raise_lines_before(abr_chooser *x, const block *b, float reach)
{
    float distance = 0;
    for (size_t i = b->first; i > b->start; i--) {
        abr_shown_line *u = &x->lines[i - 1];
        float part = u->layout.look == ABR_LOOK_HEAD ? part_of_head : part_before / (1 + distance / reach);
        abr_raise(u, b->value * part * (is_blank(u) ? part_of_blank : 1), ABR_WHY_BEFORE, b->failure);
        distance += length_of(u);
    }
}

/* Raise the head of the step that a block is in, where only what passed stands between. */
static void raise_step(abr_chooser *x, const block *b)
{
    for (size_t k = b->start; follows(x, k) && b->start - k < ABR_LINES_BEFORE_HIT; k--) {
        abr_shown_line *u = &x->lines[k - 1];
        if (u->c->command == ABR_COMMAND_STARTS && k < b->start)
            abr_raise(u, b->value * part_of_head, ABR_WHY_BEFORE, b->failure);
        if (u->c->kind != ABR_LINE_PASS)
            return;
    }
}

/* The last clear hit of a block; its first line if it has none. */
static size_t last_clear(const abr_chooser *x, const block *b)
{
    size_t i = b->end - 1;
    while (i > b->first && !is_clear(&x->lines[i]))
        i--;
    return i;
}

static void raise_after(abr_chooser *x, const block *b, float reach)
{
    const size_t newest = last_clear(x, b);
    float distance = 0;
    float changed = 0; /* bytes of lines with a sign */
    for (size_t i = b->first; i < b->end; i++) {
        abr_shown_line *u = &x->lines[i];
        const bool is_change = b->compares && u->layout.indent == b->margin && sign_of(u) != '\0';
        const unsigned same = is_change || i == newest ? 0 : same_before(x, b, i);
        const bool is_frame = u->c->kind == ABR_LINE_FRAME;
        const bool is_new = is_clear(u) && same == 0 && b->told >= told_least;
        if (is_new)
            distance /= 2;
        float part = part_after / (1 + distance / reach);
        if ((i == newest || i + 1 == b->end) && part < part_of_end)
            part = part_of_end;
        if (is_new && part < part_of_message)
            part = part_of_message;
        if (!u->c->hit && u->c->line_score >= ABR_SCORE_EXPECTS && part < part_of_values)
            part = part_of_values;
        if (is_change) {
            const float differing = part_of_values / (1 + changed / reach);
            part = part < differing ? differing : part;
            changed += length_of(u);
        }
        if (is_blank(u))
            part *= part_of_blank;
        else if (is_dump(u))
            part *= part_of_dump;
        if (same > SAME_MOST && !is_frame)
            part /= 1 + same_discount * (float)(same - SAME_MOST);
        if (u->repeats)
            part *= part_of_repeat;
        if (u->foreign)
            part *= part_of_foreign;
        abr_raise(u, b->value * part, ABR_WHY_AFTER, b->failure);
        distance += u->foreign ? 0 : length_of(u);
    }
}

/* ---- the innermost call of a traceback ---- */

/* Is it a frame of Python, whose message comes after the innermost one? */
static bool is_python_frame(const abr_shown_line *u)
{
    return u->c->kind == ABR_LINE_FRAME && ABR_STARTS(own_text(u), "File \"");
}

static void raise_call(abr_chooser *x, const block *b, size_t i)
{
    abr_raise(&x->lines[i], b->value * part_of_end, ABR_WHY_AFTER, b->failure);
}

/* Raise the innermost call beside each message to more than those that led there: Python has it above the
 * message, most languages have it below. */
static void raise_innermost(abr_chooser *x, const block *b)
{
    enum { WITHIN = 4 }; /* lines: the call's place, its source, carets below it and the message */
    for (size_t i = b->first; i < b->end; i++) {
        size_t k = i;
        if (!is_clear(&x->lines[i]))
            continue;
        while (k > b->first && i - k < WITHIN && follows(x, k) && !is_python_frame(&x->lines[k]))
            k--;
        const bool is_above = is_python_frame(&x->lines[k]);
        for (; is_above && k < i; k++)
            raise_call(x, b, k);
        if (!is_above && i + 1 < b->end && x->lines[i + 1].c->kind == ABR_LINE_FRAME)
            raise_call(x, b, i + 1);
    }
}

/* ---- the output of a failed command ---- */

/* The first line of the part that has the line. */
static uint64_t start_of_part(const abr_chooser *x, uint64_t line)
{
    size_t part = 0;
    while (line >= abr_part_end(x, part))
        part++;
    return x->parts.list[part].line;
}

/* Raise the lines before line i, which reports that their command failed; a written part above is not its
 * output. */
static void raise_command(abr_chooser *x, size_t i, float value)
{
    const uint32_t failure = x->lines[i].c->failure;
    const uint64_t first = start_of_part(x, x->lines[i].c->line);
    abr_raise(&x->lines[i], value, ABR_WHY_COMMAND, failure);
    for (size_t k = i; follows(x, k) && i - k < COMMAND_WITHIN; k--) {
        abr_shown_line *u = &x->lines[k - 1];
        if (u->c->command == ABR_COMMAND_STARTS || u->c->line < first)
            return;
        value *= command_step;
        bool dull = u->c->nth >= ABR_DULL || u->c->kind == ABR_LINE_PASS;
        abr_raise(u,
                  value * (is_blank(u) ? command_blank
                           : dull      ? command_dull
                                       : 1),
                  ABR_WHY_COMMAND, failure);
    }
}

/* ---- all of them ---- */

/* The index after the lines of the failure at line i. */
static size_t after_failure(const abr_chooser *x, size_t i)
{
    const uint32_t failure = x->lines[i].c->failure;
    while (i < x->count && x->lines[i].c->failure == failure)
        i++;
    return i;
}

/* Is the failure at line i clear, by a hit of its own or by its head? */
static bool is_clear_failure(const abr_chooser *x, size_t i)
{
    const size_t end = after_failure(x, i);
    for (size_t k = i; k < end; k++)
        if (is_clear(&x->lines[k]))
            return true;
    return block_at(x, i).is_clear;
}

/* The number of clear failures that start before a runner cleans up. */
static uint32_t count_clear(const abr_chooser *x)
{
    uint32_t count = 0;
    for (size_t i = 0; i < x->count && x->lines[i].c->line <= x->failed; i = after_failure(x, i))
        count += x->lines[i].c->failure != 0 && is_clear_failure(x, i);
    return count;
}

static size_t past_digits(const abr_candidate *c, size_t i)
{
    return abr_past((abr_text_line){c->start, c->start_n}, i, ABR_DIGITS);
}

/* Are two lines the same but for their digits? */
static bool same_but_digits(const abr_candidate *a, const abr_candidate *b)
{
    size_t i = past_digits(a, 0);
    size_t k = past_digits(b, 0);
    while (i < a->start_n && k < b->start_n && a->start[i] == b->start[k]) {
        i = past_digits(a, i + 1);
        k = past_digits(b, k + 1);
    }
    return i == a->start_n && k == b->start_n;
}

/* Does line i of a list name a failure that few lines before it name but for a number? */
static bool names_failure(const abr_chooser *x, const block *b, size_t i)
{
    unsigned same = 0;
    for (size_t k = i; k > b->first && i - k < SAME_WITHIN; k--)
        same += same_but_digits(x->lines[k - 1].c, x->lines[i].c);
    return is_clear(&x->lines[i]) && same < SAME_MOST;
}

/* Raise the lines of a list of failures at the end, each of which names another one, as far as they fit in
 * the list's part of the budget. */
static void raise_list(abr_chooser *x, const block *b)
{
    enum { LINES_MOST = 200 }; /* more are a flood */
    float left = list_part * (float)abr_bytes_to_keep(ABR_PRIORITY, &x->opts->max);
    for (size_t i = b->first; i < b->end && b->end - b->first <= LINES_MOST; i++) {
        if (!names_failure(x, b, i))
            continue;
        left -= length_of(&x->lines[i]);
        if (left < 0)
            return;
        abr_raise(&x->lines[i], b->value * (1 + late_bonus), ABR_WHY_HIT, b->failure);
        x->listed = true;
    }
}

/* Raise the lines of a block that has `before` clear failures before it and `after` ones after it. */
static void raise_block(abr_chooser *x, block *b, uint32_t before, uint32_t after)
{
    const bool is_headed = x->lines[b->start].layout.look == ABR_LOOK_HEAD;
    float reach = (float)abr_bytes_to_keep(ABR_PRIORITY, &x->opts->max) / (1 + (float)b->nth);
    if (before >= ENDS && after >= ENDS)
        reach *= other_reach;
    if (after == 0 && b->told < told_least)
        raise_list(x, b);
    if (b->is_clear)
        b->value *= 1 + b->told * late_bonus / (1 + (float)after / 2);
    raise_lines_before(x, b, reach * (is_headed ? reach_after : reach_before));
    raise_step(x, b);
    raise_after(x, b, reach * reach_after * (b->is_clear ? 1 : weak_reach));
    raise_innermost(x, b);
}

/* Note a failure that is to be kept whole: the first one, and the last one before a command failed. If no hit
 * is clear, others count, too, until a failure comes whose head makes it clear. */
static void note_whole(abr_chooser *x, const block *b, bool *noted_clear)
{
    if (b->is_clear < *noted_clear || !b->tells || b->adds_nothing || b->told < told_least ||
        x->lines[b->first].c->line > x->failed)
        return;
    x->last = (abr_block){b->start, b->first, b->end};
    if (x->first.end == 0 || b->is_clear > *noted_clear)
        x->first = x->last;
    *noted_clear = b->is_clear;
}

/* A failure ends where a runner says that the command failed, perhaps in several lines; then it cleans up. */
static void leave_cleaning(const abr_chooser *x, block *b)
{
    size_t end = b->first + 1;
    while (end < b->end && (x->lines[end].c->line <= x->failed ||
                            (x->lines[end].c->hit && x->lines[end - 1].c->line + 1 == x->lines[end].c->line)))
        end++;
    if (x->lines[b->first].c->line <= x->failed)
        b->end = end;
}

void abr_raise_blocks(abr_chooser *x)
{
    const uint32_t clear = count_clear(x);
    uint32_t before = 0;
    bool noted_clear = clear > 0;
    for (size_t i = 0; i < x->count; i = after_failure(x, i)) {
        if (x->lines[i].c->failure == 0)
            continue;
        block b = block_at(x, i);
        leave_cleaning(x, &b);
        find_comparison(x, &b);
        if (b.adds_nothing)
            lower_block(x, &b);
        raise_block(x, &b, before, clear > before ? clear - before - b.is_clear : clear);
        before += b.is_clear;
        note_whole(x, &b, &noted_clear);
    }
    for (size_t i = 0; i < x->count; i++)
        if (x->lines[i].c->command == ABR_COMMAND_FAILED)
            raise_command(x, i, command_value * (x->lines[i].c->line > x->failed ? later_command : 1));
}
