/* The start of a failure, and its end, when the tool that printed it goes on. */
#ifndef ABR_PRIORITY_FAILURE_H
#define ABR_PRIORITY_FAILURE_H

#include "abridge.h"
#include "base/private.h"
#include "line/line_score.h"

ABR_PRIVATE_BEGIN

enum {
    ABR_FAILURE_SHAPES = 32, /* shapes of its last lines that are remembered */
    ABR_FAILURE_ABOVE = 2    /* plain lines between its head and its body that are remembered */
};

/* The failure being read. All zero before the first line. */
typedef struct {
    uint64_t found;    /* failures so far */
    uint64_t detailed; /* those that are more than a heading, a count, an exit line or the result of a test */
    uint64_t results[2]; /* those with the result of a test: before its name, and after it */
    bool open;
    bool is_detailed; /* it is one of those */
    bool has_result[2];
    bool told; /* the last line read is a hit that is more than a heading, a count or a level ("npm ERR!") */
    abr_result result; /* of the last line, if told */
    bool body;         /* more than its head was read */
    bool placed;       /* its head starts with a place */
    bool quoting;      /* the failed command is quoted here */
    bool of_tap;       /* its head is "not ok" of TAP */
    bool of_test;      /* the result of its test was read */
    bool titled;       /* a title of Jest's was read */
    bool marked;       /* pytest marks its last hit as the error's */
    bool tracing;      /* a traceback, whose message comes last */
    uint8_t level;
    unsigned blanks; /* blank lines in a row */
    unsigned plain;  /* lines in a row that only their place puts here */
    size_t indent;   /* of its head */
    unsigned lines;
    uint32_t shapes[ABR_FAILURE_SHAPES];   /* a ring */
    uint32_t above[ABR_FAILURE_ABOVE];     /* shapes of the plain lines below its head */
    unsigned above_count;                  /* one more than are remembered: too many */
    uint32_t enclosed[ABR_FAILURE_SHAPES]; /* a ring: those of earlier failures that had a body below */
    unsigned oldest;
} abr_failure;

/* Does the line, without what leads it, report the failure of a test, after what the test printed? */
bool abr_ends_test(const char *p, size_t n);

/* Read the next line, which had `nth` of its shape before it. Is it part of a failure, number f->found? Blank
 * lines are, while it may go on after them. If none is open, only a hit changes anything. */
bool abr_failure_takes(abr_failure *f, const abr_reading *r, uint32_t nth, const char *p, size_t n);

ABR_PRIVATE_END

#endif
