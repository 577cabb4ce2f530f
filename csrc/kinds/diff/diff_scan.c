/*
 * A diff taken apart as it goes by.
 *
 * A line is read once it is whole. Lines of hunks are the exception: their first few bytes are enough, so a
 * hunk may have any number of lines of any length. The two ends of the open hunk are held, since its worth is
 * only known when it has ended.
 */
#include <string.h>

#include "kinds/diff/diff_scan.h"
#include "base/memory.h"
#include "kinds/reader.h"
#include "kinds/text/log.h"
#include "line/form.h"
#include "line/origin.h"
#include "line/rule.h"
#include "text/flow.h"

enum {
    /* bytes of a line that tell whether it belongs to a hunk, and what it says */
    TELLING = ABR_COMMENT_MOST + 2,
    ONELINE = 'o',                       /* the form of commits in `git log -p --oneline` */
    SCAN_HOLDS = 3 * ABR_DIFF_LINE_MOST, /* bytes of the held lines and the open one */
    PLACES_STEP = 64,  /* the next place comes after this part of the bytes before one: some 1.6 % */
    JUDGED_LINES = 40, /* lines of a file's first hunk, searched for a note that it is generated */
    WIDE_LINE = 400    /* bytes per line of a hunk in a minified file */
};

_Static_assert((size_t)TELLING <= ABR_DIFF_LINE_MOST, "the bytes that tell a line fit its start");

/* ---- the open hunk ---- */

/* Front, back, and room for the back to grow before it is moved. */
static size_t open_most(const abr_diff_store *store)
{
    return 3 * abr_diff_ends_most(store) + (size_t)2 * ABR_DIFF_LINE_MOST;
}

bool abr_diff_scan_reserve(abr_diff_scanned *to, size_t n)
{
    abr_diff_open *open = &to->open;
    const size_t most = open_most(&to->store);
    size_t wanted = n < most - open->n ? open->n + n : most;
    wanted += SCAN_HOLDS;
    return abr_grow(to->store.alloc, &open->p, &open->size, wanted, most + SCAN_HOLDS, 1);
}

/* Hold more of the open hunk. While peeking, hold all; else its middle makes room for its end. */
static void hold(abr_diff_scan *s, const char *p, size_t n)
{
    abr_diff_open *o = &s->to->open;
    const size_t ends = abr_diff_ends_most(&s->to->store);
    for (;;) {
        const size_t room = s->to->store.peeks ? n : open_most(&s->to->store) - o->n;
        const size_t part = n < room ? n : room;
        memcpy(o->p + o->n, p, part);
        o->n += part;
        p += part;
        n -= part;
        if (n == 0)
            return;
        memmove(o->p + ends, o->p + o->n - ends, ends);
        o->n = 2 * ends;
    }
}

/* The open hunk or text has ended. While peeking, its bytes stay where they are. */
static void drop_open(abr_diff_scan *s)
{
    abr_diff_open *o = &s->to->open;
    o->p += s->to->store.peeks ? o->n : 0;
    o->n = 0;
}

/* ---- places ---- */

/* The next line is outside of hunks. The noted places do not depend on the budget, which may be lowered. */
static void note_stop(abr_diff_scan *s)
{
    const uint64_t last = s->place_count > 0 ? s->to->places[s->place_count - 1].at : 0;
    if (s->at > last + last / PLACES_STEP && s->place_count < s->to->place_most)
        s->to->places[s->place_count++] = (abr_diff_place){s->now, s->at, s->line, s->file.at};
}

/* ---- hunks ---- */

/* Bytes of the file's hunks so far that rank before one of this size. */
static uint64_t level_before(const abr_diff_scan *s, uint64_t size)
{
    uint64_t level = s->file.header_n;
    const unsigned c = abr_diff_size_class(size);
    for (unsigned i = 0; i <= c && i < s->size_count; i++)
        level += s->sizes[i];
    return level;
}

static void count_size(abr_diff_scan *s, uint64_t size)
{
    const unsigned c = abr_diff_size_class(size);
    while (s->size_count <= c)
        s->sizes[s->size_count++] = 0;
    s->sizes[c] += size;
}

/* The held bytes of a hunk of this size: all, or its two ends. */
static abr_flow held_bytes(abr_diff_scan *s, uint64_t size)
{
    const abr_diff_open *o = &s->to->open;
    const size_t front = o->n < size ? abr_diff_ends_most(&s->to->store) : o->n;
    const size_t back = o->n > front ? o->n - front : 0;
    return (abr_flow){{o->p, o->n - back, 0}, {o->p + (o->n - back), back, size - back}};
}

