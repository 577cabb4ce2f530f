/* Outputs composed of parts of every kind, and such outputs in strings of JSON, at most three deep: cut at
 * once, in chunks, and with a budget lowered at the end. */
#include "cuts.h"

enum { TEXT_MOST = 48 * 1024, ROWS_MOST = 255, DEEPEST = 3, LOOKS = 4, FIRST_ROW = 1000 };

/* How a part of a kind is written; `%u` is the row's number. */
typedef struct {
    const char *first;
    const char *row;
    const char *odd; /* the row in trouble */
    const char *end;
} part_form;

static const part_form forms[] = {
    {"{\"items\": [\n", "  {\"id\": %u, \"status\": \"ok\"},\n",
     "  {\"id\": %u, \"error\": \"disk is full\"},\n", "  null]}\n"},
    {"[", "{\"id\":%u,\"note\":\"caf\xC3\xA9 \\u00e9\"},", "\"failed %u\\nerror: x\\n\",", "1]\n"},
    {"", "{\"id\":%u,\"ok\":true}\n", "{\"id\":%u,\"level\":\"error\",\"msg\":\"refused\"}\n", ""},
    {"id,name,state\n", "%u,\"a, b\",paid\n", "%u,\"two\nlines\",FAILED\n", ""},
    {"NAME       READY   STATUS    AGE\n", "web-%u   1/1     Running   5d\n",
     "web-%u   0/1     Error     1d\n", ""},
    {" id  | name  | state\n-----+-------+-------\n", " %u | shirt | sold\n", " %u | shoe  | failed\n",
     "(9 rows)\n"},
    {"diff --git a/x.c b/x.c\nindex 1234567..89abcde 100644\n--- a/x.c\n+++ b/x.c\n",
     "@@ -%u,3 +%u,3 @@ f\n same\n-old\n+new\n same\n",
     "diff --git a/y%u b/y\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-error\n+x\n", ""},
    {"commit 0123456789abcdef0123456789abcdef01234567\nAuthor: A <a@b>\n\n    Fix it\n\n",
     "diff --git a/z%u b/z\n--- a/z\n+++ b/z\n@@ -1 +1 @@\n-a\n+b\n",
     "commit 1123456789abcdef0123456789abcdef0123456%u\n\n    m\n\n", ""},
    {"$ make\n", "[%u/900] compiling x.c\n", "x.c:%u:5: error: expected ';'\n   12 | y\n      | ^\n",
     "make: *** [all] Error 1\n"},
    {"", "2026-01-02T03:04:05Z INFO request %u done\n",
     "Traceback (most recent call last):\n  File \"a.py\", line %u, in <module>\nKeyError: 'x'\n", ""},
    {"#include <x.h>\n\n", "static int f%u(void)\n{\n    return error;\n}\n\n", "/* an error at %u */\n", ""},
    {"total 8\n", "-rw-r--r-- 1 root root %u Jan  2 03:04 a.c\n",
     "drwxr-xr-x 2 root root %u Jan  2 03:04 errors\n", ""},
    {"", "some prose of this and that, and more of it, %u times\n", "\n", "\n"},
};

static char text[TEXT_MOST + 1];
static char other[TEXT_MOST + 1];
static size_t text_n;

static void put(const char *p, size_t n)
{
    if (n > TEXT_MOST - text_n)
        return;
    memcpy(text + text_n, p, n);
    text_n += n;
}

/* A form with its number. */
static void put_row(const char *form, unsigned number)
{
    char digits[16];
    for (const char *at; (at = strchr(form, '%')) != NULL;) {
        put(form, (size_t)(at - form));
        put(digits, (size_t)snprintf(digits, sizeof digits, "%u", number));
        form = at + 2;
    }
    put(form, strlen(form));
}

static void put_part(input *in)
{
    const part_form *form = &forms[take_below(in, sizeof forms / sizeof *forms)];
    const unsigned rows = take_byte(in) % (ROWS_MOST + 1);
    const unsigned odd = take_byte(in);
    const unsigned how = take_byte(in);
    put(form->first, (how & 7) == 1 ? 0 : strlen(form->first));
    for (unsigned i = 0; i < rows; i++)
        put_row(i == odd ? form->odd : form->row, FIRST_ROW + i);
    put(form->end, (how & 56) == 8 ? 0 : strlen(form->end));
    if ((how & 192) == 64 && text_n > 0 && text[text_n - 1] == '\n')
        text_n--;
    else if ((how & 192) == 128)
        put("\n", 1);
}

/* What is written becomes a string of a document, after other members. */
static void put_in_string(void)
{
    const size_t n = text_n;
    memcpy(other, text, n);
    text_n = 0;
    put("{\"exit_code\":1,\"stdout\":\"", 25);
    for (size_t i = 0; i < n && text_n < TEXT_MOST - 8; i++) {
        if (other[i] == '\n')
            put("\\n", 2);
        else if (other[i] == '"' || other[i] == '\\')
            put((char[]){'\\', other[i]}, 2);
        else
            put(&other[i], 1);
    }
    if (text_n > 0 && text_n >= TEXT_MOST - 8) /* no half of a char or an escape at the end */
        while ((text[text_n - 1] & 0x80) || text[text_n - 1] == '\\')
            text_n--;
    put("\"}\n", 3);
}

