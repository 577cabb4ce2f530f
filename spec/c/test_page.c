/* Pages: a page of a file is the cut of what the file holds from there on, told in places of the whole;
 * following pages rebuilds the file; an index changes nothing but the time it takes. */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* mkdtemp, utimensat */
#endif

/* A second copy of the pages under names of its own, its index with few and narrow entries. */
#define INDEX_STRIDE 16
#define INDEX_ENTRIES 8
#define INDEXED_FROM 1
#define abr_read_at own_read_at
#define abr_lines_begin own_lines_begin
#define abr_lines_read own_lines_read
#define abr_lines_free own_lines_free
#define abr_line_start own_line_start
#define abr_line_end own_line_end
#define abr_chars_before own_chars_before
#define abr_walk_begin own_walk_begin
#define abr_walk_on own_walk_on
#define abr_same_identity own_same_identity
#define abr_index_find own_index_find
#define abr_index_put own_index_put
#define abr_index_place own_index_place
#define abr_index_open own_index_open
#define abr_index_bytes own_index_bytes
#define abr_index_close own_index_close
#define abr_index_elements own_index_elements
#define abr_index_put_elements own_index_put_elements
#define abr_page_write own_page_write
#define abr_page_open own_page_open
#define abr_page_begin own_page_begin
#define abr_page_step own_page_step
#define abr_page_text own_page_text
#define abr_page_cut own_page_cut
#define abr_page_about own_page_about
#define abr_page_read own_page_read
#define abr_page_changed own_page_changed
#define abr_page_close own_page_close
#define abr_file_read_at own_file_read_at
/* Reads are looked at on their way. */
#define abr_read_once seen_read_once
#include <time.h>

#include "files/line_index.c"
#include "files/file_index.c"
#include "page/page.c"
#include "page/page_cut.c"

#include "check.h"
#include "paged_file.h"

enum { TEXT_MOST = 300 };

static unsigned reads;
static unsigned off_pages; /* reads to a place on no page */

#undef abr_read_once
int abr_read_once(abr_handle file, char *dst, size_t n, uint64_t at, size_t *got);

int seen_read_once(abr_handle file, char *dst, size_t n, uint64_t at, size_t *got)
{
    static const char *end; /* where the read before ended; one may go on there */
    reads++;
    off_pages += dst != end && (uintptr_t)dst % ABR_ALIGNED != 0;
    int failed = abr_read_once(file, dst, n, at, got);
    end = dst + *got;
    return failed;
}

static abr_page_opts random_page(size_t n)
{
    abr_page_opts o = ABR_PAGE_OPTS_INIT;
    o.cut.strategy = (abr_strategy)pick(3);
    o.cut.utf8_replace = pick(2) == 0;
    o.cut.long_line = (abr_long_line)pick(3);
    if (pick(2) == 0)
        o.cut.max.bytes = pick(n + 10);
    if (pick(3) == 0)
        o.cut.max.lines = pick(12);
    if (pick(3) == 0)
        o.cut.max.chars = pick(n + 10);
    if (pick(4) == 0)
        o.cut.max.tokens = pick(n / 4 + 2);
    if (pick(4) == 0)
        o.limit = 1 + pick(6);
    return o;
}

/* Where a line, and a char in it, start by the plainest means; SIZE_MAX when there is none. */
static size_t place_in(const char *p, size_t n, uint64_t line, uint64_t column)
{
    size_t at = 0;
    for (uint64_t newlines = line - 1; newlines > 0; newlines--) {
        const char *newline = memchr(p + at, '\n', n - at);
        if (!newline || newline + 1 == p + n)
            return SIZE_MAX;
        at = (size_t)(newline - p) + 1;
    }
    const char *end = memchr(p + at, '\n', n - at);
    size_t size = end ? (size_t)(end - (p + at)) : n - at;
    uint64_t chars = abr_count_chars(p + at, size, NULL);
    return column > chars + 1 ? SIZE_MAX : at + abr_skip_chars(p + at, size, column - 1);
}

/* Where the lines wanted end, for a strategy that keeps the end: n where no more follow. */
static size_t end_of_limit(const char *p, size_t n, size_t at, const abr_page_opts *o)
{
    uint64_t left = o->cut.strategy == ABR_HEAD ? ABR_UNLIMITED : o->limit;
    for (; at < n && left > 0; left--) {
        const char *newline = memchr(p + at, '\n', n - at);
        at = newline ? (size_t)(newline - p) + 1 : n;
    }
    return at;
}

