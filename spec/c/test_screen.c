/* Lines of any length, rewritten anywhere: the same text as a screen that counts every column from the
 * start of its row. What that costs is counted by `make bench-check`, and how it grows by `make bench`. */

#include "naive_screen.h"

enum { KB = 1024 };

static const abr_clean_opts all = {.keep = 0};

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
ABR_WRAPS static void add_rows_and_changes(both *b, size_t most, unsigned changes)
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

int main(void)
{
    RUN(short_lines_are_those_of_a_naive_screen);
    RUN(long_lines_are_those_of_a_naive_screen);
    RUN(lines_over_the_window_are_those_of_a_naive_screen);
    return check_end();
}
