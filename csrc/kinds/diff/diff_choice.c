/*
 * Choose the parts of a diff to show: the starts of commits, then names of files, then messages and other
 * text, then hunks. The remaining room goes to more text and names, and then to the start of the diff as it
 * stands.
 */

#include "kinds/diff/diff_choice.h"
#include "base/ascii.h"
#include "base/size.h"
#include "kinds/diff/diff.h"
#include "kinds/diff/diff_hunks.h"
#include "kinds/diff/diff_show.h"
#include "line/lines.h"
#include "text/scan.h"

enum {
    TEXT_SHARE = 4,   /* texts take this part of the room that names leave */
    SMALL_SHARE = 50, /* a hunk of at most this part of a budget, with header and marker, is never cut */
    MARKER = 48       /* bytes that one more marker takes at most, unless numbers have 10 digits */
};

/* Recount the bytes used, since x->used may be too high. */
static void recount(abr_diff_choice *x)
{
    abr_diff_count_names(x->plan);
    x->used = abr_diff_size(x->plan);
}

/* ---- texts ---- */

/* Show the first `front` bytes of a text, and a commit's subject unless it has no bytes. */
static void show_front(abr_shown_text *t, size_t front, abr_text_line subject)
{
    t->front = front;
    t->front_lines = t->lines = abr_count_lines(t->p, front);
    t->subject_n = subject.n;
    if (subject.n == 0)
        return;
    t->subject_at = (size_t)(subject.p - t->p);
    t->gap_lines = abr_count_lines(t->p + front, t->subject_at - front);
    t->lines += t->gap_lines + abr_count_lines(subject.p, subject.n);
}

/* Show this much of a text, in place of anything shown of it so far, if that keeps to the limit. */
static bool try_text(abr_diff_choice *x, size_t part, size_t front, abr_text_line subject, uint64_t limit)
{
    abr_shown_text *t = x->plan->parts[part].text;
    const abr_shown_text was = *t;
    const uint64_t had = abr_diff_bytes_at(x->plan, part, abr_diff_is_shown(x->plan, part));
    show_front(t, front, subject);
    if (abr_diff_put_part(x, part, had, limit))
        return true;
    *t = was;
    return false;
}

/* The last line of a text that is all at hand, with blank ones after it, if it is the total below a list of
 * files: ` 2 files changed, 9 insertions(+)`. */
static abr_text_line total_of(const abr_shown_text *t)
{
    size_t end = t->n;
    while (end > 0 && (t->p[end - 1] == '\n' || t->p[end - 1] == '\r'))
        end--;
    const char *newline = abr_find_last_newline(t->p, end);
    const size_t from = newline ? (size_t)(newline - t->p) + 1 : 0;
    const bool shows =
        t->n == t->t.size && end - from > 2 && t->p[from] == ' ' && abr_is_digit(t->p[from + 1]);
    return (abr_text_line){t->p + from, shows ? t->n - from : 0};
}

/* Show as many lines of a text as the limit allows, and the total below them. */
static void grow_text(abr_diff_choice *x, size_t part, uint64_t limit)
{
    enum { TRIES = 4 }; /* each tries less, since the marker after it may have become longer */
    static const abr_text_line none = {"", 0};
    const abr_shown_text *t = x->plan->parts[part].text;
    const abr_text_line total = total_of(t);
    const size_t subject_end = t->subject_n > 0 ? t->subject_at + t->subject_n : 0;
    const bool has_total = total.n > 0 && subject_end == t->n;
    const size_t shown = has_total || subject_end == 0 ? t->front : subject_end;
    size_t n = t->n;
    if (t->t.commit && t->front == 0) /* no line of a commit without its hash */
        return;
    if (t->front == n || try_text(x, part, n, none, limit) || limit <= x->used)
        return;
    const uint64_t room = limit - x->used + shown + (has_total ? t->subject_n : 0);
    const bool with_total = total.n > 0 && (has_total || shown + 2 * total.n < room);
    const size_t most = with_total ? (size_t)abr_at_most(room - total.n, (uint64_t)(total.p - t->p)) : t->n;
    n = room < most ? (size_t)room : most;
    for (unsigned tries = 0; tries < TRIES; tries++) {
        const char *newline = n > shown ? abr_find_last_newline(t->p + shown, n - shown - 1) : NULL;
        if (!newline)
            return;
        n = (size_t)(newline - t->p) + 1;
        if (try_text(x, part, n, with_total ? total : none, limit))
            return;
    }
}

