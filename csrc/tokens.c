/* The token estimate: one function, so that every budget weighs text alike. */
#include "internal.h"

#define BYTES_PER_TOKEN 3

uint64_t abr_estimate_tokens(const char *p, size_t n)
{
    (void)p; /* a size is all this estimate looks at */
    return n / BYTES_PER_TOKEN + (n % BYTES_PER_TOKEN != 0);
}

uint64_t abr_weigh_tokens(const char *p, size_t n, double safety)
{
    double weighed = (double)abr_estimate_tokens(p, n) * safety;
    uint64_t tokens = (uint64_t)weighed;
    return tokens + ((double)tokens < weighed);
}
