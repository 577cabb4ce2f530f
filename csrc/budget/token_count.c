/* Tokens as a budget counts them. */
#include "budget/token_count.h"
#include "abridge.h"

abr_code abr_count_tokens(const abr_opts *o, const char *p, size_t n, uint64_t *tokens)
{
    *tokens = 0;
    if (o->count_tokens)
        return o->count_tokens(o->count_ctx, p, n, tokens) ? ABR_OK : ABR_ECOUNT;
    *tokens = abr_weigh_tokens(p, n, o->token_safety);
    return ABR_OK;
}
