/*
 * The token estimate: the tokens that a tokenizer like o200k would make of a text, without its tables.
 *
 * Such a tokenizer first breaks a text into words, groups of digits, and runs of punctuation and of blanks,
 * and then breaks these into pieces from its tables. Here a small state machine reads the text once: each
 * byte costs some 64ths of a token, by its class and the bytes before it; most cost none. The costs were
 * fitted to real counts (doc/design.md says how; `make bench-tokens` measures the error).
 *
 * Invariants, checked by spec/c/test_tokens.c:
 * - The estimate never falls as a text grows at its end, nor at its front, nor before a newline in its
 *   middle. Cuts are found by bisection and rely on it.
 * - Reading in lanes changes no sum.
 */
#include "text/tokens.h"
#include "abridge.h"
#include "base/scaled.h"

enum {
    LANES = 4,          /* places of a long text that are read at the same time */
    LANES_FROM = 2048,  /* shortest text worth setting up lanes for */
    SETTLES_WITHIN = 64 /* bytes looked at to find the state a lane starts in */
};

/* ---- classes of bytes ---- */

enum {
    NL,     /* \n and \r */
    SPACE,  /* the blank alone */
    TAB,    /* \t */
    DIGIT,  /* 0 to 9 */
    LOWER,  /* a to z */
    UPPER,  /* A to Z */
    JOIN,   /* punctuation that likes to lead a word: _ . - / : ( ' */
    RULE,   /* punctuation that likes to repeat: = * # ~ + */
    MARK,   /* all other punctuation */
    CTRL,   /* all other control bytes */
    CONT,   /* continuation bytes to B7 */
    CONT_H, /* continuation bytes from B8: after E1 they make Latin letters with two marks, and Greek ones */
    LATIN,  /* C3 to CB: a Latin letter with a mark */
    TWO,    /* CC to DF: Greek, Cyrillic, Hebrew, Arabic */
    INDIC,  /* E0: Devanagari to Thai */
    OTHER,  /* E1: Georgian, Ethiopic, Khmer, and letters told by CONT_H */
    KANA,   /* E3: also the punctuation of Chinese and Japanese */
    HAN,    /* E4 to E9 */
    HANGUL, /* EA to ED */
    WIDE,   /* EE and EF: wide forms, U+FFFD */
    EMOJI,  /* F0 and above */
    SYMBOL, /* C2 and E2: signs, dashes, quotes, arrows, boxes */
    CLASSES
};

#define X4(class) class, class, class, class
#define X8(class) X4(class), X4(class)
#define X16(class) X8(class), X8(class)

/* clang-format off */
static const uint8_t class_of[256] = {
    X8(CTRL), CTRL, TAB, NL, CTRL, CTRL, NL, CTRL, CTRL,                                             /* 00 */
    X16(CTRL),                                                                                       /* 10 */
    SPACE, MARK, MARK, RULE, MARK, MARK, MARK, JOIN, JOIN, MARK, RULE, RULE, MARK, JOIN, JOIN, JOIN, /* 20 */
    X8(DIGIT), DIGIT, DIGIT, JOIN, MARK, MARK, RULE, MARK, MARK,                                     /* 30 */
    MARK, X8(UPPER), X4(UPPER), UPPER, UPPER, UPPER,                                                 /* 40 */
    X8(UPPER), UPPER, UPPER, UPPER, X4(MARK), JOIN,                                                  /* 50 */
    MARK, X8(LOWER), X4(LOWER), LOWER, LOWER, LOWER,                                                 /* 60 */
    X8(LOWER), LOWER, LOWER, LOWER, MARK, MARK, MARK, RULE, CTRL,                                    /* 70 */
    X16(CONT), X16(CONT), X16(CONT), X8(CONT), X8(CONT_H),                                           /* 80 */
    SYMBOL, SYMBOL, SYMBOL, X8(LATIN), LATIN, X4(TWO), X16(TWO),                                     /* C0 */
    INDIC, OTHER, SYMBOL, KANA, X4(HAN), HAN, HAN, X4(HANGUL), WIDE, WIDE, X16(EMOJI),               /* E0 */
};
/* clang-format on */

/* ---- costs, in units of 1 / ABR_TOKEN_UNITS of a token ---- */