/* A page that ends at its limit and fits is cut there, without its last newline. */
static bool ends_at_limit(const char *p, size_t n, size_t at, size_t end, const abr_page_opts *o,
                          const abr_cut *got)
{
    abr_opts opts = o->cut;
    abr_cut want;
    opts.max = got->max;
    opts.max.lines = o->cut.max.lines;
    if (end == n || !CHECK(abr_cut_text(p + at, end - at, &opts, &want, NULL) == ABR_OK))
        return false;
    bool fits = !want.truncated;
    abr_cut_free(&want);
    if (!fits)
        return false;
    CHECK(got->truncated && got->truncated_by == ABR_BY_LINES && !got->final_newline);
    CHECK_COUNT(o->limit, got->output_lines);
    CHECK_COUNT(end - at - 1, got->output_bytes);
    if (CHECK_COUNT(end - at > 1, got->piece_count) && got->piece_count > 0)
        CHECK_BYTES(p + at, end - at - 1, got->pieces[0].p, got->pieces[0].n);
    return true;
}

static void check_cut(const char *p, size_t n, size_t at, const abr_page_opts *o, const abr_cut *got)
{
    abr_opts opts = o->cut;
    abr_cut want;
    size_t end = end_of_limit(p, n, at, o);
    if (ends_at_limit(p, n, at, end, o, got))
        return;
    opts.max = got->max; /* a page limited in lines alone sets max.bytes, and says so */
    if (o->column > 0)
        opts.long_line = ABR_LONG_SPLIT;
    if (!CHECK(abr_cut_text(p + at, end - at, &opts, &want, NULL) == ABR_OK))
        return;
    CHECK(want.truncated == got->truncated);
    CHECK_COUNT(want.truncated_by, got->truncated_by);
    CHECK_COUNT(want.output_lines, got->output_lines);
    CHECK_COUNT(want.output_bytes, got->output_bytes);
    CHECK_COUNT(want.line_bytes, got->line_bytes);
    CHECK(want.first_line_exceeds_limit == got->first_line_exceeds_limit);
    CHECK_COUNT(abr_count_lines(p, n), got->total_lines);
    CHECK_COUNT(n, got->total_bytes);
    CHECK_COUNT(got->total_bytes - got->output_bytes, got->omitted_bytes);
    if (o->cut.max.chars != ABR_UNLIMITED)
        CHECK_COUNT(abr_count_chars(p, n, NULL), got->total_chars);
    if (CHECK_COUNT(want.piece_count, got->piece_count))
        for (size_t i = 0; i < want.piece_count; i++) {
            CHECK_BYTES(want.pieces[i].p, want.pieces[i].n, got->pieces[i].p, got->pieces[i].n);
            if (want.pieces[i].source) {
                CHECK_COUNT(want.pieces[i].first_byte + at, got->pieces[i].first_byte);
                CHECK_COUNT(want.pieces[i].first_line + o->offset - 1, got->pieces[i].first_line);
                CHECK_COUNT(want.pieces[i].last_line + o->offset - 1, got->pieces[i].last_line);
            }
        }
    abr_cut_free(&want);
}

static void compare(const char *p, size_t n, const abr_page_opts *o)
{
    size_t at = place_in(p, n, o->offset, o->column > 0 ? o->column : 1);
    abr_page *page;
    abr_page_lines lines;
    abr_cut cut;
    abr_error error = {ABR_OK, NULL, 0};
    abr_code code = abr_page_open(path, o, &page, &error);
    if (at == SIZE_MAX) {
        CHECK(code == ABR_EOFFSET || code == ABR_ECOLUMN);
        CHECK(!page);
        if (code == ABR_EOFFSET)
            CHECK_COUNT(abr_count_lines(p, n), error.position);
        return;
    }
    if (!CHECK(code == ABR_OK)) {
        fprintf(stderr, "%s\n", error.message);
        return;
    }
    abr_page_info about = abr_page_about(page);
    CHECK_COUNT(at + 1, about.first_byte);
    CHECK(!about.changed);
    if (o->cut.max.chars != ABR_UNLIMITED)
        CHECK_COUNT(abr_count_chars(p, at, NULL) + 1, about.first_char);
    if (CHECK(abr_page_cut(page, NULL, &cut, &lines, NULL) == ABR_OK))
        check_cut(p, n, at, o, &cut);
    abr_cut_free(&cut);
    abr_page_close(page);
}

