/*
 * Failures as blocks of lines: what a tool printed for one, from its head to where the tool goes on.
 *
 * A block starts at a hit. It grows down while lines are of it: frames, excerpts, lines indented deeper than
 * its head, further hits, a few lines unlike all that the tool printed before. It ends where the tool goes on:
 * a test that passed, the next command, a blank line and a line less indented, a line of a shape seen often.
 * It grows up to the head that announced it. A line that tells that a command failed has what was
 * printed before it.
 */
#include "priority/blocks.h"
#include "abridge.h"
#include "priority/candidates.h"
#include "priority/chooser.h"
#include "priority/layout.h"
#include "priority/line_score.h"
#include "priority/score.h"
#include <stdlib.h>
#include <string.h>

float abr_T(const char *name, float otherwise)
{
    const char *s = getenv(name);
    return s ? (float)atof(s) : otherwise;
}

static bool follows(const abr_chooser *x, size_t i)
{
    return i > 0 && i < x->count && x->lines[i].c->line == x->lines[i - 1].c->line + 1;
}

static bool is_hit(const abr_shown_line *u)
{
    return u->c->line_score >= ABR_SCORE_HIT && u->c->hit;
}

static bool is_blank(const abr_shown_line *u)
{
    return u->look == ABR_LOOK_BLANK || u->c->kind == ABR_LINE_BLANK;
}

/* Is a line of a shape that the text has in many places? */
static bool is_routine(const abr_shown_line *u)
{
    return u->c->nth >= 4 && u->c->kind != ABR_LINE_FRAME && u->c->kind != ABR_LINE_EXCERPT;
}

static bool goes_on(const abr_shown_line *u)
{
    return u->c->kind == ABR_LINE_PASS || u->c->kind == ABR_LINE_STEP || u->c->command == ABR_COMMAND_STARTS;
}

static bool is_cause(const abr_shown_line *u)
{
    const char *p = u->c->start;
    size_t n = u->c->start_n;
    while (n > 0 && (*p == ' ' || *p == '\t'))
        p++, n--;
    return (n > 9 && memcmp(p, "Caused by", 9) == 0) || (n > 3 && memcmp(p, "...", 3) == 0);
}

/* Is a line of a shape that the text had in many places before the block that starts at `start`? */
static bool is_routine_in(const abr_chooser *x, size_t start, size_t k)
{
    if (!is_routine(&x->lines[k]))
        return false;
    for (size_t i = k; i > start && k - i < 32; i--)
        if (x->lines[i - 1].c->shape == x->lines[k].c->shape)
            return false;
    return true;
}

/* The end of the block whose head is line i: the index after its last line. */
static size_t end_of_block(const abr_chooser *x, size_t i)
{
    const abr_shown_line *head = &x->lines[i];
    size_t end = i + 1;
    unsigned blanks = 0;
    unsigned plain = 0;
    bool body = false;
    bool tracing = head->c->kind == ABR_LINE_TRACE;
    size_t indent = head->indent;
    const unsigned most = (unsigned)abr_T("PLAIN", 8);
    for (size_t k = i + 1; follows(x, k); k++) {
        const abr_shown_line *u = &x->lines[k];
        if (goes_on(u) && !(u->indent > indent && u->c->command != ABR_COMMAND_STARTS))
            break;
        if (u->c->command == ABR_COMMAND_FAILED) {
            end = k + 1;
            plain = 0;
            blanks = 0;
            continue;
        }
        if (is_blank(u)) {
            if (++blanks > 2)
                break;
            continue;
        }
        if (u->look == ABR_LOOK_HEAD && (body || blanks > 0) && !tracing && u->c->kind != ABR_LINE_TRACE)
            break;
        bool deeper = u->indent > indent;
        if (u->c->kind == ABR_LINE_FRAME || u->c->kind == ABR_LINE_EXCERPT || deeper || is_cause(u)) {
            plain = 0;
            body = true;
        } else if (is_hit(u)) {
            if ((body && !tracing) || blanks > 0 || u->look == ABR_LOOK_HEAD)
                break;
            tracing = false;
            plain = 0;
            if (u->indent < indent)
                indent = u->indent;
        } else if (blanks > 0 && is_routine_in(x, i, k)) {
            break;
        } else {
            if (u->look == ABR_LOOK_HEAD || (u->look == ABR_LOOK_RULE && plain > 0))
                break;
            if (u->level == ABR_LEVEL_LOW && head->level > u->level)
                break;
            if (u->level == ABR_LEVEL_WARNING && head->level != ABR_LEVEL_WARNING && body)
                break;
            if (is_routine_in(x, i, k) && !(u->level == ABR_LEVEL_ERROR && head->level == ABR_LEVEL_ERROR))
                break;
            plain += 1 + 2 * (blanks > 0);
            if (plain > most)
                break;
        }
        blanks = 0;
        end = k + 1;
    }
    return end;
}

