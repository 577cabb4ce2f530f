/* A content being built: source and markers in the order they are shown, and its items. */
#ifndef ABR_KINDS_CONTENT_H
#define ABR_KINDS_CONTENT_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

/* Limits of a content by its budget. With markers between them, pieces have some 20 bytes. */
enum {
    ABR_PIECES_LEAST = 512,
    ABR_BYTES_PER_PIECE = 12,
    ABR_TEXTS_LEAST = 16 * 1024, /* bytes */
    ABR_TEXTS_PER_BYTE = 2
};

#define ABR_CONTENT_MEMORY(keep)                                                                             \
    ((size_t)(keep) / ABR_BYTES_PER_PIECE * sizeof(abr_piece) + (size_t)(keep)*ABR_TEXTS_PER_BYTE)

typedef struct {
    const abr_alloc *alloc;
    abr_piece *pieces; /* p is NULL until abr_content_end() if the bytes are in `texts` */
    size_t count;
    size_t size; /* pieces allocated */
    char *texts; /* of pieces in their order, then of items */
    size_t texts_used;
    size_t texts_size;
    abr_item items[ABR_ITEMS_MOST];
    size_t item_texts[ABR_ITEMS_MOST]; /* place of each item's `of` */
    size_t item_count;
    abr_part parts[ABR_PARTS_MOST]; /* of an output of several kinds */
    size_t part_count;
    uint64_t hits_found; /* in its logs */
    uint64_t hits_kept;
    uint64_t failures_found;
    uint64_t failures_kept;
    size_t keep; /* of the budgets: there is memory for the pieces and texts that they allow */
    bool over;   /* there were more, now lost */
    bool failed; /* out of memory; everything added since is lost */
} abr_content;

/* Add n bytes of the source, which stand after `at` bytes and `line` newlines of it. They join the previous
 * piece if they follow it in the source and in memory. */
void abr_content_keep(abr_content *c, const char *p, size_t n, uint64_t at, uint64_t line);

/* The same for bytes that stand for a range of the source, which may be longer; they are copied. */
void abr_content_copy(abr_content *c, const abr_piece *piece);

/* Add a marker, which is copied; it joins a marker right before it. */
void abr_content_mark(abr_content *c, const char *p, size_t n);

/* Add an item, after all pieces; its `of` is copied. Items past ABR_ITEMS_MOST are dropped, as are those
 * whose `of` is too long. */
void abr_content_tell(abr_content *c, const abr_item *item);

/* Add a part of the text; if there are more than ABR_PARTS_MOST, they are dropped. */
void abr_content_tell_part(abr_content *c, const abr_part *part);

/* Bytes of pieces that count: those of the source, and of markers if `markers`. */
uint64_t abr_counted_bytes(const abr_piece *pieces, size_t count, bool markers);

/* Empty it; its memory stays. */
void abr_content_clear(abr_content *c);

/* Hand pieces, items, parts and the counts of hits and failures over to a cut, in a block of its own. ABR_OK
 * or ABR_ENOMEM. */
abr_code abr_content_end(const abr_content *c, abr_cut *cut);

void abr_content_free(abr_content *c);

ABR_PRIVATE_END

#endif