static void a_page_is_the_cut_of_the_rest(void)
{
    char text[TEXT_MOST];
    const size_t cases = check_cases(6000);
    abr_index *index;
    CHECK(abr_index_open(NULL, &index, NULL) == ABR_OK);
    for (size_t i = 0; i < cases && check_failures == 0; i++) {
        uint64_t seed = check_seed;
        size_t n = pick(TEXT_MOST);
        random_text(text, n);
        if (i % 8 == 0) /* the same file for some pages, so that its index is used */
            write_file(text, n);
        else {
            FILE *file = fopen(path, "rb");
            n = fread(text, 1, sizeof text, file);
            fclose(file);
        }
        abr_page_opts o = random_page(n);
        o.binary = true;
        o.index = pick(3) > 0 ? index : NULL;
        o.offset = 1 + pick((size_t)abr_count_lines(text, n) + 2);
        o.column = pick(3) == 0 ? 1 + pick(30) : 0;
        char *copy = exact(text, n);
        compare(copy, n, &o);
        free(copy);
        if (check_failures > 0)
            fprintf(stderr, "case %zu of seed %" PRIu64 "\n", i, seed);
    }
    abr_index_close(index);
}

/* Follow the pages of the file, or of the text where there is no path, to the end: is what they show (p,
 * n)? */
static void follow(const char *file, const char *p, size_t n, abr_page_opts o)
{
    size_t have = 0;
    uint64_t pages = 0;
    for (;;) {
        abr_page *page;
        abr_page_lines lines;
        abr_cut cut;
        abr_code code = file ? abr_page_open(file, &o, &page, NULL) : abr_page_text(p, n, &o, &page, NULL);
        if (!CHECK(code == ABR_OK) || !CHECK(abr_page_cut(page, NULL, &cut, &lines, NULL) == ABR_OK))
            return;
        char *content = content_of(&cut);
        bool right = have + cut.content_bytes <= n && memcmp(p + have, content, cut.content_bytes) == 0;
        have += cut.content_bytes;
        bool goes_on = lines.next_offset > 0;
        CHECK(goes_on == cut.truncated);
        if (cut.final_newline)
            have++;
        if (right && goes_on && lines.next_column == 0)
            right = have < n && p[have++] == '\n';
        o.offset = lines.next_offset;
        o.column = lines.next_column;
        free(content);
        abr_cut_free(&cut);
        abr_page_close(page);
        if (!CHECK(right) || !CHECK(++pages < 2 * TEXT_MOST) || !goes_on)
            break;
    }
    CHECK_COUNT(n, have);
}

static void following_pages_rebuilds_the_file(void)
{
    char text[TEXT_MOST];
    const size_t cases = check_cases(600);
    abr_index *index;
    CHECK(abr_index_open(NULL, &index, NULL) == ABR_OK);
    for (size_t i = 0; i < cases && check_failures == 0; i++) {
        uint64_t seed = check_seed;
        size_t n = pick(TEXT_MOST);
        random_text(text, n);
        write_file(text, n);
        abr_page_opts o = ABR_PAGE_OPTS_INIT;
        o.binary = true;
        o.index = pick(2) == 0 ? index : NULL;
        o.cut.long_line = ABR_LONG_SPLIT;
        o.cut.max.bytes = 4 + pick(40); /* any char fits */
        if (pick(2) == 0)
            o.cut.max.lines = 1 + pick(5);
        if (pick(3) == 0)
            o.cut.max.chars = 1 + pick(20);
        char *copy = exact(text, n);
        follow(pick(4) > 0 ? path : NULL, copy, n, o);
        free(copy);
        if (check_failures > 0)
            fprintf(stderr, "case %zu of seed %" PRIu64 "\n", i, seed);
    }
    abr_index_close(index);
}

