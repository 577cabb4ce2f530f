/* Which elements of an array a cut of the log keeps whose lines they are. */
#ifndef ABR_KINDS_JSON_JSON_ELEMENTS_H
#define ABR_KINDS_JSON_JSON_ELEMENTS_H

#include "abridge.h"
#include "base/private.h"
#include "kinds/json/json_held.h"
#include "kinds/json/json_joined.h"
#include "kinds/json/json_log.h"
#include "kinds/reader.h"

ABR_PRIVATE_BEGIN

/* Keep the elements that a log of these lines would keep within so many bytes. False: it isn't a log with
 * trouble in it. */
bool abr_json_joined_keep(abr_json_line_list *x, const abr_kind_request *q, uint64_t bytes);

/* A kept element of an array that was read as a log while it went by. */
typedef struct {
    uint64_t ordinal;
    const char *p; /* its line, as fed: with the blanks around it, and the array's bracket before the first;
                    * NULL: not all of it is at hand */
    size_t n;
    uint64_t at;       /* bytes of the array before the line */
    uint64_t newlines; /* of the array before it */
} abr_json_kept;

typedef struct {
    const abr_alloc *alloc;
    abr_json_log log;
    char *text; /* of an array at hand that was read again, or NULL */
    abr_json_kept *kept;
    size_t count;
    size_t size; /* allocated */
    bool failed; /* out of memory */
} abr_json_elements;

/* Read held array i, or take its log. False: it can't be cut as one. Always call
 * abr_json_elements_close(). */
bool abr_json_elements_open(abr_json_elements *x, const abr_kind_request *q, const abr_json_held *held,
                            size_t i);

/* Find the elements that a cut of the log keeps within so many bytes. False: there are none. */
bool abr_json_elements_keep(abr_json_elements *x, const abr_kind_request *q, uint64_t bytes);

void abr_json_elements_close(abr_json_elements *x);

ABR_PRIVATE_END

#endif