/* Does a line tell the result of a test whose output stands before it? */
static bool ends_a_test(const abr_shown_line *u)
{
    size_t stamp = abr_stamp_size(u->c->start, u->c->start_n);
    const char *p = u->c->start + stamp;
    size_t n = u->c->start_n - stamp;
    while (n > 0 && *p == ' ')
        p++, n--;
    return (n > 8 && memcmp(p, "--- FAIL", 8) == 0) || (n > 10 && memcmp(p, "[  FAILED", 9) == 0);
}

/* The first line of the block whose first hit is line i. */
static size_t start_of_block(const abr_chooser *x, size_t i)
{
    const abr_shown_line *hit = &x->lines[i];
    const bool ends = ends_a_test(hit);
    const unsigned most = ends ? (unsigned)abr_T("UPT", 24) : (unsigned)abr_T("UP", 4);
    size_t start = i;
    unsigned blanks = 0;
    if (hit->look == ABR_LOOK_HEAD && !ends)
        return i;
    for (size_t k = i; follows(x, k) && i - k < 60; k--) {
        const abr_shown_line *u = &x->lines[k - 1];
        if (u->block != 0 || (goes_on(u) && !(ends && u->c->kind == ABR_LINE_STEP)) || u->c->command == ABR_COMMAND_FAILED)
            break;
        if (u->look == ABR_LOOK_HEAD)
            return k - 1;
        if (is_blank(u)) {
            if (++blanks > 1 && hit->indent == 0)
                break;
            continue;
        }
        if (u->indent == 0 && (blanks > 0 || i - k >= most))
            break;
        if (i - k < most && blanks == 0 && (ends || !is_routine(u)) && u->level != ABR_LEVEL_LOW)
            start = k - 1;
    }
    return start;
}

/* Is line i the head of one of several failures that are listed: "2) name"? */
static bool starts_failure(const abr_chooser *x, size_t i)
{
    if (x->lines[i].look != ABR_LOOK_HEAD)
        return false;
    for (size_t k = i; follows(x, k) && i - k < 3; k--)
        if (x->lines[k - 1].block != 0)
            return true;
        else if (!is_blank(&x->lines[k - 1]))
            return false;
    return false;
}

void abr_grow_blocks(abr_chooser *x)
{
    for (size_t i = 0; i < x->count; i++) {
        abr_shown_line *u = &x->lines[i];
        abr_layout l;
        abr_read_layout(u->c->start, u->c->start_n, &l);
        u->indent = (uint16_t)(l.indent < UINT16_MAX ? l.indent : UINT16_MAX);
        u->level = l.level;
        u->look = l.look;
        u->block = 0;
        u->part = 0;
    }
    uint32_t blocks = 0;
    for (size_t i = 0; i < x->count; i++) {
        abr_shown_line *u = &x->lines[i];
        if (u->block != 0 || !(is_hit(u) || starts_failure(x, i)))
            continue;
        size_t start = start_of_block(x, i);
        size_t end = end_of_block(x, i);
        blocks++;
        for (size_t k = start; k < end; k++)
            x->lines[k].block = blocks;
    }
}
