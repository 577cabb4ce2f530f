/*
 * A content being built. Markers and the texts of items go into one growing buffer, so offsets into it are
 * kept until the end.
 */
#include <stdint.h>
#include <string.h>

#include "kinds/content.h"
#include "base/memory.h"
#include "base/tiny.h"
#include "text/scan.h"

enum { FIRST_PIECES = ABR_OR_TINY(64, 1), FIRST_TEXTS = ABR_OR_TINY(4096, 8) };

/* Is there memory for `wanted` units of `unit` bytes in *array? */
static bool grow_room(abr_content *c, void *array, size_t *size, size_t wanted, size_t most, size_t unit,
                      size_t first)
{
    if (wanted < first)
        wanted = first;
    c->over = c->over || wanted > most;
    c->failed = c->failed || (!c->over && !abr_grow(c->alloc, array, size, wanted, most, unit));
    return !c->over && !c->failed;
}

static abr_piece *new_piece(abr_content *c)
{
    const size_t most = ABR_PIECES_LEAST + c->keep / ABR_BYTES_PER_PIECE;
    const bool fine = grow_room(c, &c->pieces, &c->size, c->count + 1, most, sizeof *c->pieces, FIRST_PIECES);
    return fine ? &c->pieces[c->count++] : NULL;
}

void abr_content_keep(abr_content *c, const char *p, size_t n, uint64_t at, uint64_t line)
{
    if (n == 0)
        return;
    /* the last byte is in the last line, even if it is a newline */
    const uint64_t last_line = line + 1 + abr_count_newlines(p, n - 1);
    abr_piece *before = c->count > 0 ? &c->pieces[c->count - 1] : NULL;
    if (before && before->source && before->p && before->last_byte == at && before->p + before->n == p) {
        before->n += n;
        before->last_byte += n;
        before->last_line = last_line;
        return;
    }
    abr_piece *piece = new_piece(c);
    if (piece)
        *piece = (abr_piece){.p = p,
                             .n = n,
                             .source = true,
                             .first_byte = at + 1,
                             .last_byte = at + n,
                             .first_line = line + 1,
                             .last_line = last_line};
}

/* Copy a text; *at gets its place among the texts. */
static bool keep_copy(abr_content *c, const char *p, size_t n, size_t *at)
{
    const size_t most =
        ABR_TEXTS_LEAST + (c->keep < SIZE_MAX / 4 ? ABR_TEXTS_PER_BYTE * c->keep : SIZE_MAX / 4);
    if (!grow_room(c, &c->texts, &c->texts_size, c->texts_used + n, most, 1, FIRST_TEXTS))
        return false;
    *at = c->texts_used;
    if (n > 0)
        memcpy(c->texts + c->texts_used, p, n);
    c->texts_used += n;
    return true;
}

/* Copy a piece, or add it to the previous one. */
static void copy_piece(abr_content *c, const abr_piece *piece, bool goes_on)
{
    size_t at;
    if (piece->n == 0 || !keep_copy(c, piece->p, piece->n, &at))
        return;
    if (goes_on) {
        abr_piece *before = &c->pieces[c->count - 1];
        before->n += piece->n;
        before->last_byte = piece->last_byte;
        before->last_line = piece->last_line;
        return;
    }
    abr_piece *new = new_piece(c);
    if (!new)
        return;
    *new = *piece;
    new->p = NULL;
}

/* The previous piece if its bytes are copied too, or NULL. */
static const abr_piece *copied_before(const abr_content *c)
{
    return c->count > 0 && !c->pieces[c->count - 1].p ? &c->pieces[c->count - 1] : NULL;
}

void abr_content_copy(abr_content *c, const abr_piece *piece)
{
    const abr_piece *before = copied_before(c);
    copy_piece(c, piece, before && before->source && before->last_byte + 1 == piece->first_byte);
}

void abr_content_mark(abr_content *c, const char *p, size_t n)
{
    const abr_piece *before = copied_before(c);
    copy_piece(c, &(abr_piece){.p = p, .n = n}, before && !before->source);
}

void abr_content_tell(abr_content *c, const abr_item *item)
{
    const bool was_over = c->over;
    size_t at = 0;
    if (c->item_count == ABR_ITEMS_MOST || (item->of && !keep_copy(c, item->of, item->of_len, &at))) {
        c->over = was_over; /* the content is fine without it */
        return;
    }
    c->items[c->item_count] = *item;
    c->item_texts[c->item_count++] = at;
}

void abr_content_tell_part(abr_content *c, const abr_part *part)
{
    if (c->part_count < ABR_PARTS_MOST)
        c->parts[c->part_count++] = *part;
}

uint64_t abr_counted_bytes(const abr_piece *pieces, size_t count, bool markers)
{
    uint64_t n = 0;
    for (size_t i = 0; i < count; i++)
        n += pieces[i].source || markers ? pieces[i].n : 0;
    return n;
}

void abr_content_clear(abr_content *c)
{
    c->count = c->texts_used = c->item_count = c->part_count = 0;
    c->hits_found = c->hits_kept = c->failures_found = c->failures_kept = 0;
    c->over = false;
}

abr_code abr_content_end(const abr_content *c, abr_cut *cut)
{
    const size_t pieces = c->count * sizeof *c->pieces;
    const size_t items = c->item_count * sizeof *c->items;
    if (c->failed)
        return ABR_ENOMEM;
    memcpy(cut->parts, c->parts, sizeof cut->parts);
    cut->part_count = c->part_count;
    cut->hits_found = c->hits_found;
    cut->hits_kept = c->hits_kept;
    cut->failures_found = c->failures_found;
    cut->failures_kept = c->failures_kept;
    if (pieces + items + c->texts_used == 0)
        return ABR_OK;
    char *block = cut->alloc->malloc(cut->alloc->ctx, pieces + items + c->texts_used);
    if (!block)
        return ABR_ENOMEM;
    abr_piece *new_pieces = (abr_piece *)(void *)block;
    abr_item *new_items = (abr_item *)(void *)(block + pieces);
    char *texts = block + pieces + items;
    if (c->texts_used > 0)
        memcpy(texts, c->texts, c->texts_used);
    size_t at = 0;
    for (size_t i = 0; i < c->count; i++) {
        new_pieces[i] = c->pieces[i];
        if (c->pieces[i].p)
            continue;
        new_pieces[i].p = texts + at;
        at += c->pieces[i].n;
    }
    for (size_t i = 0; i < c->item_count; i++) {
        new_items[i] = c->items[i];
        if (c->items[i].of)
            new_items[i].of = texts + c->item_texts[i];
    }
    cut->block = block;
    cut->pieces = new_pieces;
    cut->piece_count = c->count;
    cut->items = new_items;
    cut->item_count = c->item_count;
    return ABR_OK;
}

void abr_content_free(abr_content *c)
{
    abr_release(c->alloc, c->pieces);
    abr_release(c->alloc, c->texts);
}
