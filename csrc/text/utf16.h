/* A text in UTF-16 on its way to UTF-8. */
#ifndef ABR_TEXT_UTF16_H
#define ABR_TEXT_UTF16_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

enum { ABR_UTF16_HELD = 32 /* bytes of UTF-8 in a row that end UTF-16 */ };

typedef enum {
    ABR_UTF16_OPEN = 0, /* the first two bytes will tell */
    ABR_UTF16_NONE,     /* bytes pass as they are */
    ABR_UTF16_LITTLE,
    ABR_UTF16_BIG
} abr_utf16_order;

typedef void (*abr_decoded_fn)(void *ctx, const char *p, size_t n);

typedef struct {
    abr_decoded_fn sink; /* takes the next n bytes, at least 1 */
    void *sink_ctx;
    abr_utf16_order order;
    char held[ABR_UTF16_HELD]; /* units whose bytes may be UTF-8, and the start of a unit */
    size_t held_n;
    bool decoded;      /* a unit was */
    bool at_line;      /* the last char was a newline, or there was none */
    bool held_at_line; /* the same, before the units held */
    uint32_t high;     /* the first half of a pair of surrogates, or 0 */
} abr_utf16;

/* Start a text. It is UTF-16 if it starts with a byte order mark, which goes unless other text follows it. */
void abr_utf16_start(abr_utf16 *u, abr_decoded_fn sink, void *sink_ctx);

/*
 * Take the next n bytes. Surrogates alone become U+FFFD.
 *
 * The output of a command may go on in UTF-8, as of `cat old.log; make`: 32 bytes of it in a row, or fewer on
 * a last line, end UTF-16. The bytes of 16 chars of UTF-16 are UTF-8 by chance if all of these are of one
 * block of Unicode, such as kana or the signs of drawn tables, which is told from a row of one char of ASCII.
 */
void abr_utf16_write(abr_utf16 *u, const char *p, size_t n);

/* Hand over what is held. */
void abr_utf16_finish(abr_utf16 *u);

/* Does (p, n), the start of a text, have a byte order mark of UTF-16, and chars of a text after it? */
bool abr_is_utf16(const char *p, size_t n);

ABR_PRIVATE_END

#endif
