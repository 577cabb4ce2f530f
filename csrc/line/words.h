/* One pass over a line. */
#ifndef ABR_LINE_WORDS_H
#define ABR_LINE_WORDS_H

#include "abridge.h"
#include "base/private.h"
#include "base/tiny.h"
#include "line/lexicon.h"

ABR_PRIVATE_BEGIN

enum {
    ABR_SIGNS = 24,                       /* most words of the lexicon that count in a line */
    ABR_SEGMENT = ABR_OR_TINY(4096, 128), /* most bytes to read at once */
    ABR_PADDING = 64,                     /* bytes that may be read past a line's end */
    ABR_PLAIN_WORDS = 6,                  /* of a line, to tell how rare it is: its first ones, */
    ABR_PLAIN_WITHIN = 256,               /* within so many bytes of its start */
    ABR_PLAIN_BITS = 14                   /* of a plain word's hash */
};

/* A word of the lexicon in a line, or the name of an error type. */
typedef struct {
    uint32_t at;
    uint16_t n;
    uint8_t class;
    bool type;      /* SomethingError: only the end of the name is in the lexicon */
    uint8_t phrase; /* for ABR_WORD_PHRASE: the first row of phrases.def with the word */
} abr_sign;

/* The words of a line. */
typedef struct {
    abr_sign signs[ABR_SIGNS];
    unsigned count;
    unsigned classes;                /* of the signs, one bit each */
    uint32_t shape;                  /* hash of the line with names, numbers and quoted parts folded */
    uint32_t outline;                /* see outline.h */
    uint32_t words;                  /* number of words */
    uint32_t tokens;                 /* number of runs between blanks */
    uint16_t plain[ABR_PLAIN_WORDS]; /* hashes of the first words that are not part of a name */
    unsigned plain_count;
    size_t indent;  /* blanks at the start */
    size_t first;   /* start of the first word; n: none */
    size_t located; /* start of a file:line; n: none */
    size_t code;    /* start of a diagnostic's code: E1101, SC2086; n: none */
    size_t mark;    /* the first tick, cross or other sign that is not ASCII; n: none */
} abr_line_words;

/* How to read a line. */
typedef enum {
    ABR_READ_ALL = 0,
    ABR_READ_PLAIN, /* it has no escape sequences */
    /* without the shape, the outline, the tokens and the plain words, which tell lines apart */
    ABR_READ_ALONE
} abr_way;

/* Read (p, n), at most ABR_SEGMENT bytes, into *out; the ABR_PADDING bytes after it must be readable. */
void abr_read_words(const abr_lexicon *lexicon, const char *p, size_t n, abr_way how, abr_line_words *out);

ABR_PRIVATE_END

#endif
