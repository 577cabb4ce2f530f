/* The contents of abr_index, for several files. */
#ifndef ABR_FILES_FILE_INDEX_H
#define ABR_FILES_FILE_INDEX_H

#include "abridge.h"
#include "base/private.h"
#include "files/element_places.h"
#include "files/line_index.h"

ABR_PRIVATE_BEGIN

/* The index of a file in this state, or NULL; valid until the next abr_index_put(). */
abr_lines *abr_index_find(abr_index *index, const abr_identity *of);

/* Take over an index. It replaces the one of an older state of the file, or of the file used longest ago. */
void abr_index_put(abr_index *index, abr_lines *lines);

/* Remember a place of a file that has an index. */
void abr_index_place(abr_index *index, const abr_identity *of, const abr_place_at *place);

/* The places of the array or object that a pointer leads into, the innermost known one; NULL if there is
 * none. Valid until the next abr_index_put_elements(). */
abr_element_places *abr_index_elements(abr_index *index, const abr_identity *of, const char *pointer,
                                       size_t n);

/* Take over places. They replace those of an older state of the file, or those used longest ago. */
void abr_index_put_elements(abr_index *index, abr_element_places *places);

ABR_PRIVATE_END

#endif
