/* The names of values, and of elements of lists. */
#ifndef ABR_KINDS_JSON_JSON_CALLED_H
#define ABR_KINDS_JSON_JSON_CALLED_H

#include "base/private.h"
#include "kinds/json/json_tree.h"
#include "line/lines.h"

ABR_PRIVATE_BEGIN

/* The key of a value, without its quotes; empty if it has none. */
abr_text_line abr_json_key(const abr_json_value *v);

/* Is it an object or an array whose key looks like an identifier? */
bool abr_json_has_code_for_key(const abr_json_value *v);

/* Does the value, or its key, say what something is called? */
bool abr_json_is_called(const abr_json_value *v);

/* Does a value that is called identify something, rather than label it: a number, or a string with digits? */
bool abr_json_identifies(const abr_json_value *v);

/* An element's name and its label, be they in an object it holds: the name of a pod is in its metadata. A
 * label may be in the first object of a list, too. 0: it has none. */
typedef struct {
    uint32_t name;
    uint32_t label;
} abr_json_calling;

abr_json_calling abr_json_called(const abr_json_value *values, uint32_t element);

ABR_PRIVATE_END

#endif
