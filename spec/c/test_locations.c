/* The places that diagnostics in a text point at. */
#include "check.h"

/* Parts that places are made of, and what stands around them. */
static const char *const place_parts[] = {"\n",
                                          "\n",
                                          "\n",
                                          "  ",
                                          " ",
                                          ":",
                                          ":",
                                          "12",
                                          "5",
                                          "(",
                                          ")",
                                          "[",
                                          "]",
                                          ",",
                                          "\"",
                                          "'",
                                          "a.c",
                                          "/x/b.js",
                                          "C:\\d.h",
                                          "file://",
                                          "File \"e.py\", line 3",
                                          "at f (",
                                          "--> ",
                                          "#0 0x1 in ",
                                          "error: ",
                                          "warning[W1]: ",
                                          "TypeError: x",
                                          "Caused by: ",
                                          "E   assert",
                                          " @ 4",
                                          "-> ",
                                          "line 7",
                                          ", column 2",
                                          " on ",
                                          "\x1B[1m",
                                          "\x1B[",
                                          "\x1B",
                                          "\r\n",
                                          "==1==ERROR: s",
                                          "in ",
                                          "from ",
                                          "\xE2\x82\xAC",
                                          "\xFF",
                                          "[code]",
                                          "(W211) ",
                                          "2026-03-01T10:00:00 ",
                                          "-",
                                          "=",
                                          "/"};
enum { PLACE_PARTS = sizeof place_parts / sizeof *place_parts };

/* A text of such parts in a block of its exact size. */
static char *made_text(size_t parts, size_t *n)
{
    char text[64 * 24 + 1];
    *n = 0;
    for (size_t i = 0; i < parts; i++) {
        const char *part = place_parts[pick(PLACE_PARTS)];
        if (pick(20) == 0) {
            text[(*n)++] = '\0';
            continue;
        }
        memcpy(text + *n, part, strlen(part));
        *n += strlen(part);
    }
    return exact(text, *n);
}

static bool alike(const abr_location *a, const abr_location *b)
{
    return a->line == b->line && a->lnum == b->lnum && a->col == b->col && a->severity == b->severity &&
           a->file_bytes == b->file_bytes && memcmp(a->file, b->file, a->file_bytes) == 0 &&
           a->message_bytes == b->message_bytes && memcmp(a->message, b->message, a->message_bytes) == 0;
}

static abr_location whole;
static abr_location slice;

/* Go through a text at once, and in slices that share nothing but where to go on. */
static void check_slices(const char *p, size_t n)
{
    uint64_t line = 0;
    memset(&whole, 0, sizeof whole);
    memset(&slice, 0, sizeof slice);
    while (abr_next_location(p, n, ABR_UNLIMITED, &whole)) {
        CHECK(whole.line > line && whole.lnum > 0 && whole.file_bytes > 0);
        CHECK(whole.file_bytes <= ABR_LOCATION_MOST && whole.message_bytes <= ABR_LOCATION_MOST);
        line = whole.line;
        while (!abr_next_location(p, n, slice.line + 1 + pick(3), &slice)) {
            CHECK(slice.at < n);
            const abr_location left = {.line = slice.line, .at = slice.at, .heading = slice.heading};
            slice = left;
        }
        CHECK(alike(&whole, &slice));
    }
    CHECK_COUNT(n, whole.at);
    CHECK_COUNT(abr_count_lines(p, n), whole.line);
    CHECK(!abr_next_location(p, n, ABR_UNLIMITED, &slice));
}

static void slices_of_any_length_give_what_one_pass_gives(void)
{
    const size_t cases = check_cases(200000);
    for (size_t i = 0; i < cases; i++) {
        size_t n;
        char *text = made_text(pick(64), &n);
        check_slices(text, n);
        free(text);
    }
}

static void every_prefix_of_a_text_can_be_read(void)
{
    static const char text[] =
        "a.c:3:5: \x1B[31merror\x1B[0m: x [-Wy]\n  File \"b.py\", line 3\n    x\nValueError: y\n"
        "c.js\n  1:2  error  z  no-z\n==1==ERROR: s\n    #0 0x1 in f d.c:3:4\n"
        "error[E1]: m\n --> e.rs:1:2\nf.c(1,2): g\n/h.js:1\nx\n\nTypeError: t\n";
    for (size_t n = 0; n < sizeof text; n++) {
        char *copy = exact(text, n);
        check_slices(copy, n);
        free(copy);
    }
    memset(&whole, 0, sizeof whole);
    CHECK(!abr_next_location(NULL, 0, ABR_UNLIMITED, &whole));
}

/* A line of `size` bytes that repeats `part`, with a place after it. */
static void check_long_line(const char *part, size_t size)
{
    static const char place[] = "\na.c:3: x\n";
    const size_t part_n = strlen(part);
    const size_t n = size + sizeof place - 1;
    char *text = malloc(n);
    if (!text)
        exit(2);
    for (size_t i = 0; i < size; i++)
        text[i] = part[i % part_n];
    memcpy(text + size, place, sizeof place - 1);
    memset(&whole, 0, sizeof whole);
    bool found = false;
    while (abr_next_location(text, n, ABR_UNLIMITED, &whole)) {
        CHECK(whole.file_bytes <= ABR_LOCATION_MOST);
        found = whole.lnum == 3 && whole.file_bytes == 3;
    }
    CHECK(found);
    CHECK_COUNT(n, whole.at);
    free(text);
}

static void a_line_of_any_length_ends(void)
{
    enum { LONG = 64 << 20 };
    static const char *const lines[] = {"a",        "a:1", "(1",   "a.c:1",       "\x1B[1m",
                                        "\"line 1", "[",   "1:1 ", "a.c\n1:2:x\n"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        check_long_line(lines[i], i == 0 ? LONG : 100000 + pick(64));
}

static void severities_have_names(void)
{
    CHECK_TEXT("error", abr_severity_name(ABR_SEVERITY_ERROR), 5);
    CHECK_TEXT("warning", abr_severity_name(ABR_SEVERITY_WARNING), 7);
    CHECK_TEXT("note", abr_severity_name(ABR_SEVERITY_NOTE), 4);
    CHECK(!abr_severity_name(ABR_SEVERITY_NONE));
}

int main(void)
{
    RUN(slices_of_any_length_give_what_one_pass_gives);
    RUN(every_prefix_of_a_text_can_be_read);
    RUN(a_line_of_any_length_ends);
    RUN(severities_have_names);
    return check_end();
}