static void compose(input *in)
{
    text_n = 0;
    for (unsigned deep = 0; in->n > 0 && text_n < TEXT_MOST;) {
        if (take_below(in, 8) > 0) {
            put_part(in);
        } else if (deep < DEEPEST) {
            put_in_string();
            deep++;
        }
    }
}

/* ---- rules ---- */

/* Parts follow one another; a line that a document starts or ends in is one of two. */
static void check_parts_of(const abr_cut *cut)
{
    uint64_t line = 0;
    RULE(cut->part_count != 1 && cut->part_count <= ABR_PARTS_MOST);
    for (size_t i = 0; i < cut->part_count; i++) {
        const abr_part *part = &cut->parts[i];
        RULE(part->first_line == line + 1 || (i > 0 && part->first_line == line));
        RULE(part->last_line >= part->first_line);
        RULE(part->output_lines <= part->last_line - part->first_line + 1);
        line = part->last_line;
    }
    RULE(cut->part_count == 0 || line == cut->total_lines);
}

static void check_cut(const char *p, size_t n, const abr_opts *o, const abr_cut *cut)
{
    check_parts_of(cut);
    if (cut->kind == ABR_KIND_BINARY) /* a line says what it is; no budget bound it */
        return;
    check_ledger(p, n, o, cut);
    check_budgets(p, n, o, cut);
}

static bool same_parts(const abr_cut *a, const abr_cut *b)
{
    bool same = a->part_count == b->part_count;
    for (size_t i = 0; same && i < a->part_count; i++)
        same = a->parts[i].kind == b->parts[i].kind && a->parts[i].last_line == b->parts[i].last_line &&
               a->parts[i].output_lines == b->parts[i].output_lines;
    return same;
}

static void must_be_same(const abr_cut *cut, const abr_opts *o, const char *p, size_t n)
{
    abr_cut want;
    RULE(abr_cut_text(p, n, o, &want, NULL) == ABR_OK);
    RULE(same_shown(cut, &want) && same_parts(cut, &want));
    abr_cut_free(&want);
}

/* In chunks it is what it is at once, looked at on the way, and with its bytes lowered at the end. */
static void check_stream(options *x, const char *p, size_t n, size_t chunk, bool looks, uint64_t more)
{
    abr_stream *stream;
    abr_cut cut;
    abr_narrow narrow = {.max = x->o.max};
    options wide = *x;
    if (wide.o.max.bytes <= ABR_COUNT_MAX - more)
        wide.o.max.bytes += more;
    RULE(abr_stream_open(&wide.o, NULL, NULL, &stream, NULL) == ABR_OK);
    for (size_t at = 0, size; at < n; at += size) {
        size = chunk < n - at ? chunk : n - at;
        char *copy = need(malloc(size));
        memcpy(copy, p + at, size);
        RULE(abr_stream_write(stream, copy, size) == ABR_OK);
        free(copy);
        if (!looks || at / (n / LOOKS + 1) == (at + size) / (n / LOOKS + 1))
            continue;
        options y = *x;
        RULE(abr_stream_snapshot(stream, &narrow, &cut, NULL) == ABR_OK);
        y.o.max = cut.max;
        must_be_same(&cut, &y.o, p, at + size);
        abr_cut_free(&cut);
    }
    RULE(abr_stream_finish(stream, &narrow, &cut, NULL) == ABR_OK);
    options y = *x;
    y.o.max = cut.max;
    must_be_same(&cut, &y.o, p, n);
    abr_cut_free(&cut);
    abr_stream_close(stream);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = {data, size};
    options x;
    abr_cut cut;
    take_options(&in, &x);
    x.fails_at = 0;
    if (x.o.count_tokens)
        x.o.count_ctx = &x;
    x.o.alloc = NULL;
    x.o.strategy = ABR_AUTO;
    const unsigned way = take_byte(&in);
    const size_t chunk = size_of(take_byte(&in) % 160, take_byte(&in));
    const uint64_t more = way & 1 ? take_number(&in, 2) : 0;
    compose(&in);
    char *p = need(malloc(text_n > 0 ? text_n : 1)); /* a read past its end is found */
    memcpy(p, text, text_n);
    near_text(&x.o.max, &x.o, p, text_n);
    if (are_fine(&x.o)) {
        RULE(abr_cut_text(p, text_n, &x.o, &cut, NULL) == ABR_OK);
        check_cut(p, text_n, &x.o, &cut);
        abr_cut_free(&cut);
        check_stream(&x, p, text_n, chunk < text_n / 2048 ? text_n / 2048 : chunk, (way & 6) == 2, more);
    }
    free(p);
    return 0;
}
