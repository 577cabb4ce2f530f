/* Diffs, cut file by file and hunk by hunk. */
#include "line/origin.h"
#include "ledger.h"

/* ---- made diffs ---- */

typedef struct {
    char *p;
    size_t n;
    size_t files;
    size_t hunks;
    size_t added;
    size_t removed;
    uint32_t random;
    size_t size; /* allocated */
} made;

ABR_WRAPS static uint32_t draw(made *d, uint32_t below)
{
    d->random = d->random * 1664525 + 1013904223;
    return (d->random >> 8) % below;
}

static void add(made *d, const char *p)
{
    const size_t n = strlen(p);
    if (d->n + n + 1 > d->size) {
        d->size = 2 * (d->n + n + 1);
        d->p = realloc(d->p, d->size);
    }
    if (!d->p)
        exit(2);
    memcpy(d->p + d->n, p, n + 1);
    d->n += n;
}

/* A line of a hunk: its sign, words, and now and then a definition or a long one. */
static void add_line(made *d, char sign)
{
    static const char *const words[] = {"let x = 1;", "function f(a) {",        "return",
                                        "",           "\xC3\xA9t\xC3\xA9 \xFF", "@@ -1 +1 @@",
                                        "--- a/no",   "diff --git a/no b/no"};
    char line[64] = {sign, '\0'};
    add(d, line);
    for (uint32_t i = draw(d, 3); i > 0; i--)
        add(d, "    ");
    add(d, words[draw(d, sizeof words / sizeof *words)]);
    for (uint32_t i = draw(d, 40) == 0 ? draw(d, 400) : 0; i > 0; i--)
        add(d, "0123456789");
    add(d, "\n");
}

static void add_hunk(made *d)
{
    char line[96];
    const uint32_t context = draw(d, 4);
    const uint32_t added = draw(d, draw(d, 12) == 0 ? 300 : 9);
    const uint32_t removed = draw(d, 5) + (added == 0);
    snprintf(line, sizeof line, "@@ -%u,%u +%u,%u @@ f\n", draw(d, 900), 2 * context + removed, draw(d, 900),
             2 * context + added);
    add(d, line);
    for (uint32_t i = 0; i < context; i++)
        add_line(d, ' ');
    for (uint32_t i = 0; i < removed; i++)
        add_line(d, '-');
    for (uint32_t i = 0; i < added; i++)
        add_line(d, '+');
    for (uint32_t i = 0; i < context; i++)
        add_line(d, ' ');
    if (draw(d, 20) == 0)
        add(d, "\\ No newline at end of file\n");
    d->hunks++;
    d->added += added;
    d->removed += removed;
}

static void add_file(made *d)
{
    static const char *const names[] = {"src/a%zu.c", "doc/\\303\\251 %zu.md", "yarn%zu.lock",
                                        "dist/b%zu.min.js"};
    char name[64];
    char line[256];
    snprintf(name, sizeof name, names[draw(d, 4)], d->files);
    const uint32_t form = draw(d, 8);
    d->files++;
    if (form < 5) {
        snprintf(line, sizeof line, "diff --git a/%s b/%s\n", name, name);
        add(d, line);
        add(d, form == 0 ? "old mode 100644\nnew mode 100755\n" : "index 0123456..89abcde 100644\n");
    } else if (form == 5) {
        snprintf(line, sizeof line, "Index: %s\n=====================\n", name);
        add(d, line);
    }
    if (form == 0)
        return;
    if (form == 1) {
        snprintf(line, sizeof line, "Binary files a/%s and b/%s differ\n", name, name);
        add(d, line);
        return;
    }
    snprintf(line, sizeof line, "--- a/%s\n+++ b/%s\n", name, name);
    add(d, line);
    for (uint32_t i = draw(d, draw(d, 5) == 0 ? 30 : 4) + 1; i > 0; i--)
        add_hunk(d);
}

static made make_diff(uint32_t seed, size_t files)
{
    made d = {.random = seed};
    add(&d, "");
    while (d.files < files) {
        if (draw(&d, 6) == 0)
            add(&d,
                "commit 0123456789abcdef0123456789abcdef01234567\nAuthor: A <a@b.c>\n\n    It is better\n\n"
                "    --- so\n    much\n\n");
        add_file(&d);
    }
    return d;
}

