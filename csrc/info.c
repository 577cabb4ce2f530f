/* TruncationInfo: the block every reading tool attaches, and its JSON. */
#include <string.h>

#include "internal.h"

const char *abr_reason_name(abr_reason reason)
{
    switch (reason) {
    case ABR_SIZE_CAP:
        return "size_cap";
    case ABR_LINE_CAP:
        return "line_cap";
    case ABR_ROW_CAP:
        return "row_cap";
    case ABR_EXEC_BUDGET:
        return "exec_budget";
    case ABR_ITEM_CAP:
        return "item_cap";
    }
    return NULL;
}

/* Bytes wanted so far; written only while they fit. */
typedef struct {
    char *dst;
    size_t cap;
    size_t n;
} sink;

static void put(sink *s, const char *p, size_t n)
{
    if (n <= s->cap && s->n <= s->cap - n)
        memcpy(s->dst + s->n, p, n);
    s->n += n;
}

static void put_text(sink *s, const char *text)
{
    put(s, text, strlen(text));
}

static void put_count(sink *s, const char *name, uint64_t value)
{
    char digits[ABR_COUNT_DIGITS];
    put_text(s, name);
    put(s, digits, abr_print_count(value, digits));
}

/* The escape of a char of one byte, or 0 bytes when it stands for itself. */
static size_t escape(unsigned char c, char dst[6])
{
    static const char hex[] = "0123456789abcdef";
    static const char plain[] = "\"\\\b\f\n\r\t";
    static const char letter[] = "\"\\bfnrt";
    const char *at = c != '\0' ? strchr(plain, c) : NULL;
    if (at) {
        dst[0] = '\\';
        dst[1] = letter[at - plain];
        return 2;
    }
    if (c >= 0x20)
        return 0;
    memcpy(dst, "\\u00", 4);
    dst[4] = hex[c >> 4];
    dst[5] = hex[c & 15];
    return 6;
}

/* Bytes at the start that stand for themselves. */
static size_t plain_bytes(const char *p, size_t n)
{
    size_t i = 0;
    while (i < n && (unsigned char)p[i] >= 0x20 && (unsigned char)p[i] < 0x80 && p[i] != '"' && p[i] != '\\')
        i++;
    return i;
}

static void put_string(sink *s, const char *p, size_t n)
{
    char escaped[6];
    put_text(s, "\"");
    for (size_t i = 0; i < n;) {
        size_t plain = plain_bytes(p + i, n - i);
        put(s, p + i, plain);
        i += plain;
        if (i == n)
            break;
        size_t size = abr_char_size(p + i, n - i);
        size_t width = size == 1 ? escape((unsigned char)p[i], escaped) : 0;
        if (width > 0)
            put(s, escaped, width);
        else if (size == 1 && (unsigned char)p[i] >= 0x80)
            put_text(s, ABR_REPLACEMENT);
        else
            put(s, p + i, size);
        i += size;
    }
    put_text(s, "\"");
}

size_t abr_info_json(const abr_info *info, char *dst, size_t cap)
{
    sink s = {dst, cap, 0};
    const char *reason = abr_reason_name(info->reason);
    put_text(&s, info->truncated ? "{\"truncated\":true" : "{\"truncated\":false");
    put_count(&s, ",\"bytes_returned\":", info->bytes_returned);
    if (info->bytes_total != ABR_UNLIMITED)
        put_count(&s, ",\"bytes_total\":", info->bytes_total);
    if (info->next_offset != ABR_UNLIMITED)
        put_count(&s, ",\"next_offset\":", info->next_offset);
    if (info->resume_hint) {
        put_text(&s, ",\"resume_hint\":");
        put_string(&s, info->resume_hint, info->resume_hint_len);
    }
    put_text(&s, ",\"reason\":\"");
    put_text(&s, reason ? reason : abr_reason_name(ABR_SIZE_CAP));
    put_text(&s, "\"}");
    return s.n;
}