enum {
    NEWLINE = 92,         /* a newline, unless it joins another before it */
    NEWLINE_AFTER = 50,   /* after punctuation, which it often joins */
    BLANKS = 42,          /* the second blank in a row: the first goes with a word, the others with it */
    FIRST_TAB = 8,        /* a tab that is not after a blank */
    NEXT_TAB = 52,        /* a tab after a blank */
    DIGITS = 82,          /* the first digit of a run */
    DIGITS_FIRST = 42,    /* on a line */
    DIGITS_APART = 134,   /* after a blank, which does not go with digits */
    DIGITS_MORE = 59,     /* each fourth digit: groups have three */
    WORD_START = 55,      /* a word's first letter */
    WORD_AFTER_JOIN = 36, /* after one JOIN, which goes with it */
    WORD_AFTER_RUN = 60,  /* after other punctuation */
    LONG_WORD = 10,       /* each letter from the sixth on */
    CAPITALS = 7,         /* each capital after a capital */
    CAPITALS_END = 156,   /* small letters after two capitals: HTTPServer, base64 */
    JOINS = 44,           /* a run of punctuation that starts with a JOIN */
    JOINS_APART = 82,     /* after a blank */
    RULES = 72,           /* with a RULE, after a word or a number */
    RULES_APART = 66,     /* after a blank */
    RULES_FIRST = 44,     /* after neither */
    MARKS = 44,           /* with a MARK, after a word or a number */
    MARKS_APART = 66,     /* after a blank */
    MARKS_FIRST = 57,     /* after neither */
    RUN_OF_RULES = 2,     /* each JOIN or RULE within a run */
    RUN_OF_MARKS = 14,    /* each MARK within a run */
    CONTROL = 33,         /* a control byte */
    MARKED = 97,          /* a Latin letter with a mark, with its word no longer a known one */
    CONTINUES = 7,        /* each continuation byte, on top of the cost of its lead byte */
    SIGN_FIRST = 65,      /* a sign */
    SIGN_NEXT = 0         /* after another */
};

/* ---- the machine ---- */

/* The bytes before a byte. */
enum {
    LINE, /* a newline, or nothing */
    BLANK,
    BLANKS_2, /* two blanks or more */
    DIGITS_1,
    DIGITS_2,
    DIGITS_3,
    LETTERS_1, /* how many letters of a word */
    LETTERS_2,
    LETTERS_3,
    LETTERS_4,
    LETTERS_5, /* or more */
    CAPITAL,   /* a word's first letter, a capital */
    CAPITAL_2, /* two of them or more */
    JOINED,    /* one JOIN */
    RUN,       /* other punctuation */
    SIGN,      /* SYMBOL */
    FOREIGN,   /* a letter of another script, or a control byte */
    AFTER_E1,  /* its second byte is next */
    STATES
};

typedef struct {
    uint8_t next; /* the state after the byte */
    uint8_t cost; /* of the byte */
} transition;

/* clang-format off */
#define STEP(state, cost) {state, cost}
/* clang-format on */

/* The start of a run of punctuation, by the byte before it. */
#define PUNCTUATION(joins, rules, marks)                                                                     \
    [JOIN] = STEP(JOINED, joins), [RULE] = STEP(RUN, rules), [MARK] = STEP(RUN, marks)
#define AFTER_WORD PUNCTUATION(JOINS, RULES, MARKS)
#define AFTER_BLANK PUNCTUATION(JOINS_APART, RULES_APART, MARKS_APART)
#define AFTER_NEITHER PUNCTUATION(JOINS, RULES_FIRST, MARKS_FIRST)
#define WITHIN_RUN                                                                                           \
    [JOIN] = STEP(RUN, RUN_OF_RULES), [RULE] = STEP(RUN, RUN_OF_RULES), [MARK] = STEP(RUN, RUN_OF_MARKS)

#define NO_WORD(cost)                                                                                        \
    [LOWER] = STEP(LETTERS_1, cost), [UPPER] = STEP(CAPITAL, cost), [LATIN] = STEP(LETTERS_2, MARKED)
#define WITHIN_WORD(lower, lower_cost, upper, upper_cost)                                                    \
    [LOWER] = STEP(lower, lower_cost), [UPPER] = STEP(upper, upper_cost), [LATIN] = STEP(LETTERS_3, MARKED)
