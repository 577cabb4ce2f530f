/* One JSON document read token by token, all of it. */
#ifndef ABR_SPLICE_JSON_WALK_H
#define ABR_SPLICE_JSON_WALK_H

#include "abridge.h"
#include "base/private.h"
#include "kinds/json/json_text.h"

ABR_PRIVATE_BEGIN

typedef struct abr_json_walk abr_json_walk;

/* Takes a token that starts at offset `start` and ends before `end`; anything but ABR_OK ends the walk, and
 * is what it returns. */
typedef abr_code (*abr_take_token)(abr_json_walk *walk, abr_json_token token, size_t start, size_t end,
                                   abr_error *error);

struct abr_json_walk {
    const char *p;
    size_t n;
    const abr_alloc *alloc;
    void *levels; /* owned while it runs */
    size_t level_words;
    abr_json_scan scan;
    abr_take_token take;
};

/* Fill *error (unless NULL) with a position too, and return code. */
abr_code abr_fail_at(abr_error *error, abr_code code, const char *message, size_t position);

/* Read all of the document, whose p, n, alloc and take are set; the rest is zeroed. ABR_EJSON, ABR_ENOMEM. */
abr_code abr_walk_json(abr_json_walk *walk, abr_error *error);

/* The type of a value, by its first byte. */
abr_spliced_type abr_type_of_value(char first);

ABR_PRIVATE_END

#endif
