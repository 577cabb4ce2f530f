/* The parts of an output of several commands: `cat a.json; make; git diff`. */
#ifndef ABR_KINDS_MIXED_OUTPUT_PARTS_H
#define ABR_KINDS_MIXED_OUTPUT_PARTS_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

/* Lines of one kind, whole ones unless a document starts or ends inside one. */
typedef struct {
    abr_kind kind;
    size_t from; /* bytes of the text before them */
    size_t end;
    bool unseen; /* a style sheet, script or drawing of a page: worth less than any other part */
} abr_output_part;

/* They tile the text. */
typedef struct {
    abr_output_part list[ABR_PARTS_MOST];
    size_t count;
} abr_output_parts;

/* Find the parts of a whole text, in time linear in it. False: it has only one, or all are logs and texts.
 * Allocates nothing; uses 32 KiB of stack. */
bool abr_find_parts(const char *p, size_t n, abr_output_parts *out);

ABR_PRIVATE_END

#endif