#define NO_BLANK [SPACE] = STEP(BLANK, 0), [TAB] = STEP(BLANK, FIRST_TAB)
#define MORE_BLANKS(space) [SPACE] = STEP(BLANKS_2, space), [TAB] = STEP(BLANKS_2, NEXT_TAB)
#define STAYS(state) [CONT] = STEP(state, CONTINUES), [CONT_H] = STEP(state, CONTINUES)
#define NO_SIGN [SYMBOL] = STEP(SIGN, SIGN_FIRST)

/* Bytes that cost the same everywhere. */
#define ANYWHERE                                                                                             \
    [CTRL] = STEP(FOREIGN, CONTROL), [TWO] = STEP(FOREIGN, 18), [INDIC] = STEP(FOREIGN, 14),                 \
    [OTHER] = STEP(AFTER_E1, 4), [KANA] = STEP(FOREIGN, 26), [HAN] = STEP(FOREIGN, 36),                      \
    [HANGUL] = STEP(FOREIGN, 31), [WIDE] = STEP(FOREIGN, 41), [EMOJI] = STEP(FOREIGN, 79)

#define IN_DIGITS(state, next, cost)                                                                         \
    {                                                                                                        \
        ANYWHERE, NO_BLANK, NO_SIGN, AFTER_WORD, NO_WORD(WORD_START),                                        \
            STAYS(state), [NL] = STEP(LINE, NEWLINE), [DIGIT] = STEP(next, cost)                             \
    }

#define IN_LETTERS(state, lower, lower_cost, upper, upper_cost)                                              \
    {                                                                                                        \
        ANYWHERE, NO_BLANK, NO_SIGN, AFTER_WORD, WITHIN_WORD(lower, lower_cost, upper, upper_cost),          \
            STAYS(state), [NL] = STEP(LINE, NEWLINE), [DIGIT] = STEP(DIGITS_1, DIGITS)                       \
    }

#define IN_BLANKS(state, space)                                                                              \
    {                                                                                                        \
        ANYWHERE, MORE_BLANKS(space), NO_SIGN, AFTER_BLANK, NO_WORD(WORD_START),                             \
            STAYS(state), [NL] = STEP(LINE, NEWLINE), [DIGIT] = STEP(DIGITS_1, DIGITS_APART)                 \
    }

#define IN_PUNCTUATION(state, word)                                                                          \
    {                                                                                                        \
        ANYWHERE, NO_BLANK, NO_SIGN, WITHIN_RUN, NO_WORD(word),                                              \
            STAYS(state), [NL] = STEP(LINE, NEWLINE_AFTER), [DIGIT] = STEP(DIGITS_1, DIGITS)                 \
    }

#define IN_SCRIPT(state, sign)                                                                               \
    {                                                                                                        \
        ANYWHERE, NO_BLANK, [SYMBOL] = STEP(SIGN, sign), AFTER_NEITHER, NO_WORD(WORD_START),                 \
                            STAYS(state), [NL] = STEP(LINE, NEWLINE), [DIGIT] = STEP(DIGITS_1, DIGITS)       \
    }

static const transition machine[STATES][CLASSES] = {
    [LINE] = {ANYWHERE, NO_BLANK, NO_SIGN, AFTER_NEITHER, NO_WORD(WORD_START),
              STAYS(LINE), [NL] = STEP(LINE, 0), [DIGIT] = STEP(DIGITS_1, DIGITS_FIRST)},
    [BLANK] = IN_BLANKS(BLANK, BLANKS),
    [BLANKS_2] = IN_BLANKS(BLANKS_2, 0),
    [DIGITS_1] = IN_DIGITS(DIGITS_1, DIGITS_2, 0),
    [DIGITS_2] = IN_DIGITS(DIGITS_2, DIGITS_3, 0),
    [DIGITS_3] = IN_DIGITS(DIGITS_3, DIGITS_1, DIGITS_MORE),
    [LETTERS_1] = IN_LETTERS(LETTERS_1, LETTERS_2, 0, CAPITAL, WORD_START),
    [LETTERS_2] = IN_LETTERS(LETTERS_2, LETTERS_3, 0, CAPITAL, WORD_START),
    [LETTERS_3] = IN_LETTERS(LETTERS_3, LETTERS_4, 0, CAPITAL, WORD_START),
    [LETTERS_4] = IN_LETTERS(LETTERS_4, LETTERS_5, 0, CAPITAL, WORD_START),
    [LETTERS_5] = IN_LETTERS(LETTERS_5, LETTERS_5, LONG_WORD, CAPITAL, WORD_START),
    [CAPITAL] = IN_LETTERS(CAPITAL, LETTERS_2, 0, CAPITAL_2, CAPITALS),
    [CAPITAL_2] = IN_LETTERS(CAPITAL_2, LETTERS_3, CAPITALS_END, CAPITAL_2, CAPITALS),
    [JOINED] = IN_PUNCTUATION(JOINED, WORD_AFTER_JOIN),
    [RUN] = IN_PUNCTUATION(RUN, WORD_AFTER_RUN),
    [SIGN] = IN_SCRIPT(SIGN, SIGN_NEXT),
    [FOREIGN] = IN_SCRIPT(FOREIGN, SIGN_FIRST),
    [AFTER_E1] = {ANYWHERE, NO_BLANK, NO_SIGN, AFTER_NEITHER,
                  NO_WORD(WORD_START), [CONT] = STEP(FOREIGN, 22), [CONT_H] = STEP(FOREIGN, CONTINUES),
                  [NL] = STEP(LINE, NEWLINE), [DIGIT] = STEP(DIGITS_1, DIGITS)},
};

