/* Splices: any text, and documents made of the input, with edits at places that are there, and that are not. */
#include "input.h"

enum { TEXT_MOST = 64 * 1024, EDITS = 4, POINTER = 24, LISTED = 8 };

static const char *const values[] = {"0", "\"x\"", "[]", "{\"a\":[1,{}]}", "1,2", ""};

static char pointers[EDITS][POINTER];

static abr_edit take_edit(input *in, size_t i)
{
    static const char *const steps[] = {"", "/a", "/0", "/1", "/-", "/b", "/", "/~0", "/~2", "/x\xFF"};
    char *pointer = pointers[i];
    pointer[0] = '\0';
    for (unsigned n = take_below(in, 5); n > 0; n--)
        strcat(pointer, steps[take_below(in, 10)]);
    const char *json = values[take_below(in, 6)];
    return (abr_edit){.act = (abr_edit_act)take_below(in, 4),
                      .pointer = pointer,
                      .pointer_len = strlen(pointer),
                      .json = json,
                      .json_len = strlen(json)};
}

/* Any bytes; or values, brackets and names by the byte, closed at the end. */
static size_t make_document(const uint8_t *p, size_t n, char *dst)
{
    static const char *const scalars[] = {"1",  "\"s\\u00e9\\\"\"", "null", "[]",
                                          "{}", "-0.5e3",           "\"\"", "true"};
    static const char *const names[] = {"\"a\":", "\"\\u0061b\" : ", "\"b\":", "\"\":", "\"~\":", "\"0\":"};
    char open[256];
    size_t depth = 0;
    size_t size = 0;
    bool first = true;
    if (n == 0 || p[0] % 4 == 0)
        return expand_all(p, n, TEXT_MOST, dst);
    for (size_t i = 1; i <= n && size < TEXT_MOST; i++) {
        const unsigned c = i < n ? p[i] : 0;
        if (i > 1 && depth == 0)
            break;
        if (depth > 0 && c % 8 == 7) {
            dst[size++] = open[--depth];
            first = false;
            continue;
        }
        size += (size_t)sprintf(dst + size, "%s%s", first ? "" : ",", c % 3 == 0 ? " " : "");
        if (depth > 0 && open[depth - 1] == '}')
            size += (size_t)sprintf(dst + size, "%s", names[c / 8 % 6]);
        first = c % 8 < 3 && depth < sizeof open;
        if (first) {
            open[depth++] = c % 2 ? ']' : '}';
            dst[size++] = c % 2 ? '[' : '{';
        } else {
            size += (size_t)sprintf(dst + size, "%s", scalars[c / 16 % 8]);
        }
    }
    while (depth > 0)
        dst[size++] = open[--depth];
    return size;
}

/* What an edit found is a value, whose text can be decoded, and whose elements can be listed. */
static void check_found(const char *p, size_t n, const abr_spliced *found)
{
    abr_spliced list[LISTED];
    size_t count;
    char piece[32];
    RULE(found->at <= n && found->n <= n - found->at && found->n > 0);
    RULE(abr_list_values(p + found->at, found->n, list, LISTED, NULL, &count, NULL) == ABR_OK);
    for (size_t i = 0; i < count && i < LISTED; i++) {
        RULE(list[i].at + list[i].n < found->n && list[i].type != ABR_SPLICED_NONE);
        RULE(i == 0 || list[i].at > list[i - 1].at + list[i - 1].n);
    }
    if (found->type != ABR_SPLICED_STRING)
        return;
    for (size_t at = 0; at < found->n - 2;) {
        uint64_t invalid;
        const size_t size = abr_decode_value(p + found->at + 1, found->n - 2, &at, piece, sizeof piece);
        RULE(size > 0 && size <= sizeof piece);
        slow_chars(piece, size, &invalid);
        RULE(invalid == 0);
    }
}

/* What one edit wrote is there, in a document that is JSON. Where several did, a pointer may lead elsewhere by now, or
 * by a name that stands twice. */
static void check_written(const char *p, size_t n, const abr_edit *edits, size_t count)
{
    const bool replaced = count == 1 && edits[0].act == ABR_EDIT_REPLACE;
    abr_edit look = {.act = ABR_EDIT_LOOK};
    abr_splice *again;
    if (replaced) {
        look.pointer = edits[0].pointer;
        look.pointer_len = edits[0].pointer_len;
    }
    RULE(abr_splice_open(p, n, &look, 1, NULL, &again, NULL) == ABR_OK);
    RULE(abr_splice_size(again) == n);
    if (replaced)
        RULE(look.found.n == edits[0].json_len &&
             memcmp(p + look.found.at, edits[0].json, look.found.n) == 0);
    abr_splice_close(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char text[2 * TEXT_MOST];
    input in = {data, size};
    abr_edit edits[EDITS];
    const size_t count = 1 + take_below(&in, EDITS);
    for (size_t i = 0; i < count; i++)
        edits[i] = take_edit(&in, i);
    const size_t n = make_document(in.p, in.n, text);
    char *copy = need(malloc(n + 1));
    memcpy(copy, text, n);
    abr_splice *splice;
    abr_error error = {ABR_OK, NULL, 0};
    const abr_code code = abr_splice_open(copy, n, edits, count, NULL, &splice, &error);
    RULE(code == ABR_OK || code == ABR_EJSON || code == ABR_EPOINTER || code == ABR_EINVAL);
    RULE(code == ABR_OK ? splice != NULL : splice == NULL && error.message != NULL);
    RULE(code == ABR_EJSON ? error.position <= n + 1 : error.position <= count);
    if (code == ABR_OK) {
        const size_t made = abr_splice_size(splice);
        char *written = need(malloc(made + 1));
        abr_splice_write(splice, written);
        for (size_t i = 0; i < count; i++)
            if (edits[i].found.type != ABR_SPLICED_NONE)
                check_found(copy, n, &edits[i].found);
        check_written(written, made, edits, count);
        free(written);
    }
    abr_splice_close(splice);
    free(copy);
    return 0;
}
