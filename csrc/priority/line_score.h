/* What a line says, read alone. */
#ifndef ABR_PRIORITY_LINE_SCORE_H
#define ABR_PRIORITY_LINE_SCORE_H

#include "abridge.h"
#include "base/private.h"
#include "priority/hits.h"
#include "priority/lexicon.h"

ABR_PRIVATE_BEGIN

typedef enum {
    ABR_K_PLAIN = 0,
    ABR_K_BLANK,   /* nothing but blanks */
    ABR_K_PASS,    /* a test that passed, a check that went well */
    ABR_K_STEP,    /* a test that starts, a file that is compiled */
    ABR_K_EXCERPT, /* a source line of a diagnostic, its caret */
    ABR_K_FRAME,   /* of a stack */
    ABR_K_TRACE    /* the head of a traceback whose message comes last */
} abr_kind;

typedef struct {
    float score; /* 0: nothing */
    bool hit;    /* something is wrong, says this line: it counts in cut.hits */
    abr_kind kind;
    uint32_t at; /* where its sign is */
    uint32_t shape;
    uint32_t words;
    size_t indent;
} abr_reading;

/* Read a line; ABR_PADDING bytes after it can be read too. */
void abr_read_line(const abr_lexicon *lexicon, const abr_patterns *patterns, const char *p, size_t n,
                   abr_reading *out);

ABR_PRIVATE_END

#endif
