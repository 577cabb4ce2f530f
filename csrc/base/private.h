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

#endif
