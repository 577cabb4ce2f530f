/*
 * The form of a line (a frame of a stack, a progress bar, a row of `ls -l`, a statement of source), which is
 * evidence about the text around it.
 *
 * A form is a row of forms.def; marks.def has words and texts that mark a form. Some forms occur in the
 * output of commands at work, some in texts that people write and in listings; each row says how strongly it
 * points to either. The form depends on no digit's value, so a line that is recalled (recall.c) keeps it.
 */
#ifndef ABR_LINE_FORM_H
#define ABR_LINE_FORM_H

#include "abridge.h"
#include "base/private.h"
#include "line/char_set.h"
#include "line/lines.h"

ABR_PRIVATE_BEGIN

typedef enum {
    ABR_FORM_NONE = 0, /* plain words, or nothing */
#define FORM(name, log, text, first, last, holds, test, program, proof) ABR_FORM_##name,
#include "line/forms.def"
#undef FORM
    ABR_FORMS
} abr_form;

enum { ABR_FORM_WITHIN = 240 /* bytes of a line that its form is told from */ };

/* A set of forms, one bit each. */
typedef uint64_t abr_form_set;
#define ABR_FORM_BIT(form) (UINT64_C(1) << (form))
#define ABR_ALL_FORMS (~UINT64_C(0))

/* Forms in which words of trouble are names, or things that a program looks for. */
#define ABR_FORMS_WITHOUT_TROUBLE                                                                            \
    (ABR_FORM_BIT(ABR_FORM_MODES) | ABR_FORM_BIT(ABR_FORM_LISTED) | ABR_FORM_BIT(ABR_FORM_CALL) |            \
     ABR_FORM_BIT(ABR_FORM_TRACE) | ABR_FORM_BIT(ABR_FORM_MATCH))

/* Forms of lines that show what went wrong. */
#define ABR_FORMS_OF_TROUBLE                                                                                 \
    (ABR_FORM_BIT(ABR_FORM_FRAME) | ABR_FORM_BIT(ABR_FORM_EXCERPT) | ABR_FORM_BIT(ABR_FORM_QUOTING) |        \
     ABR_FORM_BIT(ABR_FORM_REMARK))

/* The findings about a line's form. */
typedef struct {
    uint8_t form; /* abr_form, the surest one */
    float log;    /* how sure it is that a command at work printed the line, 0 to 1 */
    float text;   /* how sure it is that a person wrote it, or that it is part of a listing */
} abr_form_told;

enum {
    ABR_SURE = 20, /* steps on the scale of how sure a form is */
    ABR_MARK_PLACES = 10,
    ABR_MARKS_MOST = 288,
    ABR_WITHIN_MOST = 32,
    ABR_FIRSTS = 128 /* chars that lines and marks start with; those beyond ASCII share the last one */
};

/* A mark that may stand anywhere in a line with these chars. */
typedef struct {
    abr_char_set holds;
    uint16_t mark;
} abr_mark_within;

/* The rows of both tables, for lookup. */
typedef struct abr_forms {
    abr_form_set by_first[ABR_FIRSTS];           /* forms that may start with a byte, */
    abr_form_set by_last[ABR_FIRSTS];            /* or end with it */
    abr_form_set needing[ABR_FIRSTS];            /* or need it in the line */
    abr_char_set needed;                         /* the chars that any form needs */
    abr_char_set holds[ABR_FORMS];               /* chars that each form needs */
    abr_form_set surer_log[ABR_SURE + 1];        /* forms that are more than so many steps sure of a log, */
    abr_form_set surer_text[ABR_SURE + 1];       /* or of a text */
    uint16_t marks[ABR_MARK_PLACES][ABR_FIRSTS]; /* the first mark of a place, by its first or last byte */
    uint16_t next[ABR_MARKS_MOST];               /* the next one */
    abr_mark_within within[ABR_WITHIN_MOST];
    unsigned within_count;
    bool thorough;    /* set by the caller: also tell how sure a text is if a log is sure */
    unsigned without; /* a rule to leave out, or ABR_NO_RULE */
} abr_forms;

/* Fill the tables with the rows of the forms in `asked`, except one rule, ABR_RULE_FORM or ABR_RULE_MARK plus
 * its number; ABR_NO_RULE: all rows. */
void abr_forms_open(abr_forms *x, abr_form_set asked, unsigned without);

typedef enum {
    ABR_SUBJECT_NONE,
    ABR_SUBJECT_MAYBE, /* programs also label their output with its type: "test: 3 failed" */
    ABR_SUBJECT_SURE
} abr_subject;

/* Is it the subject of a commit, by its type: "fix(api): ...", "docs: ..."? */
abr_subject abr_commit_subject(const abr_forms *x, abr_text_line line);

/* The form of a line, among those asked for. Costs some 240 ns if all are: cheap enough for samples, too much
 * for each line of a stream. */
abr_form_told abr_read_form(const abr_forms *x, abr_text_line line);

/* The same for a line that may start with a time, which is the sign of a log. */
abr_form_told abr_read_whole_form(const abr_forms *x, abr_text_line line);

/* Does the line start with a mark of the form? */
bool abr_starts_with_mark(const abr_forms *x, abr_form form, abr_text_line line);

/* Does the line have any mark of a test's result? Such lines must not be among those asked for. */
bool abr_is_result(const abr_forms *x, abr_text_line line);

/* Is the whole word a mark of the form? */
bool abr_is_mark(const abr_forms *x, abr_form form, abr_text_line word);

ABR_PRIVATE_END

#endif