static abr_code open_in_steps(const char *file, const abr_page_opts *o, abr_page **page, abr_error *error)
{
    bool done = false;
    abr_code code = abr_page_begin(file, o, page, error);
    while (code == ABR_OK && !done)
        code = abr_page_step(*page, pick(2) == 0 ? pick(3) : pick(4 * ABR_BLOCK), &done, error);
    return code;
}

static void the_same_page(abr_page *a, abr_page *b)
{
    abr_cut cut[2];
    abr_page_lines lines[2];
    abr_page_info about[2] = {abr_page_about(a), abr_page_about(b)};
    CHECK(abr_page_cut(a, NULL, &cut[0], &lines[0], NULL) == ABR_OK);
    CHECK(abr_page_cut(b, NULL, &cut[1], &lines[1], NULL) == ABR_OK);
    char *text[2];
    for (int i = 0; i < 2; i++) {
        text[i] = malloc(cut[i].content_bytes + 1);
        abr_cut_write(&cut[i], text[i]);
    }
    CHECK_COUNT(cut[0].content_bytes, cut[1].content_bytes);
    CHECK(memcmp(text[0], text[1], cut[0].content_bytes) == 0);
    CHECK_COUNT(cut[0].total_lines, cut[1].total_lines);
    CHECK_COUNT(cut[0].total_chars, cut[1].total_chars);
    CHECK_COUNT(about[0].first_byte, about[1].first_byte);
    CHECK_COUNT(about[0].first_char, about[1].first_char);
    CHECK(strcmp(about[0].version, about[1].version) == 0);
    CHECK(about[0].changed == about[1].changed);
    CHECK(memcmp(&lines[0], &lines[1], sizeof lines[0]) == 0);
    for (int i = 0; i < 2; i++) {
        abr_cut_free(&cut[i]);
        free(text[i]);
    }
}

/* A file of some blocks, with and without an index, in steps of any size; now and then it has no such
 * place. */
static void steps_change_nothing(void)
{
    enum { MOST = 5 * ABR_BLOCK };
    char *text = malloc(MOST);
    const size_t cases = check_cases(200);
    abr_index *index;
    CHECK(abr_index_open(NULL, &index, NULL) == ABR_OK);
    for (size_t i = 0; text && i < cases; i++) {
        const size_t n = pick(4) == 0 ? pick(5000) : pick(MOST);
        const uint64_t width = 1 + pick(pick(3) == 0 ? 2 * ABR_BLOCK : 100);
        for (size_t at = 0; at < n; at++)
            text[at] = pick(width) == 0 ? '\n' : "ab\xC3\xA9"[at % 4];
        if (i % 3 == 0)
            write_file(text, n);
        abr_page_opts o = random_page(200);
        o.index = pick(2) == 0 ? index : NULL;
        o.offset = 1 + pick(n / width + 2);
        o.column = pick(2) == 0 ? 1 + pick(width + 1) : 0;
        abr_page *pages[2];
        abr_error errors[2] = {{ABR_OK, "", 0}, {ABR_OK, "", 0}};
        abr_code code = abr_page_open(path, &o, &pages[0], &errors[0]);
        CHECK(open_in_steps(path, &o, &pages[1], &errors[1]) == code);
        CHECK_COUNT(errors[0].position, errors[1].position);
        if (code == ABR_OK)
            the_same_page(pages[0], pages[1]);
        abr_page_close(pages[0]);
        abr_page_close(pages[1]);
    }
    abr_index_close(index);
    free(text);
}

/* The file is as it was at the last step, or said to have changed. */
static void a_change_between_steps_is_told(void)
{
    enum { SIZE = 3 * ABR_BLOCK };
    static char text[SIZE + 2];
    memset(text, 'x', sizeof text);
    abr_page_opts o = ABR_PAGE_OPTS_INIT;
    abr_page *page;
    bool done = false;
    write_file(text, SIZE);
    CHECK(abr_page_begin(path, &o, &page, NULL) == ABR_OK);
    CHECK(abr_page_step(page, ABR_BLOCK, &done, NULL) == ABR_OK && !done);
    write_file(text, SIZE + 1);
    while (!done)
        CHECK(abr_page_step(page, ABR_BLOCK, &done, NULL) == ABR_OK);
    CHECK_COUNT(SIZE + 1, abr_page_about(page).total_bytes); /* read anew */
    CHECK(!abr_page_about(page).changed);
    abr_page_close(page);

    CHECK(abr_page_begin(path, &o, &page, NULL) == ABR_OK);
    for (done = false; !done;) {
        CHECK(abr_page_step(page, ABR_BLOCK, &done, NULL) == ABR_OK);
        write_file(text, SIZE);
    }
    CHECK(abr_page_about(page).changed); /* it never stayed the same */
    abr_page_close(page);

    write_file(text, SIZE);
    CHECK(abr_page_begin(path, &o, &page, NULL) == ABR_OK);
    CHECK(abr_page_step(page, ABR_BLOCK, &done, NULL) == ABR_OK && !done);
    abr_page_close(page); /* in the midst of it */
}

