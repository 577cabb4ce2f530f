/* The roles of columns and keys, by their names, and the trouble that their values mean. */
#ifndef ABR_KINDS_ROLES_H
#define ABR_KINDS_ROLES_H

#include "base/private.h"
#include "line/lexicon.h"

ABR_PRIVATE_BEGIN

typedef enum {
    ABR_ROLE_NONE = 0,
    ABR_ROLE_LEVEL, /* of a log */
    ABR_ROLE_STATE, /* status, result: a word, or a code of HTTP */
    ABR_ROLE_EXIT,  /* an exit code */
    ABR_ROLE_NAME,  /* names and descriptions: their words are no news */
    ABR_ROLE_GOOD,  /* ok, success */
    ABR_ROLE_BAD    /* error, failures: something is wrong unless the value is empty or zero */
} abr_role;

/* The role of a column or a key of this name. */
abr_role abr_role_of(const char *name, size_t n);

/* Is (p, n) a whole number of few digits? */
bool abr_is_whole_number(const char *p, size_t n);

/* The score of the trouble that a number means, on the scale of line/score.h. */
float abr_number_trouble(const abr_lexicon *lexicon, abr_role role, const char *p, size_t n);

/* The same of a word or a text whose words score so. */
float abr_text_trouble(const abr_lexicon *lexicon, abr_role role, const char *p, size_t n, float words);

ABR_PRIVATE_END

#endif
