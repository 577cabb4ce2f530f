/* The functions that keep no state: counts, tokens, sizes, cells, windows of a line, the truncation block. */
#include "input.h"

enum { TEXT_MOST = 4096 };

/* ---- counting ---- */

static void check_counts(const char *p, size_t n, uint64_t some)
{
    uint64_t slow_invalid;
    uint64_t invalid;
    uint64_t chars = slow_chars(p, n, &slow_invalid);
    RULE(abr_count_chars(p, n, &invalid) == chars && invalid == slow_invalid);
    RULE(abr_count_chars(p, n, NULL) == chars && abr_count_lines(p, n) == slow_lines(p, n));
    size_t skipped = abr_skip_chars(p, n, some);
    RULE(some >= chars ? skipped == n : is_start(p, n, skipped));
    RULE(slow_chars(p, skipped, &invalid) == (some < chars ? some : chars));
}

/* The estimate never falls as a text grows at its start or end; weighed it is rounded up. */
static void check_tokens(const char *p, size_t n, size_t first, size_t size, double safety)
{
    uint64_t all = abr_estimate_tokens(p, n);
    RULE(abr_estimate_tokens(p + first, size) <= all && (n > 0 || all == 0));
    RULE(abr_estimate_tokens(p, first) <= all && abr_estimate_tokens(p + first, n - first) <= all);
    if (!(safety > 0 && safety <= ABR_TOKEN_SAFETY_MAX))
        return;
    uint64_t weighed = abr_weigh_tokens(p, n, safety);
    RULE((double)weighed >= (double)all * safety - 1e-6 && (double)weighed < (double)all * safety + 1 + 1e-6);
    RULE(abr_weigh_tokens(p, first, safety) <= weighed);
}

/* ---- sizes ---- */

static void check_sizes(const char *p, size_t n, uint64_t number)
{
    char printed[ABR_SIZE_MAX];
    char again[ABR_SIZE_MAX];
    uint64_t size = 0;
    uint64_t back = 0;
    if (abr_parse_size(p, n, &size)) {
        RULE(size <= ABR_COUNT_MAX && n > 0 && p[0] >= '0' && p[0] <= '9');
        number = size;
    }
    number = number <= ABR_COUNT_MAX ? number : number % (ABR_COUNT_MAX + 1);
    size_t length = abr_format_size(number, printed);
    RULE(length > 1 && length < ABR_SIZE_MAX && strlen(printed) == length && printed[length - 1] == 'B');
    RULE(abr_parse_size(printed, length, &back));
    double error = (double)back - (double)number;
    RULE((error < 0 ? -error : error) <= (double)number * 0.05 + 1); /* half a tenth of at least 1.0 */
    RULE(number >= 1024 || back == number);
    RULE(abr_format_size(back, again) == length && strcmp(printed, again) == 0);
}

/* ---- cells ---- */

static void check_cells(const char *p, size_t n, uint64_t width)
{
    uint64_t invalid;
    uint64_t all = abr_cells(p, n);
    RULE(all <= 2 * slow_chars(p, n, &invalid));
    size_t fits = abr_fit_cells(p, n, width);
    RULE(fits <= n && abr_cells(p, fits) <= width && is_start(p, n, fits));
    RULE(fits == n ? true : abr_cells(p, fits + char_size(p + fits, n - fits)) > width);
    RULE(all > width || fits == n);
}

/* ---- the window of a line ---- */

static void check_window(const char *p, size_t n, uint64_t most, size_t at, size_t size)
{
    uint64_t invalid;
    abr_window w = abr_line(p, n, most, at, size);
    RULE(w.first <= n && w.n <= n - w.first);
    RULE(w.cut_before == (w.first > 0) && w.cut_after == (w.first + w.n < n));
    RULE(is_start(p, n, w.first) && is_start(p, n, w.first + w.n));
    uint64_t chars = slow_chars(p + w.first, w.n, &invalid);
    RULE(slow_chars(p, n, &invalid) <= most ? w.first == 0 && w.n == n : chars == most);
    if (size == 0 || at >= n || size > n - at) {
        RULE(w.first == 0);
        return;
    }
    size_t start = at;
    size_t end = at + size;
    while (!is_start(p, n, start))
        start--;
    while (!is_start(p, n, end))
        end++;
    if (slow_chars(p + start, end - start, &invalid) <= most)
        RULE(w.first <= start && w.first + w.n >= end);
    else
        RULE(most == 0 || (w.first <= start && w.first + w.n > start));
}

/* ---- JSON ---- */

typedef struct {
    const char *p;
    size_t n;
    size_t at;
} json;

static bool next_is(json *j, const char *text)
{
    size_t n = strlen(text);
    bool is = j->n - j->at >= n && memcmp(j->p + j->at, text, n) == 0;
    j->at += is ? n : 0;
    return is;
}

