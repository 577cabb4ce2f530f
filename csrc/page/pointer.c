/*
 * JSON pointers, by RFC 6901, and the names of members in them.
 *
 * A member whose name does not tell it from the others, or is too long for a sentence, is pointed to by its
 * index: ~#12. No name is written like that in RFC 6901.
 */
#include <string.h>

#include "page/pointer.h"
#include "abridge.h"
#include "base/error.h"
#include "base/memory.h"
#include "text/utf8.h"

/* ---- reading ---- */

/* The index written in (p, n), without leading zeros; ABR_UNLIMITED if it is not an index. */
static uint64_t index_of(const char *p, size_t n)
{
    enum { DIGITS = 16 }; /* below 2^54 */
    uint64_t index = 0;
    if (n == 0 || n > DIGITS || (n > 1 && p[0] == '0'))
        return ABR_UNLIMITED;
    for (size_t i = 0; i < n; i++) {
        if (p[i] < '0' || p[i] > '9')
            return ABR_UNLIMITED;
        index = 10 * index + (uint64_t)(p[i] - '0');
    }
    return index;
}

/* Decode a step; false if an escape is wrong. */
static bool decode_step(const char *p, size_t n, char *dst, abr_pointer_step *step)
{
    step->counted = n > 2 && p[0] == '~' && p[1] == '#';
    step->name = dst;
    if (step->counted) {
        step->index = index_of(p + 2, n - 2);
        return step->index != ABR_UNLIMITED;
    }
    for (size_t i = 0; i < n; i++) {
        char c = p[i];
        if (c == '~') {
            if (++i == n || (p[i] != '0' && p[i] != '1'))
                return false;
            c = p[i] == '0' ? '~' : '/';
        }
        *dst++ = c;
    }
    step->n = (size_t)(dst - step->name);
    step->index = index_of(step->name, step->n);
    return true;
}

static size_t count_steps(const char *p, size_t n)
{
    size_t steps = 0;
    for (size_t i = 0; i < n; i++)
        steps += p[i] == '/';
    return steps;
}

abr_code abr_pointer_read(const char *p, size_t n, const abr_alloc *alloc, abr_pointer *pointer,
                          abr_error *error)
{
    memset(pointer, 0, sizeof *pointer);
    if (n > 0 && p[0] != '/')
        return abr_fail(error, ABR_EPOINTER, "it does not begin with /");
    const size_t count = count_steps(p, n);
    if (n > SIZE_MAX / (4 * sizeof(abr_pointer_step)))
        return abr_no_memory(error);
    abr_pointer_step *steps = alloc->malloc(alloc->ctx, count * sizeof *steps + 2 * n + 1);
    if (!steps)
        return abr_no_memory(error);
    char *text = (char *)(steps + count);
    char *names = text + n;
    if (n > 0)
        memcpy(text, p, n);
    *pointer = (abr_pointer){alloc, steps, text, n, steps, count};
    for (size_t i = 0, at = 1; i < count; i++) {
        const char *slash = memchr(text + at, '/', n - at);
        size_t end = slash ? (size_t)(slash - text) : n;
        steps[i] = (abr_pointer_step){.start = at, .end = end};
        if (!decode_step(text + at, end - at, names, &steps[i])) {
            abr_pointer_free(pointer);
            return abr_fail(error, ABR_EPOINTER, "~ is written ~0 in it, and / ~1");
        }
        names += end - at;
        at = end + 1;
    }
    return ABR_OK;
}

void abr_pointer_free(abr_pointer *pointer)
{
    if (pointer->block)
        pointer->alloc->free(pointer->alloc->ctx, pointer->block);
    memset(pointer, 0, sizeof *pointer);
}

/* ---- names ---- */

static unsigned hex4(const char *p)
{
    unsigned value = 0;
    for (int i = 0; i < 4; i++) {
        unsigned char c = (unsigned char)p[i];
        value = value << 4 | (unsigned)(c <= '9' ? c - '0' : (c | ' ') - 'a' + 10);
    }
    return value;
}

/* The char of the escape \u at p + *i, which is moved to its end; ABR_COUNT_MAX for half of a pair. */
static uint64_t escaped_char(const char *p, size_t n, size_t *i)
{
    enum { SIZE = 6 };
    const unsigned code = hex4(p + *i + 2);
    *i += SIZE;
    if (!abr_is_high_surrogate(code) && !abr_is_low_surrogate(code))
        return code;
    if (abr_is_low_surrogate(code) || n - *i < SIZE || p[*i] != '\\' || p[*i + 1] != 'u')
        return ABR_COUNT_MAX;
    const unsigned second = hex4(p + *i + 2);
    *i += SIZE;
    return abr_is_low_surrogate(second) ? abr_join_surrogates(code, second) : ABR_COUNT_MAX;
}

size_t abr_decode_string(const char *p, size_t n, char *dst)
{
    static const char letters[] = "bfnrt";
    static const char meant[] = "\b\f\n\r\t";
    char *const start = dst;
    for (size_t i = 0; i < n;) {
        if (p[i] != '\\') {
            *dst++ = p[i++];
        } else if (p[i + 1] == 'u') {
            uint64_t code = escaped_char(p, n, &i);
            if (code == ABR_COUNT_MAX)
                return SIZE_MAX;
            dst += abr_put_char((uint32_t)code, dst);
        } else {
            const char *letter = strchr(letters, p[i + 1]);
            *dst++ = (char)(letter ? meant[letter - letters] : p[i + 1]);
            i += 2;
        }
    }
    return (size_t)(dst - start);
}

size_t abr_escape_name(const char *name, size_t n, char *dst)
{
    size_t size = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)name[i];
        if (c < ' ' || c == 0x7F)
            return 0;
        if (c == '~' || c == '/') {
            dst[size++] = '~';
            dst[size++] = c == '~' ? '0' : '1';
        } else {
            dst[size++] = name[i];
        }
    }
    return size;
}
