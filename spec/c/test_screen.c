/* Lines of any length, rewritten anywhere: the same text as a screen that counts every column from the start of its row,
 * and at a cost that does not grow with the line. */

#include <time.h>

#include "naive_screen.h"

enum { KB = 1024 };

static const abr_clean_opts all = {0, NULL};

/* ---- against the naive screen ---- */

typedef struct {
    char *p;
    size_t n;
    size_t size;
    naive_screen *model;
} both;

static void add_bytes(both *b, const char *p, size_t n)
{
    if (b->n + n > b->size) {
        b->size = 2 * (b->n + n);
        b->p = realloc(b->p, b->size);
        if (!b->p)
            exit(2);
    }
    memcpy(b->p + b->n, p, n);
    b->n += n;
}

static void add_char(both *b, const char *c)
{
    naive_char typed = {{0}, (unsigned)strlen(c), (unsigned)abr_cells(c, strlen(c))};
    memcpy(typed.p, c, typed.n);
    add_bytes(b, c, typed.n);
    type(b->model, typed);
}

static void add_control(both *b, char final, size_t n)
{
    char sequence[32];
    int size =
        snprintf(sequence, sizeof sequence, final == 's' || final == 'u' ? "\x1B[%.0zu%c" : "\x1B[%zu%c",
                 final == 's' || final == 'u' ? (size_t)0 : n, final);
    add_bytes(b, sequence, (size_t)size);
    control(b->model, final, n);
}

static void add_c0(both *b, char c)
{
    naive_screen *s = b->model;
    add_bytes(b, &c, 1);
    if (c == '\n')
        feed_line(s);
    else if (c == '\r')
        go_to(s, 0);
    else if (s->skip > 0)
        s->skip--;
    else
        control(s, 'D', 1);
}

static const char *any_char(size_t kinds)
{
    static const char *const chars[] = {"a", "\xE4\xB8\x96",     "b",           "\xC3\xA9", "\xCC\x81", "\t",
                                        " ", "\xF0\x9F\x98\x80", "\xE2\x80\x8D"};
    return chars[pick(kinds)];
}

/* Rows of chars, then moves, texts and erasures all over them. */
static void add_rows_and_changes(both *b, size_t most, unsigned changes)
{
    const char *mostly[3];
    size_t kinds = 2 + pick(8);
    size_t columns = 1 + pick(most);
    for (int i = 0; i < 3; i++)
        mostly[i] = any_char(kinds);
    for (size_t rows = 1 + pick(3); rows > 0; rows--) {
        for (size_t n = b->n + columns / rows; b->n < n;)
            add_char(b, pick(16) > 0 ? mostly[pick(3)] : any_char(kinds));
        if (rows > 1)
            add_c0(b, '\n');
    }
    while (changes-- > 0) {
        size_t what = pick(20);
        size_t far = pick(3) > 0 ? pick(columns + 1) : pick(6);
        if (what < 6)
            for (size_t n = pick(5) > 0 ? 1 : pick(40); n > 0; n--)
                add_char(b, pick(2) > 0 ? mostly[pick(3)] : any_char(9));
        else if (what < 8)
            add_c0(b, "\b\b\b\r\n"[pick(5)]);
        else if (what < 9)
            add_control(b, "KKKJ"[pick(4)], pick(4) > 0 ? 0 : 1 + pick(2));
        else if (what < 11)
            add_control(b, "ABABdsu"[pick(7)], pick(4));
        else
            add_control(b, "GGGGCDCDPX@"[pick(11)], far);
    }
}

/* What the model's screen shows in the end, in a block to be freed. */
static char *shown(naive_screen *s, size_t *n)
{
    size_t size = 0;
    leave(s);
    for (size_t row = 0; row <= s->last; row++)
        size += 4 * s->rows[row].n + 1;
    char *text = malloc(size);
    if (!text)
        exit(2);
    *n = 0;
    for (size_t row = 0; row <= s->last; row++) {
        for (size_t i = 0; i < s->rows[row].n; i++) {
            const naive_char *c = &s->rows[row].chars[i];
            memcpy(text + *n, c->p, c->n);
            *n += c->n;
        }
        text[(*n)++] = '\n';
    }
    --*n;
    return text;
}

static void compare_with_the_model(size_t most, unsigned changes)
{
    both b = {.model = calloc(1, sizeof(naive_screen))};
    abr_cleaned got;
    size_t want_n;
    if (!b.model)
        exit(2);
    add_rows_and_changes(&b, most, changes);
    char *want = shown(b.model, &want_n);
    CHECK(abr_clean_text(b.p, b.n, &all, &got, NULL) == ABR_OK);
    CHECK(got.n == want_n && memcmp(got.p, want, want_n) == 0);
    abr_cleaned_free(&got);
    for (size_t row = 0; row < ROWS_MOST; row++)
        free(b.model->rows[row].chars);
    free(b.model);
    free(want);
    free(b.p);
}

