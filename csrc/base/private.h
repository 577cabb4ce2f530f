/* What the files of the core share and a host does not see. */
#ifndef ABR_BASE_PRIVATE_H
#define ABR_BASE_PRIVATE_H

/* What is declared between these two is not seen outside of a shared object, whatever
 * flags it is built with. */
#ifdef __GNUC__
#define ABR_PRIVATE_BEGIN _Pragma("GCC visibility push(hidden)")
#define ABR_PRIVATE_END _Pragma("GCC visibility pop")
#else
#define ABR_PRIVATE_BEGIN
#define ABR_PRIVATE_END
#endif

#endif