/* ---- cuts ---- */

typedef struct {
    char *content;
    size_t n;
    uint64_t files;
    uint64_t hunks;
} result;

static result result_of(abr_cut *cut)
{
    result r = {.n = cut->content_bytes};
    r.content = calloc(1, r.n + 1);
    if (!r.content)
        exit(2);
    abr_cut_write(cut, r.content);
    for (size_t i = 0; i < cut->item_count; i++) {
        r.files = cut->items[i].unit == ABR_ITEM_FILES ? cut->items[i].kept : r.files;
        r.hunks = cut->items[i].unit == ABR_ITEM_HUNKS ? cut->items[i].kept : r.hunks;
    }
    abr_cut_free(cut);
    return r;
}

static abr_opts options(uint64_t bytes)
{
    abr_opts o = ABR_OPTS_INIT;
    o.strategy = ABR_AUTO;
    o.kind = ABR_KIND_DIFF;
    o.max.bytes = bytes;
    return o;
}

static result cut_at_once(const char *p, size_t n, uint64_t bytes)
{
    const abr_opts o = options(bytes);
    abr_cut cut;
    CHECK(abr_cut_text(p, n, &o, &cut, NULL) == ABR_OK);
    CHECK_COUNT(ABR_KIND_DIFF, cut.kind);
    CHECK(cut.content_bytes <= bytes);
    return result_of(&cut);
}

static result cut_in_chunks(const char *p, size_t n, size_t chunk, uint64_t opened, uint64_t bytes,
                            bool snapshots)
{
    const abr_opts o = options(opened);
    const abr_narrow narrow = {.max = {ABR_UNLIMITED, bytes, ABR_UNLIMITED, ABR_UNLIMITED}};
    abr_stream *s = NULL;
    abr_cut cut;
    CHECK(abr_stream_open(&o, NULL, NULL, &s, NULL) == ABR_OK);
    for (size_t at = 0; at < n; at += chunk) {
        CHECK(abr_stream_write(s, p + at, n - at < chunk ? n - at : chunk) == ABR_OK);
        if (snapshots && at / chunk % 7 == 0 && CHECK(abr_stream_snapshot(s, NULL, &cut, NULL) == ABR_OK))
            abr_cut_free(&cut);
    }
    CHECK(abr_stream_finish(s, &narrow, &cut, NULL) == ABR_OK);
    const result r = result_of(&cut);
    abr_stream_close(s);
    return r;
}

static void check_same(const result *a, result b)
{
    CHECK_BYTES(a->content, a->n, b.content, b.n);
    CHECK_COUNT(a->files, b.files);
    CHECK_COUNT(a->hunks, b.hunks);
    free(b.content);
}

/* ---- facts ---- */

static void small_diffs_look_like_this(void)
{
    static const char text[] = "diff --git a/x b/x\nindex 1..2\n--- a/x\n+++ b/x\n"
                               "@@ -1 +1 @@\n-a\n+b\n"
                               "@@ -9,2 +9 @@\n-0123456789012345678901234567890123456789\n-c\n+d\n"
                               "diff --git a/y b/y\nindex 1..2\n--- a/y\n+++ b/y\n"
                               "@@ -1,2 +0,0 @@\n-0123456789012345678901234567890123456789\n-e\n";
    result r = cut_at_once(text, sizeof text - 1, 175);
    CHECK_TEXT("diff --git a/x b/x\nindex 1..2\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"
               "... [1 hunks, +1 -2 omitted] ...\ndiff --git a/y b/y\n... [1 hunks, +0 -2 omitted] ...",
               r.content, r.n);
    CHECK_COUNT(1, r.files);
    CHECK_COUNT(1, r.hunks);
    free(r.content);
}

/* Sums of the markers in a content; are files told, of whose hunks nothing is? */
static bool add_up(const result *r, uint64_t *hunks, uint64_t *added, uint64_t *removed)
{
    *hunks = *added = *removed = 0;
    for (const char *p = r->content; p; p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL) {
        uint64_t h;
        uint64_t a;
        uint64_t m;
        if (sscanf(p, "... [%" SCNu64 " hunks, +%" SCNu64 " -%" SCNu64 " omitted] ...", &h, &a, &m) != 3)
            continue;
        *hunks += h;
        *added += a;
        *removed += m;
    }
    return strstr(r->content, " files omitted] ...") != NULL;
}