/* ---- commits ---- */

typedef enum { HASH_LINE, WITH_SUBJECT, WHOLE_HEADER } commit_level;

/* The ends of the parts of a commit's header, in bytes of its text; 0: it has none, or it is not at hand. */
typedef struct {
    size_t hash_n;
    size_t subject_at;
    size_t subject_end; /* with the blank line that follows */
} commit_header;

static commit_header find_header(const abr_shown_text *t)
{
    commit_header header = {0};
    abr_text_line line;
    bool blank = false;
    for (size_t at = 0, end = 0; abr_next_line(t->p, t->n, &end, &line); at = end) {
        const bool empty = abr_trimmed(line).n == 0;
        if (header.subject_end > 0 && line.n > 0)
            break;
        if (header.hash_n == 0 && (abr_diff_line_of(line) == ABR_DIFF_COMMIT || abr_diff_hash_at(line, 0)))
            header.hash_n = end;
        else if (header.hash_n > 0 &&
                 (header.subject_end > 0 || (blank && !empty) || ABR_STARTS(line, "Subject: ")))
            header = (commit_header){header.hash_n, header.subject_end > 0 ? header.subject_at : at, end};
        blank = header.hash_n > 0 && empty;
    }
    return header;
}

/* Show a commit's hash line, or that and its subject, or all of its text up to the subject, if that keeps to
 * the limit. Also true if the part is no commit, or shows all that already. */
static bool show_commit(abr_diff_choice *x, size_t part, commit_level level, uint64_t limit)
{
    const abr_shown_text *t = x->plan->parts[part].text;
    if (!t || !t->t.commit)
        return true;
    const commit_header header = find_header(t);
    const bool skips = level == WITH_SUBJECT && header.subject_at > header.hash_n;
    const size_t front =
        level == HASH_LINE || skips || header.subject_end == 0 ? header.hash_n : header.subject_end;
    const abr_text_line subject = {t->p + header.subject_at,
                                   skips ? header.subject_end - header.subject_at : 0};
    if (front <= t->front && subject.n <= t->subject_n)
        return true;
    return try_text(x, part, front, subject, limit);
}

/* Show as many commits as the limit allows, from the first on. Are they all shown? */
static bool show_commits(abr_diff_choice *x, commit_level level, uint64_t limit)
{
    for (size_t i = 0; i < x->plan->part_count; i++)
        if (!show_commit(x, i, level, limit))
            return false;
    return true;
}

/* Show the subjects of commits whose hashes are shown, as far as the limit allows. */
static void show_subjects(abr_diff_choice *x, uint64_t limit)
{
    for (size_t i = 0; i < x->plan->part_count; i++)
        if (abr_diff_is_shown(x->plan, i))
            show_commit(x, i, WITH_SUBJECT, limit);
}

/* Show headers as they stand, from hash to subject, in half the budget. If they don't all fit, show hashes
 * and subjects, since those tell more than any diff; if that fails too, show hash lines in half of it, and
 * then as many subjects as there is room for. A single commit takes the room that names leave. */
static void choose_commits(abr_diff_choice *x)
{
    const bool one = x->plan->total.commits == 1;
    const uint64_t half = one ? x->bytes : x->bytes / 2;
    const uint64_t limits[] = {half, x->bytes, half};
    const uint64_t nothing = x->used;
    for (int level = WHOLE_HEADER; level >= HASH_LINE && nothing <= x->bytes; level--) {
        x->used = nothing;
        for (size_t i = 0; i < x->plan->part_count; i++)
            abr_diff_set_shown(x->plan, i, false);
        for (size_t i = 0; i < x->g->text_count; i++)
            x->g->texts[i].front = x->g->texts[i].subject_n = 0;
        if (show_commits(x, (commit_level)level, limits[level]) && level > HASH_LINE)
            return;
    }
    if (x->used == nothing) /* not even one hash line fits in half of it */
        show_commits(x, HASH_LINE, x->bytes);
    show_subjects(x, limits[WITH_SUBJECT]);
}

