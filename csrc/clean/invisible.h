/* Chars that hide text from people, which cleaning may take out of the screen's output. */
#ifndef ABR_CLEAN_INVISIBLE_H
#define ABR_CLEAN_INVISIBLE_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

enum { ABR_INVISIBLE_TAGS = 6 /* letters and digits of a flag's tag sequence, at most */ };

/* A sink in front of another, and enough of the text so far to decide on the next char. */
typedef struct {
    abr_sink_fn sink;
    void *sink_ctx;
    bool failed;      /* the sink returned false */
    uint64_t written; /* bytes it got */
    uint64_t dropped; /* chars taken out */
    uint32_t last;    /* the last char that shows */
    bool selected;    /* a variation selector or tags follow it */
    bool joined;      /* another char without width follows it */
    unsigned wanted;  /* kind of the next char that makes the held one stay */
    size_t held_n;    /* bytes held until the next char decides: of tags, or of one other char */
    size_t held_chars;
    char held[4 * ABR_INVISIBLE_TAGS + 4]; /* the tag at the end too */
    char part[4];                          /* the start of a char */
    size_t part_n;
} abr_invisible;

/* Bytes at the start of (p, n) without a char that may have to go. */
size_t abr_invisible_run(const char *p, size_t n);

/* Is anything in (p, n) that does not show: an escape, a C1 control, a soft hyphen, a char that may have to
 * go? */
bool abr_has_unseen(const char *p, size_t n);

/* Copy (p, n) to dst, which has room for n bytes, without these. Escape sequences go whole, or just their
 * ESC; one that does not end in its line loses its first two bytes. Returns the bytes. */
size_t abr_copy_seen(const char *p, size_t n, bool sequences, char *dst);

void abr_invisible_start(abr_invisible *seen, abr_sink_fn sink, void *sink_ctx);

/* Hand text on without the chars that hide text: an abr_sink_fn with an abr_invisible as its context. */
bool abr_invisible_write(void *seen, const char *p, size_t n);

/* The text ends here: hand on the bytes held. */
bool abr_invisible_finish(abr_invisible *seen);

ABR_PRIVATE_END

#endif