static void hunks_shown_and_left_out_add_up(void)
{
    for (uint32_t seed = 1; seed <= 16; seed++) {
        made d = make_diff(seed, 1 + seed % 40);
        for (uint64_t bytes = 150; bytes < d.n; bytes += 1 + bytes * (seed % 5 + 1) / 4) {
            result r = cut_at_once(d.p, d.n, bytes);
            uint64_t hunks;
            uint64_t added;
            uint64_t removed;
            const bool files = add_up(&r, &hunks, &added, &removed);
            if (r.n > 0 && !files)
                CHECK_COUNT(d.hunks, hunks + r.hunks);
            CHECK(hunks + r.hunks <= d.hunks);
            CHECK(added <= d.added && removed <= d.removed);
            free(r.content);
        }
        free(d.p);
    }
}

static void chunks_and_lowered_budgets_change_nothing(void)
{
    static const size_t chunks[] = {1, 7, 61, 257, 4099, 100000};
    for (uint32_t seed = 1; seed <= 9; seed++) {
        made d = make_diff(seed * 77, 3 + seed * 3);
        const uint64_t bytes = 200 + 311 * seed;
        const result r = cut_at_once(d.p, d.n, bytes);
        for (size_t i = seed % 3; i < sizeof chunks / sizeof *chunks; i++) {
            check_same(&r, cut_in_chunks(d.p, d.n, chunks[i], bytes, bytes, chunks[i] > 60 && seed % 2 == 0));
            check_same(&r, cut_in_chunks(d.p, d.n, chunks[i], bytes * (1 + i * i), bytes, false));
        }
        free(r.content);
        free(d.p);
    }
}

/* Too many to be retained one by one; of runs of them none is cut. */
static void tiny_hunks_fill_a_large_budget(void)
{
    enum { HUNKS = 30000, BUDGET = 400 * 1000 };
    made d = {.hunks = HUNKS};
    uint64_t hunks;
    uint64_t added;
    uint64_t removed;
    add(&d, "--- a/x\n+++ b/x\n");
    for (size_t i = 0; i < HUNKS; i++)
        add(&d, "@@ -1 +1 @@\n-a\n+b\n");
    const result r = cut_at_once(d.p, d.n, BUDGET);
    CHECK(r.n >= BUDGET / 10 * 9);
    CHECK(!add_up(&r, &hunks, &added, &removed));
    CHECK_COUNT(HUNKS, hunks + r.hunks);
    check_same(&r, cut_in_chunks(d.p, d.n, 4099, BUDGET, BUDGET, true));
    check_same(&r, cut_in_chunks(d.p, d.n, 257, BUDGET * (uint64_t)2, BUDGET, false));
    free(r.content);
    free(d.p);
}

/* Lowering the budget gives the same where most was forgotten, too. */
static void a_long_diff_can_be_lowered(void)
{
    made d = make_diff(5, 800);
    for (uint64_t bytes = 64; bytes <= 20000; bytes *= 7) {
        const result r = cut_at_once(d.p, d.n, bytes);
        check_same(&r, cut_in_chunks(d.p, d.n, 30011, bytes * 4, bytes, false));
        check_same(&r, cut_in_chunks(d.p, d.n, 30011, bytes, bytes, true));
        free(r.content);
    }
    free(d.p);
}

/* By a byte, at which what is retained of each message grows by one. */
static void many_long_messages_can_be_lowered(void)
{
    made d = {0};
    char line[200];
    for (int i = 1; i <= 300; i++) {
        snprintf(line, sizeof line,
                 "commit %040x\nAuthor: A <a@b>\nDate:   Mon Jan 1 00:00:00 2026 +0000\n\n    Subject %d\n\n",
                 i, i);
        add(&d, line);
        for (int lines = i % 7 == 0 ? 12 : 60; lines > 0; lines--)
            add(&d, "    it is better\n");
        snprintf(line, sizeof line, "\ndiff --git a/x%d b/x%d\n--- a/x%d\n+++ b/x%d\n@@ -1 +1 @@\n-a\n+b\n",
                 i, i, i, i);
        add(&d, line);
    }
    for (uint64_t bytes = 4919; bytes <= 4991; bytes += 8) {
        const result r = cut_at_once(d.p, d.n, bytes);
        check_same(&r, cut_in_chunks(d.p, d.n, d.n, bytes + 1, bytes, false));
        free(r.content);
    }
    free(d.p);
}

