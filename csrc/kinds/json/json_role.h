/* The role of a value by its key. */
#ifndef ABR_KINDS_JSON_JSON_ROLE_H
#define ABR_KINDS_JSON_JSON_ROLE_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

/* In the order in which an object's members are shown. */
typedef enum {
    ABR_JSON_OUTCOME = 0, /* an exit code, a status, a severity, an error, a message */
    ABR_JSON_NAME,        /* an id, a name, a title, a path, a URL, a key */
    ABR_JSON_NAMES,       /* a name of something else: `user_id`, `filePath` */
    ABR_JSON_CODE,        /* looks like an identifier, whatever its key says */
    ABR_JSON_OTHER
} abr_json_role;

/* The role of a key, with its quotes. */
abr_json_role abr_json_role_of(const char *key, size_t n);

/* Does a string of n bytes, without its quotes, look like an identifier? */
bool abr_json_is_code(const char *p, size_t n);

ABR_PRIVATE_END

#endif
