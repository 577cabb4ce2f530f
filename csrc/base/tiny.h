/* Sizes of buffers, and limits on the bytes looked at or kept. A build with ABR_TINY makes them a few bytes
 * long, so that even small inputs outgrow a buffer, fill a table or pass a cap. If one size depends on
 * another, both builds assert it. */
#ifndef ABR_BASE_TINY_H
#define ABR_BASE_TINY_H

#ifdef ABR_TINY
#define ABR_OR_TINY(full, tiny) (tiny)
#else
#define ABR_OR_TINY(full, tiny) (full)
#endif

#endif
