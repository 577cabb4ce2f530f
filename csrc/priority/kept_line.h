/* Why each line of a priority cut is kept: for people who tune it. */
#ifndef ABR_PRIORITY_KEPT_LINE_H
#define ABR_PRIORITY_KEPT_LINE_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

typedef enum {
    ABR_WHY_FILLING = 0, /* there was room left beside what is kept */
    ABR_WHY_START,       /* it stands near the text's start */
    ABR_WHY_END,
    ABR_WHY_SAYS,    /* it says something, though it is no hit */
    ABR_WHY_ODD,     /* it is unlike the rest of the text */
    ABR_WHY_COMMAND, /* its command failed */
    ABR_WHY_BEFORE,  /* a hit comes soon */
    ABR_WHY_AFTER,   /* it follows a hit */
    ABR_WHY_HIT      /* it says that something is wrong */
} abr_why;

typedef struct {
    uint64_t line;    /* 0-based */
    uint64_t sign;    /* bytes of the line before the word that gave it its score */
    float line_score; /* 0 too where it was not retained */
    uint32_t failure; /* of the line, or of the hit it is kept for; 0: none */
    abr_why why;
} abr_kept_line;

/* The lines of a cut that show, in order. They are in the cut's block. */
typedef struct abr_kept_lines {
    const abr_kept_line *list;
    size_t count;
} abr_kept_lines;

ABR_PRIVATE_END

#endif