static void short_lines_are_those_of_a_naive_screen(void)
{
    for (int i = 0; i < 300; i++)
        compare_with_the_model(200, 60);
}

static void long_lines_are_those_of_a_naive_screen(void)
{
    for (int i = 0; i < 60; i++)
        compare_with_the_model(4000, 150);
}

static void lines_over_the_window_are_those_of_a_naive_screen(void)
{
    for (int i = 0; i < 4; i++)
        compare_with_the_model(100 * KB, 100);
}

/* ---- cost ---- */

/* A text: one thing as often as fits 60 KB, another once, and a third up to the end. */
typedef struct {
    const char *line;
    const char *then;
    const char *again;
} hostile;

static const hostile HOSTILE[] = {
    {"\xE4\xB8\x96", "", "\x1B[40000G\x1B[1G"},
    {"\xE4\xB8\x96", "", "\b\b\b\b\b\b\b\b\x1B[65535G"},
    {"e\xCC\x81", "", "\b"},
    {"\xE4\xB8\x96", "\r", "\x1B[C"},
    {"\xE4\xB8\x96", "", "\x1B[9999D\x1B[9999C"},
    {"\xE4\xB8\x96", "\r", "\t\t\t\t\t\t\t\t\t\t\t\t\r"},
    {"a\t", "", "\x1B[G\x1B[99999Gx"},
    {"\xCC\x81", "", "\r"},
    {"a", "\x1B[30G", "\xC3\xA9\ba\b"},
    {"a", "", "\x1B[30G\xC3\xA9\x1B[60000Gab"},
    {"a", "\x1B[50G", "\xCC\x81"},
    {"a", "\x1B[50G", "\xCC\x81\x01"},
    {"\xE4\xB8\x96", "\x1B[30G", "\x1B[@\x1B[P"},
    {"a", "\x1B[30G", "\x1B[4000@\x1B[4000P"},
    {"\xE4\xB8\x96", "\x1B[3G", "\x1B[40000X"},
    {"a", "\b\b\b", "\x1B[1K"},
    {"\xE4\xB8\x96", "", "\x1B[K\x1B[4000Gx\r"},
    {"\xE4\xB8\x96\xE4\xB8\x96\xE4\xB8\x96\xE4\xB8\x96\xE4\xB8\x96\xE4\xB8\x96\xE4\xB8\x96\xE4\xB8\x96",
     "\n\x1B[99C", "\x1B[A\x1B[B"},
    {"\xE4\xB8\x96", "\x1B[s", "\r\x1B[u"},
    {"a", "", "\x1B[2J\x1B[99Bx"},
    {"a", "", "\x1B[1J\x1B[99Bx"},
    {"\xE4\xB8\x96", "\x1B[3G", "abc"},
};

static void fill(char *p, size_t *at, size_t to, const char *what)
{
    for (size_t n = strlen(what); n > 0 && *at + n <= to; *at += n)
        memcpy(p + *at, what, n);
}

/* Seconds that a hostile text of n bytes takes, whole. */
static double seconds_of(const hostile *h, size_t n)
{
    char *p = malloc(n);
    size_t at = 0;
    abr_cleaned got;
    if (!p)
        exit(2);
    fill(p, &at, 60 * KB, h->line);
    fill(p, &at, at + strlen(h->then), h->then);
    fill(p, &at, n, h->again);
    clock_t start = clock();
    CHECK(abr_clean_text(p, at, &all, &got, NULL) == ABR_OK);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    abr_cleaned_free(&got);
    free(p);
    return seconds;
}

/* Under 0.4 us a byte where nothing checks every access; a walk over the line at each move is over 30 us. */
static void hostile_moves_cost_little_a_byte(void)
{
    for (size_t i = 0; i < sizeof HOSTILE / sizeof *HOSTILE; i++) {
        double us = seconds_of(&HOSTILE[i], 160 * KB) * 1e6 / (100 * KB);
        if (!CHECK(us < 8))
            fprintf(stderr, "text %zu of HOSTILE: %.1f us a byte\n", i, us);
    }
}

int main(void)
{
    RUN(short_lines_are_those_of_a_naive_screen);
    RUN(long_lines_are_those_of_a_naive_screen);
    RUN(lines_over_the_window_are_those_of_a_naive_screen);
    RUN(hostile_moves_cost_little_a_byte);
    return check_end();
}