static void grow_texts(abr_diff_choice *x, uint64_t limit)
{
    show_subjects(x, limit);
    for (size_t i = 0; i < x->plan->part_count; i++)
        if (x->plan->parts[i].text)
            grow_text(x, i, limit);
}

/* Neither a file's name nor a hunk is ever shown under a commit other than its own. */
static bool is_barred(const abr_diff_choice *x, const abr_diff_file *file, size_t *text,
                      const abr_shown_text **commit)
{
    for (; *text < x->g->text_count && x->g->texts[*text].t.at < file->at; ++*text)
        if (x->g->texts[*text].t.commit)
            *commit = &x->g->texts[*text];
    const uint64_t number = file->before.commits;
    return number > 0 && !(*commit && (*commit)->front > 0 && (*commit)->t.before.commits + 1 == number);
}

static void bar_files(abr_diff_choice *x)
{
    const abr_shown_text *commit = NULL;
    size_t text = 0;
    for (size_t i = 0; i < x->plan->name_count; i++)
        x->plan->names[i].barred = is_barred(x, &x->plan->names[i].name.file, &text, &commit);
    commit = NULL;
    text = 0;
    for (size_t i = 0; i < x->g->hunk_count; i++)
        x->g->hunks[i].barred = is_barred(x, &x->g->hunks[i].h.file, &text, &commit);
}

/* ---- names ---- */

/* Show a name, if that keeps to the limit. `joins`: it directly follows one that the same loop has shown. */
static bool show_name(abr_diff_choice *x, abr_shown_name *name, bool joins, uint64_t limit)
{
    const uint64_t most = x->used + name->name.file.name_n + (joins ? 0 : MARKER);
    name->shown = true;
    if (most <= limit) {
        x->used = most;
        return true;
    }
    recount(x);
    if (x->used <= limit)
        return true;
    name->shown = false;
    recount(x);
    return false;
}

/* Show names of one class in order, at most `most` per commit, while the total keeps to `limit`. Were all of
 * them shown? */
static bool show_names(abr_diff_choice *x, bool machine, uint64_t most, uint64_t limit)
{
    uint64_t commit = UINT64_MAX;
    uint64_t shown = 0;
    bool joins = false;
    for (size_t i = 0; i < x->plan->name_count; i++) {
        abr_shown_name *name = &x->plan->names[i];
        const abr_diff_file *file = &name->name.file;
        const bool same = file->before.commits == commit;
        shown = same ? shown : 0;
        commit = file->before.commits;
        if (name->barred || file->machine != machine || shown == most)
            continue;
        shown++;
        if (!name->shown && !show_name(x, name, joins && same, limit))
            return false;
        joins = true;
    }
    return true;
}

/* Show all names, or none. Returns how many show. */
static uint64_t set_names_shown(abr_diff_choice *x, bool shown)
{
    for (size_t i = 0; i < x->plan->name_count; i++)
        x->plan->names[i].shown = shown && !x->plan->names[i].barred;
    recount(x);
    return x->plan->name_count > 0 ? x->plan->names[x->plan->name_count - 1].names.files : 0;
}

/* With several commits, names get three quarters of the room that headers leave, as many for each commit as
 * for others; else three quarters of the budget if they all fit, or half. */
static void choose_names(abr_diff_choice *x)
{
    const bool several = x->plan->total.commits > 1;
    const uint64_t headers = x->used;
    const uint64_t left = x->bytes > headers ? x->bytes - headers : 0;
    const uint64_t most = several ? headers + (left - left / 4) : x->bytes - x->bytes / 4;
    if (set_names_shown(x, true) == x->plan->total.files && x->used <= most)
        return;
    set_names_shown(x, false);
    const uint64_t limit = several ? most : x->bytes / 2;
    for (int machine = 0; machine < 2; machine++)
        for (uint64_t names = several ? 1 : x->plan->name_count;
             show_names(x, machine != 0, names, limit) && names < x->plan->name_count;)
            names *= 2;
    recount(x);
    if (x->used > x->bytes)
        set_names_shown(x, false);
}