static abr_code open_code(const char *file, const abr_page_opts *o, const char **message)
{
    abr_page *page;
    abr_error error = {ABR_OK, "", 0};
    abr_code code = abr_page_open(file, o, &page, &error);
    *message = error.message;
    abr_page_close(page);
    return code;
}

static void what_is_no_text_file_is_refused(void)
{
    abr_page_opts o = ABR_PAGE_OPTS_INIT;
    const char *message;
    CHECK(open_code(A_DEVICE, &o, &message) == ABR_ENOTREG);
    CHECK_TEXT("device", message, strlen(message));
    CHECK(open_code(folder, &o, &message) == ABR_EISDIR);
    CHECK(open_code("/no/such/file", &o, &message) == ABR_ENOENT);
    write_file("a\0b", 3);
    CHECK(open_code(path, &o, &message) == ABR_EBINARY);
    o.binary = true;
    CHECK(open_code(path, &o, &message) == ABR_OK);
    o.offset = 0;
    CHECK(open_code(path, &o, &message) == ABR_EINVAL);
}

#ifdef _WIN32
static void a_pipe_is_refused(void)
{
    static const char name[] = "\\\\.\\pipe\\abridge-test";
    abr_page_opts o = ABR_PAGE_OPTS_INIT;
    const char *message;
    HANDLE pipe = CreateNamedPipeA(name, PIPE_ACCESS_DUPLEX, PIPE_TYPE_BYTE, 1, 0, 0, 0, NULL);
    CHECK(pipe != INVALID_HANDLE_VALUE);
    CHECK(open_code(name, &o, &message) == ABR_ENOTREG);
    CloseHandle(pipe);
}

/* Nobody else may read it while it is open. */
static void a_file_that_may_not_be_read_is_told(void)
{
    abr_page_opts o = ABR_PAGE_OPTS_INIT;
    const char *message;
    write_file("one\n", 4);
    HANDLE alone = CreateFileA(path, GENERIC_READ, 0, NULL, OPEN_EXISTING, 0, NULL);
    CHECK(alone != INVALID_HANDLE_VALUE);
    CHECK(open_code(path, &o, &message) == ABR_EACCES);
    CHECK_TEXT("permission denied", message, strlen(message));
    CloseHandle(alone);
    CHECK(open_code(path, &o, &message) == ABR_OK);
}
#else
static void a_pipe_is_refused(void)
{
    abr_page_opts o = ABR_PAGE_OPTS_INIT;
    const char *message;
    char fifo[sizeof folder + 8];
    snprintf(fifo, sizeof fifo, "%s/fifo", folder);
    CHECK(mkfifo(fifo, 0600) == 0);
    CHECK(open_code(fifo, &o, &message) == ABR_ENOTREG); /* and returns at once */
    CHECK_TEXT("fifo", message, strlen(message));
    unlink(fifo);
}

static void a_file_that_may_not_be_read_is_told(void)
{
    const uid_t nobody = 65534;
    abr_page_opts o = ABR_PAGE_OPTS_INIT;
    const char *message;
    write_file("one\n", 4);
    CHECK(chmod(folder, 0711) == 0 && chmod(path, 0) == 0);
    bool is_root = geteuid() == 0; /* root may read everything */
    CHECK(!is_root || seteuid(nobody) == 0);
    CHECK(open_code(path, &o, &message) == ABR_EACCES);
    CHECK_TEXT("permission denied", message, strlen(message));
    CHECK(!is_root || seteuid(0) == 0);
    CHECK(chmod(path, 0600) == 0 && chmod(folder, 0700) == 0);
}
#endif