static void every_start_of_a_diff_is_cut(void)
{
    made d = make_diff(9, 6);
    const size_t n = d.n < 3000 ? d.n : 3000;
    for (size_t i = 200; i < n; i += 11) {
        char *text = exact(d.p, i);
        const result r = cut_at_once(text, i, 190);
        check_same(&r, cut_in_chunks(text, i, 50, 400, 190, true));
        free(text);
        free(r.content);
    }
    free(d.p);
}

/* ---- memory ---- */

/* A look at a diff whose last line may yet be the header of a hunk. */
static void a_look_leaves_the_open_hunk_as_it_is(void)
{
    static const char last[] = "--- a/z\n+++ b/z\n@@ -1,9 +1,9 @@\n-let a = 1;\n+let b = 2;\n c\n";
    static const char next[] = "@@ -72,1 +72,1 @@ here";
    made d = {.random = 1};
    abr_stream *s = NULL;
    abr_cut cut;
    const abr_opts o = options(2000);
    add(&d, "--- a/x\n+++ b/x\n@@ -1,60000 +1,60000 @@\n");
    for (size_t i = 0; i < 60000; i++)
        add(&d, " same\n");
    add(&d, last);
    CHECK(abr_stream_open(&o, NULL, NULL, &s, NULL) == ABR_OK);
    CHECK(abr_stream_write(s, d.p, d.n) == ABR_OK);
    for (size_t i = 0; i < sizeof next - 1; i++) {
        CHECK(abr_stream_write(s, next + i, 1) == ABR_OK);
        CHECK(abr_stream_snapshot(s, NULL, &cut, NULL) == ABR_OK);
        abr_cut_free(&cut);
    }
    add(&d, next);
    const result r = cut_at_once(d.p, d.n, 2000);
    CHECK(strstr(r.content, "@@ -1,9 +1,9 @@") != NULL);
    CHECK(abr_stream_finish(s, NULL, &cut, NULL) == ABR_OK);
    check_same(&r, result_of(&cut));
    abr_stream_close(s);
    free(r.content);
    free(d.p);
}

static void memory_stays_within_its_bound(void)
{
    enum { BUDGET = 8192, MOST = 64 * BUDGET + 1024 * 1024 };
    ledger l = {0};
    const abr_alloc alloc = ledger_alloc(&l);
    abr_opts o = options(BUDGET);
    o.alloc = &alloc;
    made d = make_diff(3, 4000);
    char line[4096];
    memset(line, 'x', sizeof line);
    abr_stream *s = NULL;
    CHECK(abr_stream_open(&o, NULL, NULL, &s, NULL) == ABR_OK);
    CHECK(abr_stream_write(s, d.p, d.n) == ABR_OK);
    CHECK(abr_stream_write(s, "--- a/z\n+++ b/z\n@@ -0,0 +1,90000 @@\n", 36) == ABR_OK);
    for (int i = 0; i < 20000; i++) {
        line[0] = '+';
        line[sizeof line - 1] = i % 5 == 0 ? '\n' : 'x';
        CHECK(abr_stream_write(s, line, sizeof line) == ABR_OK);
    }
    abr_cut cut;
    CHECK(abr_stream_finish(s, NULL, &cut, NULL) == ABR_OK);
    free(result_of(&cut).content);
    abr_stream_close(s);
    CHECK(l.peak <= MOST);
    CHECK_COUNT(0, l.blocks);
    free(d.p);
}

