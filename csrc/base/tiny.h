/* Sizes of buffers, and how much is looked at or kept. A build with ABR_TINY has them a few bytes long, so
 * that small inputs reach what else only large ones do: what leaves a buffer, fills a table, passes a cap.
 * Where one size depends on another, both builds assert it. */
#ifndef ABR_BASE_TINY_H
#define ABR_BASE_TINY_H

#ifdef ABR_TINY
#define ABR_OR_TINY(full, tiny) (tiny)
#else
#define ABR_OR_TINY(full, tiny) (full)
#endif

#endif