static uint64_t read_number(json *j)
{
    uint64_t value = 0;
    size_t first = j->at;
    while (j->at < j->n && j->p[j->at] >= '0' && j->p[j->at] <= '9')
        value = value * 10 + (uint64_t)(j->p[j->at++] - '0');
    RULE(j->at > first && (j->at == first + 1 || j->p[first] != '0'));
    return value;
}

static unsigned read_hex(json *j)
{
    unsigned value = 0;
    for (int i = 0; i < 4; i++, j->at++) {
        static const char digits[] = "0123456789abcdef";
        const char *digit = j->at < j->n ? memchr(digits, j->p[j->at], 16) : NULL;
        RULE(digit != NULL);
        value = value * 16 + (unsigned)(digit - digits);
    }
    return value;
}

/* Read a JSON string; its text to `out`. */
static void read_string(json *j, shown *out)
{
    static const char letters[] = "\"\\/bfnrt";
    static const char bytes[] = "\"\\/\b\f\n\r\t";
    RULE(next_is(j, "\""));
    while (!next_is(j, "\"")) {
        RULE(j->at < j->n && (unsigned char)j->p[j->at] >= 0x20);
        size_t size = sequence_at(j->p + j->at, j->n - j->at);
        RULE(size > 0);
        if (j->p[j->at] != '\\') {
            show(out, j->p + j->at, size, false);
            j->at += size;
            continue;
        }
        RULE(++j->at < j->n);
        char c = j->p[j->at++];
        const char *letter = memchr(letters, c, 8);
        RULE(letter || c == 'u');
        char byte = letter ? bytes[letter - letters] : (char)read_hex(j);
        RULE(letter || (unsigned char)byte < 0x20);
        show(out, &byte, 1, false);
    }
}

/* The block in the contract's order, read back. */
static void check_json(const abr_info *info, const char *p, size_t n)
{
    json j = {p, n, 0};
    shown hint = {NULL, 0, 0};
    shown want = {NULL, 0, 0};
    RULE(next_is(&j, info->truncated ? "{\"truncated\":true" : "{\"truncated\":false"));
    RULE(next_is(&j, ",\"bytes_returned\":") && read_number(&j) == info->bytes_returned);
    if (info->bytes_total != ABR_UNLIMITED)
        RULE(next_is(&j, ",\"bytes_total\":") && read_number(&j) == info->bytes_total);
    if (info->next_offset != ABR_UNLIMITED)
        RULE(next_is(&j, ",\"next_offset\":") && read_number(&j) == info->next_offset);
    if (info->resume_hint) {
        RULE(next_is(&j, ",\"resume_hint\":"));
        read_string(&j, &hint);
        show(&want, info->resume_hint, info->resume_hint_len, true);
        RULE(same_bytes(hint.p, hint.n, want.p, want.n));
    }
    RULE(next_is(&j, ",\"reason\":\"") && next_is(&j, abr_reason_name(info->reason)) && next_is(&j, "\"}"));
    RULE(j.at == n);
    free(hint.p);
    free(want.p);
}

/* The block fits its measure, and is not written where it does not fit. */
static void check_info(const char *p, size_t n, input *in)
{
    abr_info info = {.truncated = take_flag(in), .bytes_returned = take_number(in, 7), .resume_hint_len = n};
    unsigned with = take_byte(in);
    info.reason = (abr_reason)(with / 8 % (ABR_ITEM_CAP + 1));
    info.bytes_total = with & 1 ? take_number(in, 7) : ABR_UNLIMITED;
    info.next_offset = with & 2 ? take_number(in, 7) : ABR_UNLIMITED;
    info.resume_hint = with & 4 ? p : NULL;
    size_t size = abr_info_json(&info, NULL, 0);
    char *block = need(malloc(size));
    RULE(abr_info_json(&info, block, size) == size);
    check_json(&info, block, size);
    char *small = need(malloc(size - 1));
    RULE(abr_info_json(&info, small, size - 1) == size);
    free(small);
    free(block);
    RULE(abr_reason_name((abr_reason)(ABR_ITEM_CAP + 1)) == NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = {data, size};
    size_t n;
    uint64_t some = take_below(&in, 64);
    uint64_t number = take_number(&in, 7);
    size_t first = (size_t)take_number(&in, 2);
    size_t part = (size_t)take_number(&in, 2);
    double safety = take_double(&in);
    input info = {data, in.n};
    char *text = take_text(&in, TEXT_MOST, &n);
    check_counts(text, n, some);
    check_sizes(text, n, number);
    check_cells(text, n, some);
    check_window(text, n, some, first, part);
    first = first % (n + 1);
    part = part % (n - first + 1);
    check_tokens(text, n, first, part, safety);
    check_window(text, n, some, first, part);
    check_info(text, n, &info);
    RULE(strcmp(abr_version(), ABR_VERSION) == 0 && abr_simd()[0] != 0);
    free(text);
    return 0;
}
