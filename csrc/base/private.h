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

#endif
