/* Declarations that the files of the core share, hidden from hosts. */
#ifndef ABR_BASE_PRIVATE_H
#define ABR_BASE_PRIVATE_H

/* Declarations between these two are hidden outside a shared object, whatever flags it is built with. */
#ifdef __GNUC__
#define ABR_PRIVATE_BEGIN _Pragma("GCC visibility push(hidden)")
#define ABR_PRIVATE_END _Pragma("GCC visibility pop")
#else
#define ABR_PRIVATE_BEGIN
#define ABR_PRIVATE_END
#endif

/* For a function in which unsigned numbers wrap around on purpose: hashes, ranges by one comparison, counts
 * that go below zero on the way to a sum. Clang's -fsanitize=integer reports all others (`make
 * check-systems`). */
#ifdef __clang__
#define ABR_WRAPS __attribute__((no_sanitize("unsigned-integer-overflow")))
#else
#define ABR_WRAPS
#endif

/* Judgements are sums and products of floats; more bits between two operations would cut otherwise near a
 * tie. So neither an x87 computes them (32-bit x86 needs SSE2, as a Pentium 4 has), nor is a product fused
 * with a sum. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#if (defined(__i386__) || defined(__x86_64__)) && __FLT_EVAL_METHOD__ != 0
#pragma GCC target("sse2,fpmath=sse")
#endif
#if defined(__FP_FAST_FMAF) && !defined(__STRICT_ANSI__)
#pragma GCC optimize("fp-contract=off")
#endif
#endif

#endif