static void a_file_of_another_state_is_told(void)
{
    abr_page_opts o = ABR_PAGE_OPTS_INIT;
    abr_page *page;
    char version[100];
    write_file("one\n", 4);
    CHECK(abr_page_open(path, &o, &page, NULL) == ABR_OK);
    snprintf(version, sizeof version, "%s", abr_page_about(page).version);
    CHECK(!abr_page_changed(page));
    write_file("one\ntwo\n", 8);
    CHECK(abr_page_changed(page));
    CHECK(abr_page_about(page).changed);
    abr_page_close(page);
    o.version = version;
    CHECK(abr_page_open(path, &o, &page, NULL) == ABR_OK);
    CHECK(abr_page_about(page).changed);
    snprintf(version, sizeof version, "%s", abr_page_about(page).version);
    abr_page_close(page);
    CHECK(abr_page_open(path, &o, &page, NULL) == ABR_OK);
    CHECK(!abr_page_about(page).changed);
    abr_page_close(page);
}

/* As when a file is cut short while its page is read. */
static void a_file_that_shrinks_is_an_error_not_a_crash(void)
{
    char bytes[8];
    size_t got;
    abr_page_opts o = ABR_PAGE_OPTS_INIT;
    abr_page *page;
    write_file("one\ntwo\n", 8);
    CHECK(abr_page_open(path, &o, &page, NULL) == ABR_OK);
    CHECK(cut_file(path, 2));
    CHECK(abr_page_read(page, 0, bytes, 8, &got, NULL) == ABR_EIO);
    CHECK_COUNT(2, got);
    CHECK(abr_page_changed(page));
    abr_page_close(page);
}

static abr_lines *lines_of_text(const abr_source *r, bool with_chars, char *block)
{
    abr_lines_maker maker;
    uint64_t most = ABR_COUNT_MAX;
    bool whole = false;
    CHECK(abr_lines_begin(&maker, with_chars, abr_allocator(NULL)) == 0);
    CHECK(abr_lines_read(&maker, r, block, &most, &whole) == 0);
    CHECK(whole);
    return maker.lines;
}

static void the_index_of_a_huge_file_stays_small(void)
{
    enum { LINES = 5000 };
    abr_source r = {-1, NULL, 2 * LINES};
    char *text = malloc(2 * LINES);
    char *block = malloc(ABR_BLOCK);
    abr_lines *x;
    uint64_t at;
    for (size_t i = 0; text && i < LINES; i++)
        memcpy(text + 2 * i, "x\n", 2);
    r.text = text;
    x = lines_of_text(&r, true, block);
    CHECK(x->count <= INDEX_ENTRIES);
    CHECK_COUNT(LINES, x->total_lines);
    for (uint64_t line = 1; line <= LINES; line += 7) {
        CHECK(abr_line_start(x, &r, block, line, &at) == 0);
        CHECK_COUNT(2 * (line - 1), at);
        CHECK(abr_chars_before(x, &r, block, at, &at) == 0);
        CHECK_COUNT(2 * (line - 1), at);
    }
    abr_lines_free(x);
    free(text);
    free(block);
}

static void an_index_that_counted_chars_tells_them_where_asked(void)
{
    abr_index *index;
    abr_page *page;
    abr_page_opts o = ABR_PAGE_OPTS_INIT;
    CHECK(abr_index_open(NULL, &index, NULL) == ABR_OK);
    write_file("\xC3\xA9\nb\n", 5);
    o.index = index;
    o.offset = 2;
    o.cut.max.chars = 1;
    CHECK(abr_page_open(path, &o, &page, NULL) == ABR_OK);
    CHECK_COUNT(3, abr_page_about(page).first_char);
    CHECK_COUNT(4, abr_page_about(page).total_chars);
    abr_page_close(page);
    o.cut.max.chars = ABR_UNLIMITED;
    CHECK(abr_page_open(path, &o, &page, NULL) == ABR_OK);
    CHECK_COUNT(0, abr_page_about(page).first_char);
    CHECK_COUNT(0, abr_page_about(page).total_chars);
    abr_page_close(page);
    abr_index_close(index);
}

