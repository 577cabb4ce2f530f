/* The meaning of a line, read alone. */
#ifndef ABR_LINE_LINE_SCORE_H
#define ABR_LINE_LINE_SCORE_H

#include "abridge.h"
#include "base/private.h"
#include "line/command.h"
#include "line/evidence.h"
#include "line/hits.h"
#include "line/form.h"
#include "line/layout.h"
#include "line/lexicon.h"
#include "line/score.h"
#include "line/trace.h"
#include "line/words.h"

ABR_PRIVATE_BEGIN

typedef enum {
    ABR_LINE_PLAIN = 0,
    ABR_LINE_BLANK,   /* nothing but blanks */
    ABR_LINE_PASS,    /* a test that passed, a check that went well */
    ABR_LINE_STEP,    /* a test that starts, a file that is compiled */
    ABR_LINE_EXCERPT, /* a source line of a diagnostic, its caret */
    ABR_LINE_FRAME,   /* a frame of a stack */
    ABR_LINE_TRACE    /* head of a traceback whose message comes last */
} abr_line_kind;

/* Does the result of a test lead the line, or come after its name? */
typedef enum { ABR_RESULT_NONE = 0, ABR_RESULT_LEADS, ABR_RESULT_FOLLOWS } abr_result;

/* Where a section of a test run starts or ends. */
typedef enum {
    ABR_SECTION_NONE = 0,
    ABR_SECTION_WELL, /* the title of one about what went well */
    ABR_SECTION_OTHER /* that of any other, or the count of all tests */
} abr_section;

typedef struct {
    float line_score;  /* on the scale of score.h; 0: it says nothing */
    bool hit;          /* it says that something is wrong, and counts in cut.hits_found */
    bool tells;        /* a hit that is neither a heading nor a count */
    abr_result result; /* a hit that tells a test's result */
    bool lists_again;  /* a heading or a count, below which failures are told again */
    bool placed;       /* it starts with a place, as a diagnostic does, and is not a note to one */
    bool warns;        /* a compiler's warning */
    bool asked;        /* it has a pattern of the caller that makes it a hit */
    uint8_t section;   /* abr_section */
    abr_digits digits; /* how it depends on digits */
    abr_line_kind kind;
    abr_form_told told;  /* its form, among those of the lexicon */
    abr_command command; /* it starts or ends the output of a command */
    uint32_t at;         /* of the text that scored */
    uint32_t shape;      /* lines of one shape differ only in names and numbers, judging by a few words */
    uint32_t outline;    /* lines of one outline, judging by all words */
    uint32_t words;
    uint32_t tokens;
    uint16_t plain[ABR_PLAIN_WORDS]; /* hashes of its first plain words */
    unsigned plain_count;
    uint32_t indent;
    uint32_t lead; /* bytes before its own text */
} abr_reading;

/* Make a reading one of no trouble, though its words tell of some: a passing test printed the line. */
static inline void abr_excuse_reading(abr_reading *r)
{
    r->hit = r->tells = r->lists_again = r->placed = false;
    r->line_score = r->line_score < ABR_SCORE_WEAK ? r->line_score : ABR_SCORE_WEAK;
    r->kind = r->kind == ABR_LINE_TRACE ? ABR_LINE_PLAIN : r->kind;
}

/* Follow sections to a line; `went_well` is the result for the line before. Is it in a section of what went
 * well? Then it is no trouble unless a pattern of the caller says so: what a test logged that passed is no
 * failure. */
static inline bool abr_follow_section(bool went_well, abr_reading *r)
{
    if (r->section != ABR_SECTION_NONE || (went_well && r->command == ABR_COMMAND_STARTS))
        went_well = r->section == ABR_SECTION_WELL;
    if (went_well && !r->asked)
        abr_excuse_reading(r);
    return went_well;
}

/* Read a line, at most ABR_SEGMENT bytes; the ABR_PADDING bytes after it must be readable. */
void abr_read_line(const abr_lexicon *lexicon, const abr_patterns *patterns, const char *p, size_t n,
                   abr_reading *out);

/* The same for a line that matters only if it has a score; otherwise all of *out is 0. Quicker if most lines
 * have none. */
void abr_read_if_scored(const abr_lexicon *lexicon, const abr_patterns *patterns, const char *p, size_t n,
                        abr_reading *out);

/* Add the beginning of a line to a reading made without it. */
static inline void abr_add_lead(abr_reading *r, abr_lead lead)
{
    r->at += (uint32_t)lead.n;
    r->lead = (uint32_t)lead.n;
    if (lead.stamped)
        r->told.log = 1;
}

/* abr_read_line() of a line's own text; it has escape sequences only if `escapes`. */
void abr_read_unstamped(const abr_lexicon *lexicon, const abr_patterns *patterns, const char *p, size_t n,
                        bool escapes, abr_reading *out);

/* abr_read_line() that also notes the reading of each word; *trace is overwritten. */
void abr_trace_line(const abr_lexicon *lexicon, const abr_patterns *patterns, const char *p, size_t n,
                    abr_reading *out, abr_trace *trace);

ABR_PRIVATE_END

#endif