/* Take a byte: enter the next state, and return the cost. */
static inline unsigned take(unsigned *state, char byte)
{
    transition s = machine[*state][class_of[(unsigned char)byte]];
    *state = s.next;
    return s.cost;
}

/* Cost of (p, n) from *state on, which gets the state after it. */
static uint64_t cost_of(const char *p, size_t n, unsigned *state)
{
    uint64_t sum = 0;
    unsigned at = *state;
    for (size_t i = 0; i < n; i++)
        sum += take(&at, p[i]);
    *state = at;
    return sum;
}

/* Find the state after (p, n) that every state before it leads to; false if there is no such state. */
static bool settles(const char *p, size_t n, unsigned *state)
{
    unsigned all[STATES];
    for (unsigned s = 0; s < STATES; s++)
        all[s] = s;
    for (size_t i = 0; i < n; i++) {
        for (size_t s = 0; s < STATES; s++)
            take(&all[s], p[i]);
    }
    for (size_t s = 1; s < STATES; s++) {
        if (all[s] != all[0])
            return false;
    }
    *state = all[0];
    return true;
}

/* The machine waits for its table at every byte; a processor can read several places in the time of one. */
static uint64_t cost_in_lanes(const char *p, size_t n, unsigned *from)
{
    const size_t part = n / LANES;
    unsigned state[LANES] = {*from};
    uint64_t sum[LANES] = {0};
    for (size_t lane = 1; lane < LANES; lane++) {
        if (!settles(p + lane * part - SETTLES_WITHIN, SETTLES_WITHIN, &state[lane]))
            return cost_of(p, n, from);
    }
    for (size_t i = 0; i < part; i++) {
        sum[0] += take(&state[0], p[i]);
        sum[1] += take(&state[1], p[i + part]);
        sum[2] += take(&state[2], p[i + 2 * part]);
        sum[3] += take(&state[3], p[i + 3 * part]);
    }
    *from = state[LANES - 1];
    return sum[0] + sum[1] + sum[2] + sum[3] + cost_of(p + LANES * part, n - LANES * part, from);
}

_Static_assert((int)LINE == 0, "a sum starts zeroed");

void abr_add_token_cost(const char *p, size_t n, abr_token_sum *sum)
{
    sum->cost += n < LANES_FROM ? cost_of(p, n, &sum->state) : cost_in_lanes(p, n, &sum->state);
}

uint64_t abr_weigh_token_sum(const abr_token_sum *sum, double safety)
{
    return abr_scaled_up((sum->cost + ABR_TOKEN_UNITS - 1) / ABR_TOKEN_UNITS, safety);
}

uint64_t abr_token_cost(const char *p, size_t n)
{
    abr_token_sum sum = {0};
    abr_add_token_cost(p, n, &sum);
    return sum.cost;
}

uint64_t abr_estimate_tokens(const char *p, size_t n)
{
    return (abr_token_cost(p, n) + ABR_TOKEN_UNITS - 1) / ABR_TOKEN_UNITS;
}

uint64_t abr_weigh_tokens(const char *p, size_t n, double safety)
{
    return abr_scaled_up(abr_estimate_tokens(p, n), safety);
}
