/* TruncationInfo: the block every reading tool attaches, and its JSON. */
#include <string.h>

#include "abridge.h"
#include "base/size.h"
#include "base/word.h"
#include "text/scan.h"
#include "text/utf8.h"

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

void abr_info_from_cut(const abr_cut *cut, abr_info *info)
{
    *info = (abr_info){
        .truncated = cut->truncated,
        .bytes_returned = cut->content_bytes,
        .bytes_total = cut->truncated ? cut->total_bytes : cut->content_bytes,
        .next_offset = ABR_UNLIMITED,
        .reason = cut->truncated && cut->truncated_by == ABR_BY_LINES ? ABR_LINE_CAP : ABR_SIZE_CAP,
    };
}

/* Counts the bytes wanted so far, and writes them while they fit. */
typedef struct {
    char *dst;
    size_t cap;
    size_t n;
} sink;

/* Inlined, so that text of a known size is stored without a call. */
static inline void put_bytes_of(sink *s, const char *p, size_t n)
{
    if (n <= s->cap && s->n <= s->cap - n)
        memcpy(s->dst + s->n, p, n);
    s->n += n;
}

#define PUT_LITERAL(s, literal) put_bytes_of(s, literal, sizeof(literal) - 1)

static inline void put_number(sink *s, uint64_t value)
{
    char digits[ABR_COUNT_DIGITS];
    if (s->cap >= sizeof digits && s->n <= s->cap - sizeof digits)
        s->n += abr_print_count(value, s->dst + s->n);
    else
        put_bytes_of(s, digits, abr_print_count(value, digits));
}

/* The escape of a char of one byte, or 0 bytes if it stands for itself. */
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
    enum { WORD = sizeof(uint64_t) };
    size_t i = 0;
    while (n - i >= WORD && !abr_special_bytes(abr_load_word(p + i)))
        i += WORD;
    if (n >= WORD && n - i < WORD && !abr_special_bytes(abr_load_word(p + n - WORD)))
        return n;
    while (i < n && (unsigned char)p[i] >= 0x20 && (unsigned char)p[i] < 0x80 && p[i] != '"' && p[i] != '\\')
        i++;
    return i;
}

static void put_string(sink *s, const char *p, size_t n)
{
    char escaped[6];
    PUT_LITERAL(s, "\"");
    for (size_t i = 0; i < n;) {
        size_t plain = plain_bytes(p + i, n - i);
        put_bytes_of(s, p + i, plain);
        i += plain;
        if (i == n)
            break;
        size_t size = abr_char_size(p + i, n - i);
        size_t width = size == 1 ? escape((unsigned char)p[i], escaped) : 0;
        if (width > 0)
            put_bytes_of(s, escaped, width);
        else if (size == 1 && (unsigned char)p[i] >= 0x80)
            PUT_LITERAL(s, ABR_REPLACEMENT);
        else
            put_bytes_of(s, p + i, size);
        i += size;
    }
    PUT_LITERAL(s, "\"");
}

size_t abr_info_json(const abr_info *info, char *dst, size_t cap)
{
    sink s = {dst, cap, 0};
    const char *reason = abr_reason_name(info->reason);
    if (!reason)
        reason = abr_reason_name(ABR_SIZE_CAP);
    if (info->truncated)
        PUT_LITERAL(&s, "{\"truncated\":true,\"bytes_returned\":");
    else
        PUT_LITERAL(&s, "{\"truncated\":false,\"bytes_returned\":");
    put_number(&s, info->bytes_returned);
    if (info->bytes_total != ABR_UNLIMITED) {
        PUT_LITERAL(&s, ",\"bytes_total\":");
        put_number(&s, info->bytes_total);
    }
    if (info->next_offset != ABR_UNLIMITED) {
        PUT_LITERAL(&s, ",\"next_offset\":");
        put_number(&s, info->next_offset);
    }
    if (info->resume_hint) {
        PUT_LITERAL(&s, ",\"resume_hint\":");
        put_string(&s, info->resume_hint, info->resume_hint_len);
    }
    PUT_LITERAL(&s, ",\"reason\":\"");
    put_bytes_of(&s, reason, strlen(reason));
    PUT_LITERAL(&s, "\"}");
    return s.n;
}