static void end_hunk(abr_diff_scan *s)
{
    abr_diff_hunk *h = &s->hunk;
    h->file = s->file;
    h->size = s->at - h->at;
    const abr_flow bytes = held_bytes(s, h->size);
    h->newlines = s->line - h->line;
    h->file.machine = h->file.machine || h->size > WIDE_LINE * (h->newlines + 1);
    s->now.hunks++;
    s->now.added += h->added;
    s->now.removed += h->removed;
    abr_diff_add_hunk(&s->to->store, h, s->header, &bytes, h->conflict_at > 0 ? 0 : level_before(s, h->size));
    count_size(s, h->size);
    drop_open(s);
    s->state = ABR_DIFF_IN_TEXT;
    note_stop(s);
}

static uint64_t hunks_of_file(const abr_diff_scan *s)
{
    return s->now.hunks - s->file.before.hunks;
}

/* Judge by the first lines of a file's first hunk whether a machine wrote it. */
static void judge_line(abr_diff_scan *s, abr_text_line line)
{
    if (hunks_of_file(s) == 0 && !s->file.machine && s->line - s->hunk.line < JUDGED_LINES)
        s->file.machine = abr_says_generated(line);
}

/* Is the line, as far as it is here, part of the hunk? */
static bool hunk_takes(abr_diff_scan *s, abr_text_line line)
{
    if (!abr_hunk_takes(&s->left, line))
        return false;
    const bool added = s->left.adds;
    const size_t n = s->left.parents;
    const uint64_t before = s->at - s->hunk.at;
    s->hunk.added += added;
    s->hunk.removed += s->left.removes && !added;
    if (added && line.n > n && before <= UINT32_MAX) {
        const abr_text_line text = {line.p + n, line.n - n};
        if (s->hunk.defines_at == 0 && abr_defines(text))
            s->hunk.defines_at = (uint32_t)before;
        if (s->hunk.conflict_at == 0 && ABR_STARTS(text, "<<<<<<< ")) /* HEAD */
            s->hunk.conflict_at = (uint32_t)before;
    }
    judge_line(s, line);
    return true;
}

/* ---- files ---- */

static void keep_header(abr_diff_scan *s, const char *p, size_t n)
{
    if (s->file.header_n + n > ABR_DIFF_HEADER_MOST)
        s->file.too_long = true;
    if (s->file.too_long)
        return;
    memcpy(s->header + s->file.header_n, p, n);
    s->file.header_n += (uint32_t)n;
}

/* Read a line of the header; its newline is p[n - 1] unless the text ends there. */
static void read_header(abr_diff_scan *s, const char *p, size_t n, abr_text_line line)
{
    abr_diff_file *f = &s->file;
    const bool other = ABR_STARTS(line, "+++ ");
    const bool none = ABR_STARTS(line, "+++ /dev/null") || ABR_STARTS(line, "--- /dev/null");
    s->named = s->named || other;
    s->binary = s->binary || ABR_STARTS(line, "GIT binary patch");
    const uint32_t at = f->header_n;
    keep_header(s, p, n);
    if ((s->header_lines == 0 || (s->plain && other && !none)) && !f->too_long) {
        f->name_at = at;
        f->name_n = (uint32_t)n;
        f->name_line = s->header_lines;
    }
    if (s->header_lines == 0 || other)
        f->machine = f->machine || abr_names_machine_made(line);
    s->header_lines++;
}

/* The file has ended: add its name, and if it has no hunks, its header. */
static void end_file(abr_diff_scan *s)
{
    enum { BARE_LEVEL = 4 }; /* times its size: it tells little */
    if (!s->any_file)
        return;
    const abr_diff_name name = {s->file, abr_tally_between(&s->file.before, &s->now)};
    abr_diff_add_name(&s->to->store, &name, s->nth, s->header);
    if (hunks_of_file(s) > 0 || s->header_lines < 2)
        return;
    abr_diff_hunk h = {.file = s->file,
                       .before = s->file.before,
                       .at = s->file.at + s->file.header_n,
                       .line = s->file.line + s->header_lines};
    h.before.files++;
    const abr_flow none = {.first = {"", 0, 0}};
    abr_diff_add_hunk(&s->to->store, &h, s->header, &none, (uint64_t)s->file.header_n * BARE_LEVEL);
}

static void end_text(abr_diff_scan *s)
{
    if (s->text.lines == 0)
        return;
    abr_diff_add_text(&s->to->store, &s->text, s->to->open.p, s->to->open.n);
    drop_open(s);
    s->text.lines = 0;
}

static void start_file(abr_diff_scan *s)
{
    end_text(s);
    end_file(s);
    note_stop(s);
    s->file = (abr_diff_file){.before = s->now, .at = s->at, .line = s->line};
    s->header_lines = 0;
    s->named = s->binary = s->plain = false;
    s->state = ABR_DIFF_IN_HEADER;
    s->size_count = 0;
    s->any_file = true;
    s->nth = s->now.files - s->commit_files;
    s->now.files++;
}

