/* The token estimate. */
#ifndef ABR_TEXT_TOKENS_H
#define ABR_TEXT_TOKENS_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

#define ABR_TOKEN_UNITS 64 /* units of cost per token */

/* The cost that abr_estimate_tokens() rounds up to tokens. */
uint64_t abr_token_cost(const char *p, size_t n);

/* The cost of a text that comes in parts of any size; zeroed at its start. */
typedef struct {
    unsigned state;
    uint64_t cost;
} abr_token_sum;

void abr_add_token_cost(const char *p, size_t n, abr_token_sum *sum);

/* The same as abr_weigh_tokens() of the parts put together. */
uint64_t abr_weigh_token_sum(const abr_token_sum *sum, double safety);

ABR_PRIVATE_END

#endif
