/* Why each line of a priority cut is kept or left out: for people who ask. */
#ifndef ABR_PRIORITY_TOLD_LINE_H
#define ABR_PRIORITY_TOLD_LINE_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

typedef enum {
    ABR_WHY_FILLING = 0, /* there was room left */
    ABR_WHY_START,       /* it stands near the text's start */
    ABR_WHY_END,
    ABR_WHY_SAYS,    /* it says something, though it isn't a hit */
    ABR_WHY_ODD,     /* it is unlike the rest of the text */
    ABR_WHY_COMMAND, /* its command failed */
    ABR_WHY_BEFORE,  /* a hit comes soon */
    ABR_WHY_AFTER,   /* it follows a hit */
    ABR_WHY_HIT      /* it reports trouble */
} abr_why;

typedef struct {
    uint64_t line;    /* 0-based */
    float line_score; /* also 0 if it was not retained */
    float keep_value; /* the same */
    uint32_t failure; /* of the line, or of the hit that its value comes from; 0: none */
    uint32_t alike;   /* lines of its shape in the text; 0: unknown */
    abr_why why;      /* why it is shown, or has a value though there was no room */
    bool kept;        /* at least part of it is shown */
} abr_told_line;

/* Lines from..end - 1, the output of passing tests. */
typedef struct {
    uint64_t from;
    uint64_t end;
} abr_passed_lines;

/* The shown lines of a cut, and other lines with a value, in order. They are in the cut's block. */
typedef struct abr_told_lines {
    abr_told_line *list;
    size_t count;
    abr_passed_lines *passed;
    size_t passed_count;
} abr_told_lines;

ABR_PRIVATE_END

#endif