static bool is_header(const abr_diff_scan *s, abr_text_line line, abr_diff_line is)
{
    if (s->binary)
        return is != ABR_DIFF_COMMIT && is != ABR_DIFF_FILE && !ABR_STARTS(line, "-- ");
    return is == ABR_DIFF_HEADER && !(s->named && ABR_STARTS(line, "--- "));
}

/* ---- text ---- */

/* Does the line start a commit, in the form of the first one? */
static bool starts_commit(abr_diff_scan *s, abr_text_line line, abr_diff_line is)
{
    const bool oneline = s->line == 0 || s->commit_form == ONELINE;
    const char form = (char)(is == ABR_DIFF_COMMIT                  ? *line.p
                             : oneline && abr_diff_hash_at(line, 0) ? ONELINE
                                                                    : '\0');
    if (s->now.commits == 0)
        s->commit_form = form;
    return form != '\0' && form == s->commit_form;
}

/* If a line is too long to be read, only its start is at p, and nothing after it is held. */
static void read_text(abr_diff_scan *s, const char *p, uint64_t n, bool commit)
{
    abr_diff_open *o = &s->to->open;
    enum { LEAD = 4 }; /* lines before a commit that belong to it: a blank one, a mail's signature */
    if (commit && (s->text.commit || s->text.lines > LEAD)) {
        end_text(s);
        note_stop(s);
    }
    if (s->text.lines == 0) {
        s->text = (abr_diff_text){.before = s->now, .at = s->at, .line = s->line};
        s->text_judged = false;
    }
    const size_t most = abr_diff_text_most(s->to->store.keep) - o->n;
    const size_t more = s->text.size > o->n ? 0 : n < most ? (size_t)n : most;
    const size_t here = more < ABR_DIFF_LINE_MOST ? more : ABR_DIFF_LINE_MOST;
    if (here > 0)
        memcpy(o->p + o->n, p, here);
    o->n += here;
    s->text.size += n;
    s->text.lines++;
    s->text.commit = s->text.commit || commit;
    s->now.commits += commit;
    s->commit_files = commit ? s->now.files : s->commit_files;
    s->now.lines++;
}

/* ---- lines ---- */

static void pass_line(abr_diff_scan *s, uint64_t n)
{
    s->at += n;
    s->line++;
}

/* The held lines turn out to be a header, or only text. They end at the scan's place. */
static void release_held(abr_diff_scan *s, bool header)
{
    const unsigned count = s->held_count;
    const char *p = s->held;
    for (unsigned i = 0; i < count; i++)
        s->at -= s->held_n[i];
    s->line -= count;
    if (header && count > 0) {
        start_file(s);
        s->plain = true;
    }
    for (unsigned i = 0; i < count; i++) {
        if (header)
            read_header(s, p, s->held_n[i], abr_without_newline(p, s->held_n[i]));
        else
            read_text(s, p, s->held_n[i], false);
        pass_line(s, s->held_n[i]);
        p += s->held_n[i];
    }
    s->held_count = 0;
    if (header && count > 0)
        s->state = ABR_DIFF_IN_TEXT;
}

static bool hold_line(abr_diff_scan *s, const char *p, size_t n)
{
    const size_t before = s->held_count > 0 ? s->held_n[0] : 0;
    memcpy(s->held + before, p, n);
    s->held_n[s->held_count++] = n;
    return true;
}

static void start_hunk(abr_diff_scan *s, const char *p, size_t n)
{
    end_text(s);
    s->hunk = (abr_diff_hunk){.before = s->now, .at = s->at, .line = s->line};
    s->state = ABR_DIFF_IN_HUNK;
    hold(s, p, n);
}

/* Is it a line to hold? If not, and it tells what the held lines are, release them. */
static bool read_held(abr_diff_scan *s, const char *p, size_t n, abr_text_line line)
{
    abr_hunk left;
    if (s->held_count == 1 && ABR_STARTS(line, "+++ "))
        return hold_line(s, p, n);
    if (s->held_count > 0)
        release_held(s, s->held_count == 2 && abr_hunk_opens(line, &left));
    return ABR_STARTS(line, "--- ") && hold_line(s, p, n);
}

