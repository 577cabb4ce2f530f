/* Tokens as a budget counts them. */
#ifndef ABR_BUDGET_TOKEN_COUNT_H
#define ABR_BUDGET_TOKEN_COUNT_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

/* Tokens of (p, n) as budgets count them: the caller's count, or the estimate times its safety factor. */
abr_code abr_count_tokens(const abr_opts *opts, const char *p, size_t n, uint64_t *tokens);

ABR_PRIVATE_END

#endif
