/* The scale of line scores: the sum of a line's words. */
#ifndef ABR_LINE_SCORE_H
#define ABR_LINE_SCORE_H

#define ABR_SCORE_CLEAR 11.0F /* a form that only errors have; the others are relative to it */
#define ABR_SCORE_BAD 6.0F    /* wrong in most sentences */
#define ABR_SCORE_HIT 4.0F    /* from here on a line is a hit, and lines near it belong to it */
#define ABR_SCORE_WARNED 2.0F
#define ABR_SCORE_WEAK 1.5F

/* Added to these. */
#define ABR_SCORE_CAUSED 5.0F  /* a reason */
#define ABR_SCORE_SUMS_UP 3.5F /* counts of things that ran */
#define ABR_SCORE_EXPECTS 3.0F /* an expectation */
#define ABR_SCORE_AGAIN 3.0F   /* a second clear word */

#endif
