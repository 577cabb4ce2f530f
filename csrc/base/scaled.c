/*
 * Products of 128 bits, of which a double keeps the first 53.
 *
 * An expression of doubles computed with 64 bits, as by other compilers for an x87, may round
 * int(limit * ratio) to another integer. Floating point is used here only to hold the caller's numbers.
 */
#include <string.h>

#include "base/scaled.h"
#include "abridge.h"

enum {
    KEPT = 53,          /* bits of a double's fraction, the first one too */
    EXPONENTS = 2047,   /* as stored */
    LEAST_STORED = 1075 /* the stored exponent of a double whose last bit is 1 */
};

typedef struct {
    uint64_t high;
    uint64_t low;
} wide;

static wide product(uint64_t a, uint64_t b)
{
    const uint64_t half = UINT32_MAX;
    const uint64_t low = (a & half) * (b & half);
    const uint64_t one = (a >> 32) * (b & half) + (low >> 32);
    const uint64_t other = (a & half) * (b >> 32) + (one & half);
    return (wide){(a >> 32) * (b >> 32) + (one >> 32) + (other >> 32), (other << 32) | (low & half)};
}

static unsigned bits_of(wide x)
{
    unsigned bits = x.high > 0 ? 64 : 0;
    for (uint64_t word = x.high > 0 ? x.high : x.low; word > 0; word >>= 1)
        bits++;
    return bits;
}

/* The first 53 bits, rounded to the nearest, to an even one from the middle; *dropped is the number of bits
 * it lacks. */
static uint64_t rounded(wide x, unsigned *dropped)
{
    const unsigned bits = bits_of(x);
    const unsigned n = bits > KEPT ? bits - KEPT : 0; /* at most 53, the bits of a factor */
    *dropped = n;
    if (n == 0)
        return x.low;
    const uint64_t kept = (x.high << (64 - n)) | (x.low >> n);
    const uint64_t rest = x.low << (64 - n);
    const uint64_t middle = UINT64_C(1) << 63;
    return kept + (rest > middle || (rest == middle && (kept & 1)));
}

static uint64_t scaled(uint64_t count, double factor, bool up)
{
    uint64_t bits;
    memcpy(&bits, &factor, sizeof bits);
    const unsigned stored = (unsigned)(bits >> (KEPT - 1)) & EXPONENTS;
    const uint64_t first = UINT64_C(1) << (KEPT - 1);
    const uint64_t fraction = (bits & (first - 1)) | (stored > 0 ? first : 0);
    unsigned dropped;
    const uint64_t value = rounded(product(count, fraction), &dropped);
    const int down = LEAST_STORED - (int)(stored > 0 ? stored : 1) - (int)dropped; /* value / 2^down */
    if (down <= 0)
        return value << -down;
    if (down >= 64)
        return up && value > 0;
    return (value >> down) + (up && (value << (64 - down)) > 0);
}

uint64_t abr_scaled_down(uint64_t count, double factor)
{
    return scaled(count, factor, false);
}

uint64_t abr_scaled_up(uint64_t count, double factor)
{
    return scaled(count, factor, true);
}

bool abr_is_less_share(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    const wide left = product(a, d);
    const wide right = product(c, b);
    return left.high < right.high || (left.high == right.high && left.low < right.low);
}
