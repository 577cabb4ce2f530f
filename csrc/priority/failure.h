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

/* Numbers of failures; runners may tell of one in detail and list its result, before or after that. */
enum {
    ABR_COUNT_ALL = 0,  /* with more than a heading, a count or an exit line */
    ABR_COUNT_DETAILED, /* with more than results of tests, too */
    ABR_COUNT_RESULTS,  /* lines that tell a test's result before its name; the next one: after it */
    ABR_COUNT_AGAIN = ABR_COUNT_RESULTS + 2, /* the last three, below a heading of what is told again */
    ABR_COUNTS = ABR_COUNT_AGAIN + ABR_COUNT_AGAIN - ABR_COUNT_DETAILED
};

typedef struct {
    uint32_t of[ABR_COUNTS];
} abr_failure_counts;

/* What was found so far. */
typedef struct {
    uint64_t hits; /* lines */
    abr_failure_counts failures;
} abr_found;

/* Add the counts, or take them away. */
static inline void abr_add_counts(abr_failure_counts *to, const abr_failure_counts *more, bool less)
{
    for (unsigned k = 0; k < ABR_COUNTS; k++)
        to->of[k] = less ? to->of[k] - more->of[k] : to->of[k] + more->of[k];
}

/* The number of failures; `twice`: counts of the same ones, so that the largest is meant. */
static inline uint32_t abr_count_failures(const abr_failure_counts *counts, bool twice)
{
    uint32_t most = 0;
    for (unsigned k = ABR_COUNT_DETAILED; k < ABR_COUNTS; k++)
        most = counts->of[k] > most ? counts->of[k] : most;
    return twice ? most : counts->of[ABR_COUNT_ALL];
}

/* Is it a number of results of tests? */
static inline bool abr_counts_results(unsigned count)
{
    return count != ABR_COUNT_DETAILED && count != ABR_COUNT_AGAIN;
}

typedef enum {
    ABR_TELLS_NOTHING = 0, /* no hit, or a heading, a count or a level ("npm ERR!") */
    ABR_TELLS_SUM,         /* of a suite or a list, whose tests count */
    ABR_TELLS,             /* its failure counts */
    ABR_TELLS_ANEW         /* and the line is a diagnostic below another one, which counts by itself */
} abr_tells;

/* The failure being read. All zero before the first line. */
typedef struct {
    uint64_t found; /* failures so far */
    abr_failure_counts counts;
    bool open;
    bool counted; /* it is one of all */
    bool is_detailed;
    bool diagnosed; /* the last hit was a diagnostic */
    abr_tells told; /* by the last line read */
    bool again;     /* below a line that lists failures again */
    uint8_t count;  /* of the last line, if told: ABR_COUNT_DETAILED or a later one */
    bool body;      /* more than its head was read */
    bool placed;    /* its head starts with a place */
    bool quoting;   /* the failed command is quoted here */
    bool of_tap;    /* its head is "not ok" of TAP, */
    bool of_suite;  /* less deep than the one before it: of a suite, and sums up its tests */
    bool of_test;   /* the result of its test was read */
    bool titled;    /* a title of Jest's was read */
    bool marked;    /* pytest marks its last hit as the error's */
    bool tracing;   /* a traceback, whose message comes last */
    bool captions;  /* its head stands below the source that it is about */
    bool compares;  /* its last line starts with "- ", or with "+ " below such a one */
    uint8_t level;
    unsigned blanks;    /* blank lines in a row */
    unsigned plain;     /* lines in a row that only their place puts here */
    size_t indent;      /* of its head */
    size_t tap_indent;  /* of the last one, if it is of TAP */
    size_t node_indent; /* of Node's last failed test */
    unsigned lines;
    uint32_t shapes[ABR_FAILURE_SHAPES];   /* a ring */
    uint32_t above[ABR_FAILURE_ABOVE];     /* shapes of the plain lines below its head */
    unsigned above_count;                  /* one more than are remembered: too many */
    uint32_t enclosed[ABR_FAILURE_SHAPES]; /* a ring: those of earlier failures that had a body below */
    unsigned oldest;
} abr_failure;

/* Has the line, without what leads it, the sign of one of two compared values: "+     id: 3,", "- 3"? */
bool abr_has_sign(const char *p, size_t n);

/* Does the line, without what leads it, report the failure of a test, after what the test printed? */
bool abr_ends_test(const char *p, size_t n);

/* Is it the result of a failed test in TAP? That of a suite, which sums up its tests, tells of no failure. */
bool abr_fails_in_tap(const char *p, size_t n);

/* Read the next line, which had `nth` of its shape before it. Is it part of a failure, number f->found? Blank
 * lines are, while it may go on after them. If none is open, only a hit changes anything. */
bool abr_failure_takes(abr_failure *f, const abr_reading *r, uint32_t nth, const char *p, size_t n);

ABR_PRIVATE_END

#endif