static void no_failed_allocation_leaks(void)
{
    made d = make_diff(21, 12);
    for (size_t fail_at = 1; fail_at < 400; fail_at++) {
        ledger l = {.fail_at = fail_at};
        const abr_alloc alloc = ledger_alloc(&l);
        abr_opts o = options(900);
        abr_cut cut;
        o.alloc = &alloc;
        abr_code code = abr_cut_text(d.p, d.n, &o, &cut, NULL);
        CHECK(code == ABR_OK || code == ABR_ENOMEM);
        const bool done = l.calls < fail_at;
        abr_cut_free(&cut);
        CHECK_COUNT(0, l.blocks);
        if (done)
            break;
    }
    const result whole = cut_at_once(d.p, d.n, 900);
    for (size_t fail_at = 1; fail_at < 2000; fail_at += 1 + fail_at / 40) {
        ledger l = {.fail_at = fail_at};
        const abr_alloc alloc = ledger_alloc(&l);
        abr_opts o = options(900);
        abr_cut cut;
        abr_stream *s = NULL;
        o.alloc = &alloc;
        abr_code code = abr_stream_open(&o, NULL, NULL, &s, NULL);
        for (size_t at = 0; at < d.n && code == ABR_OK; at += 499) {
            const size_t n = d.n - at < 499 ? d.n - at : 499;
            while (abr_stream_write(s, d.p + at, n) == ABR_ENOMEM)
                continue; /* it changed nothing */
        }
        while (code == ABR_OK && (code = abr_stream_finish(s, NULL, &cut, NULL)) == ABR_ENOMEM)
            code = ABR_OK;
        if (code == ABR_OK)
            check_same(&whole, result_of(&cut));
        abr_stream_close(s);
        CHECK_COUNT(0, l.blocks);
        if (l.calls < fail_at)
            break;
    }
    free(whole.content);
    free(d.p);
}

enum { ENDING, MIDDLE, FOLDER, PACKAGES, INSTALLED };

/* Every row of origin.def earns its place: its path is told, and no other row tells it. */
static void paths_of_what_others_or_programs_wrote_are_told(void)
{
    static const struct {
        int part;
        const char *text, *path;
    } rows[] = {
#define ORIGIN(part, text, path) {part, text, path},
#include "line/origin.def"
#undef ORIGIN
    };
    static const char *const own[] = {"  File \"/home/ann/cart/lib/cart.py\", line 9, in total",
                                      "    at Cart.total (/usr/src/app/cart.js:9:11)",
                                      "    at Cart.total (/home/ann/dist/cart.js:9:11)"};
    static const char *const written[] = {"src/cart.c", "go.mod",      "web/package.json",
                                          "src/map.js", "a/generated", "distance/vendors.rb",
                                          "lock",       "unlock.py"};
    char header[100];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const bool is_frame = rows[i].part == INSTALLED;
        snprintf(header, sizeof header, is_frame ? "%s" : "+++ b/%s", rows[i].path);
        const abr_text_line line = {header, strlen(header)};
        CHECK(is_frame || abr_names_machine_made(line));
        CHECK(abr_is_frame_elsewhere(line) == (rows[i].part >= PACKAGES));
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            char text[40];
            const bool is_folder = rows[k].part == FOLDER || rows[k].part == PACKAGES;
            snprintf(text, sizeof text, is_folder ? "/%s/" : "%s", rows[k].text);
            const char *found = strstr(header + (is_frame ? 0 : 5), text);
            const bool tells = found && (rows[k].part != ENDING || found[strlen(text)] == '\0');
            if (!CHECK(tells == (i == k)))
                fprintf(stderr, "%s: %s\n", rows[i].path, rows[k].text);
        }
    }
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        CHECK(!abr_is_frame_elsewhere((abr_text_line){own[i], strlen(own[i])}));
    for (size_t i = 0; i < sizeof written / sizeof *written; i++) {
        snprintf(header, sizeof header, "+++ b/%s", written[i]);
        CHECK(!abr_names_machine_made((abr_text_line){header, strlen(header)}));
    }
}

int main(void)
{
    RUN(small_diffs_look_like_this);
    RUN(hunks_shown_and_left_out_add_up);
    RUN(chunks_and_lowered_budgets_change_nothing);
    RUN(tiny_hunks_fill_a_large_budget);
    RUN(a_long_diff_can_be_lowered);
    RUN(many_long_messages_can_be_lowered);
    RUN(every_start_of_a_diff_is_cut);
    RUN(paths_of_what_others_or_programs_wrote_are_told);
    RUN(a_look_leaves_the_open_hunk_as_it_is);
    RUN(memory_stays_within_its_bound);
    RUN(no_failed_allocation_leaks);
    return check_end();
}