/* Read a line outside of hunks, with its newline. */
static void read_outside(abr_diff_scan *s, const char *p, size_t n)
{
    const abr_text_line line = abr_without_newline(p, n);
    const abr_diff_line is = abr_diff_line_of(line);
    if (s->state == ABR_DIFF_IN_HEADER && is_header(s, line, is)) {
        read_header(s, p, n, line);
        return;
    }
    s->state = ABR_DIFF_IN_TEXT;
    if (read_held(s, p, n, line))
        return;
    if (s->any_file && abr_hunk_opens(line, &s->left)) {
        start_hunk(s, p, n);
    } else if (is == ABR_DIFF_FILE) {
        start_file(s);
        read_header(s, p, n, line);
    } else {
        read_text(s, p, n, starts_commit(s, line, is));
    }
}

/* Pass a line outside of hunks that is too long to be read, with its start at p. */
static void read_long_line(abr_diff_scan *s, const char *p, uint64_t n)
{
    if (s->state == ABR_DIFF_IN_HEADER && s->binary) {
        s->file.too_long = true;
        s->header_lines++;
        return;
    }
    s->state = ABR_DIFF_IN_TEXT;
    release_held(s, false);
    read_text(s, p, n, false);
}

/* The line read last ends at `end`. Is the text below a file a log's, as of a build after `git diff`? It is
 * judged by as many bytes of it as any budget holds; a shorter one may show whole. */
static void look_for_log(abr_diff_scan *s, uint64_t end)
{
    if (s->log_at > 0 || end < ABR_TOLD_BY || s->state != ABR_DIFF_IN_TEXT || s->text_judged ||
        s->to->open.n < ABR_DIFF_TEXT_LEAST || s->text.commit || !s->any_file)
        return;
    abr_forms forms;
    abr_forms_open(&forms, ABR_ALL_FORMS, ABR_NO_RULE);
    s->text_judged = true;
    if (abr_stretch_is_printed(&forms, s->to->open.p, ABR_DIFF_TEXT_LEAST))
        s->log_at = end;
}

/* Read a whole line, or the last one; the start is enough for a long one outside of hunks. */
static void read_line(abr_diff_scan *s, const char *p, uint64_t n)
{
    if (s->state == ABR_DIFF_IN_HUNK) {
        if (hunk_takes(s, abr_without_newline(p, (size_t)n))) {
            hold(s, p, (size_t)n);
            pass_line(s, n);
            return;
        }
        end_hunk(s);
    }
    if (n > ABR_DIFF_LINE_MOST)
        read_long_line(s, p, n);
    else
        read_outside(s, p, (size_t)n);
    look_for_log(s, s->at + n);
    pass_line(s, n);
}

/* Decide whether the hunk takes the line whose start is at hand. */
static void read_line_start(abr_diff_scan *s)
{
    if (s->state != ABR_DIFF_IN_HUNK || s->start_n < TELLING)
        return;
    s->taken = hunk_takes(s, (abr_text_line){s->start, s->start_n});
    if (!s->taken) {
        end_hunk(s);
        return;
    }
    hold(s, s->start, s->start_n);
    s->start_n = 0;
}

static void end_diff_line(abr_diff_scan *s)
{
    s->start_n = 0;
    s->open_n = 0;
    s->taken = false;
}

/* Read a part of a line that is not whole in this chunk; `ends`: it completes the line. */
static void read_part(abr_diff_scan *s, const char *p, size_t n, bool ends)
{
    const size_t room = ABR_DIFF_LINE_MOST - s->start_n;
    const size_t more = n < room ? n : room;
    memcpy(s->start + s->start_n, p, more);
    s->start_n += more;
    s->open_n += n;
    if (!ends || s->open_n > ABR_DIFF_LINE_MOST)
        read_line_start(s);
    if (s->taken)
        hold(s, p + more, n - more);
    if (ends && s->taken)
        pass_line(s, s->open_n);
    else if (ends)
        read_line(s, s->start, s->open_n);
    if (ends)
        end_diff_line(s);
}

void abr_diff_scan_write(abr_diff_scan *s, const char *p, size_t n)
{
    const char *end = p + n;
    for (size_t line; p < end; p += line) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        line = (size_t)((newline ? newline + 1 : end) - p);
        if (s->taken) {
            hold(s, p, line);
            s->open_n += line;
            if (newline) {
                pass_line(s, s->open_n);
                end_diff_line(s);
            }
        } else if (newline && s->open_n == 0) {
            read_line(s, p, line);
        } else {
            read_part(s, p, line, newline != NULL);
        }
    }
}

void abr_diff_scan_end(abr_diff_scan *s)
{
    const bool is_open = s->open_n > 0;
    if (s->taken)
        pass_line(s, s->open_n);
    else if (is_open)
        read_line(s, s->start, s->open_n);
    end_diff_line(s);
    release_held(s, false);
    s->line -= is_open; /* it has no newline */
    if (s->state == ABR_DIFF_IN_HUNK)
        end_hunk(s);
    end_text(s);
    end_file(s);
}
