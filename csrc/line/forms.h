/* Forms of lines that more than one judge asks for. */
#ifndef ABR_LINE_FORMS_H
#define ABR_LINE_FORMS_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

/* Is it a row of `ls -l`, with or without inode and blocks before the mode? */
bool abr_is_mode_row(const char *p, size_t n);

typedef enum {
    ABR_SUBJECT_NONE,
    ABR_SUBJECT_MAYBE, /* its type is also what programs label their output with: "test: 3 failed" */
    ABR_SUBJECT_SURE
} abr_subject;

/* Is it the subject of a commit, by its type: "fix(api): ...", "docs: ..."? */
abr_subject abr_commit_subject(const char *p, size_t n);

ABR_PRIVATE_END

#endif
