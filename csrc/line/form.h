/*
 * The form of a line: a frame of a stack, a progress bar, a row of `ls -l`, a statement of source, and what that
 * tells of the text it stands in.
 *
 * A form is a row of forms.def; marks.def has words and texts that a form is told by. Some forms are seen in what
 * commands print as they work, some in what people write and in listings, and each row says how sure it is of
 * either. The form depends on no digit's value, so a line that is recalled (recall.c) keeps it.
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

enum { ABR_FORM_WITHIN = 240 /* bytes of a line that its form is told by */ };

/* A set of forms, a bit each. */
typedef uint64_t abr_form_set;
#define ABR_FORM_BIT(form) (UINT64_C(1) << (form))
#define ABR_ALL_FORMS (~UINT64_C(0))

/* Those in which words of trouble are names, or what a program looks for. */
#define ABR_FORMS_WITHOUT_TROUBLE                                                                            \
    (ABR_FORM_BIT(ABR_FORM_MODES) | ABR_FORM_BIT(ABR_FORM_LISTED) | ABR_FORM_BIT(ABR_FORM_CALL) |            \
     ABR_FORM_BIT(ABR_FORM_TRACE))

/* Those of lines that show what went wrong. */
#define ABR_FORMS_OF_TROUBLE                                                                                 \
    (ABR_FORM_BIT(ABR_FORM_FRAME) | ABR_FORM_BIT(ABR_FORM_EXCERPT) | ABR_FORM_BIT(ABR_FORM_QUOTING) |        \
     ABR_FORM_BIT(ABR_FORM_REMARK))

/* What a line's form tells. */
typedef struct {
    uint8_t form; /* abr_form, the one that is surest */
    float log;    /* how sure it is that a command at work printed the line, 0 to 1 */
    float text;   /* how sure it is that somebody wrote it, or that it is part of a listing */
} abr_form_told;

enum {
    ABR_SURE = 20, /* steps of how sure a form is */
    ABR_MARKS_MOST = 384,
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
    abr_form_set by_first[ABR_FIRSTS];     /* forms that may start with a byte, */
    abr_form_set by_last[ABR_FIRSTS];      /* or end with it */
    abr_form_set needing[ABR_FIRSTS];      /* or are not of a line without it */
    abr_char_set needed;                   /* the chars that some need */
    abr_char_set holds[ABR_FORMS];         /* those that a line of the form has */
    abr_form_set surer_log[ABR_SURE + 1];  /* forms that are surer of a log than by so many steps, */
    abr_form_set surer_text[ABR_SURE + 1]; /* or of a text */
    uint16_t marks[7][ABR_FIRSTS];         /* the first mark of a place, by its first byte, or its last */
    uint16_t next[ABR_MARKS_MOST];         /* the one after it */
    abr_mark_within within[ABR_WITHIN_MOST];
    unsigned within_count;
    bool thorough;    /* set by the caller: tell how sure a text is where a log is sure, too */
    unsigned without; /* a rule that is left out, or ABR_NO_RULE */
} abr_forms;

/* Fill the tables with the rows of the forms in `asked` but for one rule, ABR_RULE_FORM or ABR_RULE_MARK with its
 * number; ABR_NO_RULE: with all. */
void abr_forms_open(abr_forms *x, abr_form_set asked, unsigned without);

typedef enum {
    ABR_SUBJECT_NONE,
    ABR_SUBJECT_MAYBE, /* its type is also what programs label their output with: "test: 3 failed" */
    ABR_SUBJECT_SURE
} abr_subject;

/* Is it the subject of a commit, by its type: "fix(api): ...", "docs: ..."? */
abr_subject abr_commit_subject(const abr_forms *x, abr_text_line line);

/* The form of a line, of those asked for. Costs some 240 ns if all are: cheap enough for samples, too much for each
 * line of a stream. */
abr_form_told abr_read_form(const abr_forms *x, abr_text_line line);

/* The same of a line that may have a time at its start, which tells of a log. */
abr_form_told abr_read_whole_form(const abr_forms *x, abr_text_line line);

/* Does the line start with a mark of the form? */
bool abr_starts_with_mark(const abr_forms *x, abr_form form, abr_text_line line);

/* Is the word a mark of the form, as a whole? */
bool abr_is_mark(const abr_forms *x, abr_form form, abr_text_line word);

ABR_PRIVATE_END

#endif
