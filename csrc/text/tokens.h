/* The token estimate. */
#ifndef ABR_TEXT_TOKENS_H
#define ABR_TEXT_TOKENS_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

#define ABR_TOKEN_UNITS 64 /* units of cost per token */

/* The cost that abr_estimate_tokens() rounds up to tokens. */
uint64_t abr_token_cost(const char *p, size_t n);

ABR_PRIVATE_END

#endif