static void an_index_keeps_the_files_used_last(void)
{
    abr_index *index;
    CHECK(abr_index_open(NULL, &index, NULL) == ABR_OK);
    for (uint64_t inode = 1; inode <= 20; inode++) {
        const abr_source r = {-1, "a\n", 2};
        char *block = malloc(ABR_BLOCK);
        abr_lines *x;
        x = lines_of_text(&r, false, block);
        x->of.inode = inode;
        abr_index_put(index, x);
        CHECK(abr_index_find(index, &(abr_identity){.inode = 1})); /* used again and again */
        free(block);
    }
    CHECK(abr_index_find(index, &(abr_identity){.inode = 20}));
    CHECK(!abr_index_find(index, &(abr_identity){.inode = 2}));
    const abr_identity others[] = {{.inode = 20, .size = 1},
                                   {.inode = 20, .device = 1},
                                   {.inode = 20, .seconds = 1},
                                   {.inode = 20, .nanoseconds = 1}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        CHECK(!abr_index_find(index, &others[i]));
    CHECK(abr_index_bytes(index) < 64 * 1024);
    abr_index_close(index);
}

static void a_file_just_written_is_not_kept_in_an_index(void)
{
    abr_index *index;
    abr_page *page;
    abr_page_opts o = ABR_PAGE_OPTS_INIT;
    CHECK(abr_index_open(NULL, &index, NULL) == ABR_OK);
    o.index = index;
    write_file("a\nb\n", 4);
    CHECK(set_changed_now(path));
    CHECK(abr_page_open(path, &o, &page, NULL) == ABR_OK);
    CHECK(!abr_index_find(index, &page->of));
    abr_page_close(page);
    write_file("a\nb\n", 4);
    CHECK(abr_page_open(path, &o, &page, NULL) == ABR_OK);
    CHECK(abr_index_find(index, &page->of));
    abr_page_close(page);
    /* over a second ago, by a clock of whole seconds: it may tick in two, and be the same after the next
     * write */
    CHECK(set_changed(path, time(NULL) - 1, 0));
    CHECK(abr_page_open(path, &o, &page, NULL) == ABR_OK);
    CHECK(!abr_index_find(index, &page->of));
    abr_page_close(page);
    abr_index_close(index);
}

/* A file that tells no size, on Linux. */
static const char *file_without_size(void)
{
    static const char name[] = "/proc/self/status";
    FILE *file = fopen(name, "rb");
    if (file)
        fclose(file);
    return file ? name : NULL;
}

static void files_that_tell_no_size_are_read(void)
{
    abr_page_opts o = ABR_PAGE_OPTS_INIT;
    abr_page *page;
    const char *name = file_without_size();
    if (!name)
        return;
    CHECK(abr_page_open(name, &o, &page, NULL) == ABR_OK);
    CHECK(abr_page_about(page).total_lines > 5);
    abr_page_close(page);
}

static void a_page_of_no_lines_is_empty(void)
{
    static const char text[] = "one\ntwo\nthree\n";
    for (int strategy = ABR_HEAD; strategy <= ABR_PIPELINE; strategy++) {
        for (uint64_t column = 0; column < 4; column++) {
            abr_page_opts o = ABR_PAGE_OPTS_INIT;
            abr_page *page;
            abr_cut cut;
            abr_page_lines lines;
            o.cut.strategy = (abr_strategy)strategy;
            o.cut.max.bytes = o.cut.max.chars = 5;
            o.limit = 0;
            o.column = column;
            CHECK(abr_page_text(text, sizeof text - 1, &o, &page, NULL) == ABR_OK);
            CHECK(abr_page_cut(page, NULL, &cut, &lines, NULL) == ABR_OK);
            CHECK(cut.truncated && cut.truncated_by == ABR_BY_LINES);
            CHECK_COUNT(0, cut.output_bytes);
            CHECK_COUNT(0, lines.next_offset);
            abr_cut_free(&cut);
            abr_page_close(page);
        }
    }
}

/* An allocator as glibc's is for large blocks: none starts on a page, all start a little after the start
 * of one. */
enum { BEHIND = 16 };

ABR_WRAPS static void *behind_malloc(void *ctx, size_t size)
{
    char *raw = malloc(size + 2 * ABR_ALIGNED);
    if (!raw)
        exit(2);
    char *p = raw + sizeof raw;
    p += (size_t)(0 - (uintptr_t)p) % ABR_ALIGNED + BEHIND;
    memcpy(p - sizeof raw, &raw, sizeof raw);
    ++*(int *)ctx;
    return p;
}

static void behind_free(void *ctx, void *p)
{
    char *raw;
    memcpy(&raw, (char *)p - sizeof raw, sizeof raw);
    free(raw);
    --*(int *)ctx;
}

static void *behind_realloc(void *ctx, void *p, size_t old_size, size_t size)
{
    void *grown = behind_malloc(ctx, size);
    memcpy(grown, p, old_size < size ? old_size : size);
    behind_free(ctx, p);
    return grown;
}

/* Open a page, read of its lines, cut it. */
static void read_a_page(const char *of, abr_strategy strategy, uint64_t column, const abr_alloc *alloc)
{
    abr_page *page;
    abr_cut cut;
    abr_page_lines lines;
    abr_page_opts o = ABR_PAGE_OPTS_INIT;
    o.cut.alloc = alloc;
    o.cut.strategy = strategy;
    o.cut.max.bytes = 300 * 1024;
    o.cut.max.chars = 200 * 1024;
    o.column = column;
    o.binary = true;
    if (!CHECK(abr_page_open(of, &o, &page, NULL) == ABR_OK))
        return;
    CHECK(abr_page_cut(page, NULL, &cut, &lines, NULL) == ABR_OK);
    abr_cut_free(&cut);
    abr_page_close(page);
}

static void files_are_read_to_pages_of_memory(void)
{
    enum { SIZE = 1200 * 1000 };
    char *text = malloc(SIZE);
    int blocks = 0;
    const abr_alloc alloc = {behind_malloc, behind_realloc, behind_free, &blocks};
    if (!text)
        exit(2);
    memset(text, 'x', SIZE);
    for (int lines = 0; lines < 2; lines++) {
        for (size_t at = 99; lines > 0 && at < SIZE; at += 100)
            text[at] = '\n';
        write_file(text, SIZE);
        reads = off_pages = 0;
        for (int strategy = ABR_HEAD; strategy <= ABR_HEAD_TAIL; strategy++)
            for (uint64_t column = 0; column < 3; column++)
                read_a_page(path, (abr_strategy)strategy, column, &alloc);
        if (file_without_size())
            read_a_page(file_without_size(), ABR_HEAD, 0, &alloc);
        CHECK(reads > 50);
        CHECK_COUNT(0, off_pages);
        CHECK_COUNT(0, blocks);
    }
    free(text);
}

static void a_page_of_a_text_asks_no_index(void)
{
    abr_index *index;
    abr_page *page;
    abr_cut cut;
    abr_page_lines lines;
    abr_page_opts o = ABR_PAGE_OPTS_INIT;
    CHECK(abr_index_open(NULL, &index, NULL) == ABR_OK);
    o.index = index;
    o.column = 1;
    o.cut.max.bytes = 2;
    CHECK(abr_page_text("a long line", 11, &o, &page, NULL) == ABR_OK);
    abr_index_close(index);
    CHECK(abr_page_cut(page, NULL, &cut, &lines, NULL) == ABR_OK);
    CHECK_COUNT(3, lines.next_column);
    abr_cut_free(&cut);
    abr_page_close(page);
}

int main(void)
{
    RUN(a_page_is_the_cut_of_the_rest);
    RUN(following_pages_rebuilds_the_file);
    RUN(steps_change_nothing);
    RUN(a_change_between_steps_is_told);
    RUN(what_is_no_text_file_is_refused);
    RUN(a_pipe_is_refused);
    RUN(a_file_that_may_not_be_read_is_told);
    RUN(a_file_of_another_state_is_told);
    RUN(a_file_that_shrinks_is_an_error_not_a_crash);
    RUN(the_index_of_a_huge_file_stays_small);
    RUN(an_index_that_counted_chars_tells_them_where_asked);
    RUN(an_index_keeps_the_files_used_last);
    RUN(a_file_just_written_is_not_kept_in_an_index);
    RUN(files_that_tell_no_size_are_read);
    RUN(a_page_of_no_lines_is_empty);
    RUN(files_are_read_to_pages_of_memory);
    RUN(a_page_of_a_text_asks_no_index);
    return check_end();
}
