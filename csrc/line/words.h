/* One pass over a line. */
#ifndef ABR_LINE_WORDS_H
#define ABR_LINE_WORDS_H

#include "abridge.h"
#include "base/private.h"
#include "base/tiny.h"
#include "line/lexicon.h"

ABR_PRIVATE_BEGIN

enum {
    ABR_SIGNS = 24,                       /* words of the lexicon that count in a line, at most */
    ABR_SEGMENT = ABR_OR_TINY(4096, 128), /* bytes that are read at once, at most */
    ABR_PADDING = 64,                     /* bytes that may be read past a line's end */
    ABR_PLAIN_WORDS = 6,                  /* that tell how rare a line is: its first ones, */
    ABR_PLAIN_WITHIN = 256,               /* in so many bytes at its start */
    ABR_PLAIN_BITS = 14                   /* of a plain word's hash */
};

/* A word of the lexicon in a line, or the name of an error type. */
typedef struct {
    uint32_t at;
    uint16_t n;
    uint8_t class;
    bool type;      /* SomethingError: only the end of the name is in the lexicon */
    uint8_t phrase; /* of a word of ABR_WORD_PHRASE: the first row of phrases.def that has it */
} abr_sign;

/* What stands in a line. */
typedef struct {
    abr_sign signs[ABR_SIGNS];
    unsigned count;
    unsigned classes;                /* of the signs, a bit each */
    uint32_t shape;                  /* hash of the line with names, numbers and quoted parts folded */
    uint32_t outline;                /* see outline.h */
    uint32_t words;                  /* how many there were */
    uint32_t tokens;                 /* the same of what stands between blanks */
    uint16_t plain[ABR_PLAIN_WORDS]; /* hashes of the first words that are no part of a name */
    unsigned plain_count;
    size_t indent;  /* blanks at the start */
    size_t first;   /* where the first word starts; n: there is none */
    size_t located; /* where a file:line starts; n: there is none */
    size_t code;    /* where a diagnostic's code is: E1101, SC2086; n: there is none */
    size_t mark;    /* the first tick, cross or other sign that is not ASCII; n: none */
} abr_line_words;

/* Read (p, n), at most ABR_SEGMENT bytes, into *out; the ABR_PADDING bytes after it must be readable. */
void abr_read_words(const abr_lexicon *lexicon, const char *p, size_t n, abr_line_words *out);

/* The same of a line without escape sequences. */
void abr_read_plain_words(const abr_lexicon *lexicon, const char *p, size_t n, abr_line_words *out);

ABR_PRIVATE_END

#endif