/* Is a hunk of the file shown? *part is at or before its first hunk, and moves on. */
static bool has_hunk(const abr_diff_plan *plan, uint64_t file, size_t *part)
{
    for (; *part < plan->part_count; ++*part) {
        const abr_shown_hunk *h = plan->parts[*part].hunk;
        if (!h || h->h.file.before.files < file)
            continue;
        if (h->h.file.before.files > file)
            return false;
        if (abr_diff_is_shown(plan, *part))
            return true;
    }
    return false;
}

/* Give the remaining room to names. */
static void add_names(abr_diff_choice *x)
{
    size_t part = 0;
    bool joins = false;
    size_t end = 0;
    for (; end < x->plan->name_count; end++) {
        abr_shown_name *name = &x->plan->names[end];
        const bool skips = name->barred || has_hunk(x->plan, name->name.file.before.files, &part);
        name->added = !skips && !name->shown;
        if (name->added && !show_name(x, name, joins, x->bytes))
            break;
        joins = !skips && (joins || name->added);
    }
    recount(x);
    for (size_t i = end; i > 0 && x->used > x->bytes; i--) { /* the numbers in a marker have become longer */
        x->plan->names[i - 1].shown &= !x->plan->names[i - 1].added;
        recount(x);
    }
}

/* ---- the start ---- */

/* Show all of the diff up to a place. */
ABR_WRAPS static void set_start(abr_diff_choice *x, const abr_diff_place *place)
{
    abr_shown_hunk *start = &x->g->start;
    *start = (abr_shown_hunk){.h = {.size = place->at}, .after = place->before, .front = place->at};
    start->h.file.at = place->file_at;
    start->h.file.before.files = place->before.files - 1;
    x->plan->start.hunk = start;
}

static uint64_t part_start(const abr_diff_part *part)
{
    if (part->text)
        return part->text->t.at;
    return abr_is_bare(&part->hunk->h) ? part->hunk->h.file.at : part->hunk->h.at;
}

/* Give the remaining room to the start of the diff, up to the last place that fits. */
static void choose_start(abr_diff_choice *x)
{
    abr_diff_plan *plan = x->plan;
    uint64_t passed = 0; /* bytes up to the end of the previous part */
    size_t before = plan->part_count;
    size_t next = abr_diff_shown_from(plan, 0);
    const abr_diff_place *best = NULL;
    for (size_t i = 0; i < x->g->place_count && x->g->places[i].at <= x->bytes; i++) {
        const abr_diff_place *place = &x->g->places[i];
        for (; next < plan->part_count && part_start(&plan->parts[next]) < place->at;
             next = abr_diff_shown_from(plan, next + 1)) {
            passed += abr_diff_gap(plan, before, next) + abr_diff_own(plan, &plan->parts[next]);
            before = next;
        }
        const uint64_t rest = x->used - passed - abr_diff_gap(plan, before, next);
        set_start(x, place);
        if (place->at + abr_diff_gap(plan, plan->part_count, next) + rest <= x->bytes)
            best = place;
        plan->start.hunk = NULL;
    }
    if (!best)
        return;
    set_start(x, best);
    for (size_t i = 0; i < plan->part_count; i++)
        if (part_start(&plan->parts[i]) < best->at)
            abr_diff_set_shown(plan, i, false);
    recount(x);
}

/* ---- all ---- */

bool abr_diff_choose(abr_diff_gathered *g, uint64_t bytes, uint64_t *used)
{
    abr_diff_choice x = {.g = g, .plan = &g->plan, .bytes = bytes};
    x.small = bytes / SMALL_SHARE > MARKER ? bytes / SMALL_SHARE - MARKER : 0;
    recount(&x);
    if (x.plan->total.commits > 1) {
        choose_commits(&x);
        bar_files(&x);
    }
    choose_names(&x);
    if (x.plan->total.commits == 1)
        choose_commits(&x);
    *used = x.used;
    if (x.used > bytes)
        return true;
    grow_texts(&x, x.used + (bytes - x.used) / TEXT_SHARE);
    if (!abr_diff_choose_hunks(&x))
        return false;
    grow_texts(&x, bytes);
    add_names(&x);
    choose_start(&x);
    *used = x.used;
    return true;
}
