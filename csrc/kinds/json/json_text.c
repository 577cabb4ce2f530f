/*
 * JSON by RFC 8259, read token by token; strings and blanks, which are most of a document, eight bytes at a
 * time.
 *
 * The only state is the expected token, the unfinished one and a bit for each open level, so that a document
 * may break off after any byte.
 */

#include "kinds/json/json_text.h"
#include "base/ascii.h"
#include "line/char_set.h"
#include "text/utf8.h"

/* NOTHING: only blanks. */
typedef enum { VALUE = 0, ELEMENT_OR_CLOSE, KEY_OR_CLOSE, KEY, COLON, COMMA_OR_CLOSE, NOTHING } wanted;

typedef enum {
    NO_TOKEN = 0,
    STRING,
    ESCAPE,   /* in a string, after its backslash */
    HEX,      /* in an escape, `left` more digits */
    SEQUENCE, /* in a string, `left` more bytes */
    NUMBER,
    LITERAL,
} inside;

typedef enum { MINUS = 0, ZERO, INTEGER, DECIMAL_POINT, FRACTION, EXPONENT, EXPONENT_SIGN, POWER } number;

static const uint64_t ones = UINT64_C(0x0101010101010101);
static const uint64_t tops = UINT64_C(0x8080808080808080);

void abr_json_open(abr_json_scan *s, uint64_t *levels, size_t room)
{
    *s = (abr_json_scan){.levels = levels, .room = room};
}

void abr_json_make_guess(abr_json_guess *guess, const char *p, size_t n)
{
    char bytes[2][ABR_JSON_GUESSED] = {{0}};
    memcpy(bytes[0], p, n);
    bytes[0][n] = '"';
    memset(bytes[1], 0xFF, n + 1);
    for (size_t i = 0; i < ABR_JSON_GUESSED / 8; i++) {
        guess->words[i] = abr_load_word(bytes[0] + 8 * i);
        guess->masks[i] = abr_load_word(bytes[1] + 8 * i);
    }
    guess->n = n + 1;
}

bool abr_json_is_whole(const abr_json_scan *s)
{
    if (s->inside == NUMBER)
        return s->depth == 0 &&
               (s->number == ZERO || s->number == INTEGER || s->number == FRACTION || s->number == POWER);
    return s->inside == NO_TOKEN && s->wanted == NOTHING;
}

bool abr_json_in_string(const abr_json_scan *s)
{
    return s->inside >= STRING && s->inside <= SEQUENCE && s->wanted != KEY;
}

static void value_ends(abr_json_scan *s)
{
    s->inside = NO_TOKEN;
    s->wanted = s->depth > 0 ? COMMA_OR_CLOSE : NOTHING;
}

/* ---- strings ---- */

/* Begin a sequence that the chunk may break off; note the range of its next byte. */
static bool begin_char(abr_json_scan *s, unsigned char lead)
{
    if (lead < 0xC2 || lead > 0xF4)
        return false;
    s->inside = SEQUENCE;
    s->left = lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
    s->low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    s->high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    return true;
}

/* Take one byte of an unfinished escape or sequence; false if it is wrong. */
static bool go_on_in_char(abr_json_scan *s, unsigned char c)
{
    if (s->inside == ESCAPE) {
        s->left = 4;
        s->inside = c == 'u' ? HEX : STRING;
        return ABR_HAS("\"\\/bfnrtu", (char)c);
    }
    if (s->inside == SEQUENCE) {
        if (c < s->low || c > s->high)
            return false;
        s->low = 0x80;
        s->high = 0xBF;
    } else if (!abr_is_hex((char)c)) {
        return false;
    }
    if (--s->left == 0)
        s->inside = STRING;
    return true;
}

static inline abr_json_token string_ends(abr_json_scan *s)
{
    if (s->wanted != KEY) {
        value_ends(s);
        return ABR_JSON_STRING;
    }
    s->inside = NO_TOKEN;
    s->wanted = COLON;
    return ABR_JSON_KEY;
}

static abr_json_token read_string(abr_json_scan *s, const char *p, size_t n, size_t *at)
{
    for (size_t i = *at;; i++) {
        if (s->inside == STRING)
            i = abr_json_plain_end(p, n, i);
        while (s->inside == STRING && n - i >= 4 && abr_is_sequence(p + i, 4))
            i += abr_char_size(p + i, 4);
        *at = i;
        if (i == n)
            return ABR_JSON_MORE;
        unsigned char c = (unsigned char)p[i];
        if (s->inside != STRING) {
            if (!go_on_in_char(s, c))
                return ABR_JSON_WRONG;
        } else if (c == '"') {
            *at = i + 1;
            return string_ends(s);
        } else if (c == '\\') {
            s->inside = ESCAPE;
        } else if (c < ' ' || (c >= 0x80 && !begin_char(s, c))) {
            return ABR_JSON_WRONG;
        }
    }
}

/* ---- numbers and literals ---- */

/* The state in a number after c, coming from `from`; -1 if c is not part of it. */
static int number_step(number from, unsigned char c)
{
    if (c >= '0' && c <= '9') {
        if (from == MINUS)
            return c == '0' ? ZERO : INTEGER;
        if (from == ZERO)
            return -1;
        return from == INTEGER ? INTEGER : from <= FRACTION ? FRACTION : POWER;
    }
    if (c == '.')
        return from == ZERO || from == INTEGER ? DECIMAL_POINT : -1;
    if (c == 'e' || c == 'E')
        return from == ZERO || from == INTEGER || from == FRACTION ? EXPONENT : -1;
    return (c == '+' || c == '-') && from == EXPONENT ? EXPONENT_SIGN : -1;
}

/* The end of the digits from i on. Most numbers are short, of varying length. */
static inline size_t digits_end(const char *p, size_t n, size_t i)
{
    for (; n - i >= 8; i += 8) {
        const uint64_t word = abr_load_word(p + i) ^ ones * '0';
        const uint64_t found = (((word & ~tops) + ones * (0x80 - 10)) | word) & tops;
        if (found != 0)
            return i + (size_t)__builtin_ctzll(found) / 8;
    }
    while (i < n && p[i] >= '0' && p[i] <= '9')
        i++;
    return i;
}

/* The end of the number that starts at i, after its sign; n if it may go on, has an exponent, or is wrong. */
static inline size_t plain_number_end(const char *p, size_t n, size_t i)
{
    const size_t digits = digits_end(p, n, i);
    size_t end = digits;
    if (digits == i || digits == n || (p[i] == '0' && digits > i + 1))
        return n;
    if (p[end] == '.') {
        end = digits_end(p, n, end + 1);
        if (end == digits + 1 || end == n)
            return n;
    }
    return (p[end] | ' ') == 'e' ? n : end;
}

static abr_json_token read_number(abr_json_scan *s, const char *p, size_t n, size_t *at)
{
    for (; *at < n; ++*at) {
        int next = number_step(s->number, (unsigned char)p[*at]);
        if (next < 0) {
            if (s->number != ZERO && s->number != INTEGER && s->number != FRACTION && s->number != POWER)
                return ABR_JSON_WRONG;
            value_ends(s);
            return ABR_JSON_NUMBER;
        }
        s->number = (uint8_t)next;
    }
    return ABR_JSON_MORE;
}

/* Read a number from its first digit on. Most end in the same chunk, without an exponent. */
static inline abr_json_token begin_number(abr_json_scan *s, const char *p, size_t n, size_t *i)
{
    const size_t end = plain_number_end(p, n, *i);
    if (end < n) {
        *i = end;
        value_ends(s);
        return ABR_JSON_NUMBER;
    }
    s->inside = NUMBER;
    s->number = MINUS;
    return read_number(s, p, n, i);
}

static abr_json_token read_literal(abr_json_scan *s, const char *p, size_t n, size_t *at)
{
    for (; *at < n && *s->literal; ++*at, s->literal++)
        if (p[*at] != *s->literal)
            return ABR_JSON_WRONG;
    if (*s->literal)
        return ABR_JSON_MORE;
    value_ends(s);
    return ABR_JSON_LITERAL;
}

/* ---- structure ---- */

static size_t skip_blanks(const char *p, size_t n, size_t i)
{
    while (i < n && (p[i] == ' ' || p[i] == '\n' || p[i] == '\t' || p[i] == '\r')) {
        i++;
        while (n - i >= 8) {
            const uint64_t word = abr_load_word(p + i) ^ ones * ' ';
            if (word != 0) {
                i += (size_t)__builtin_ctzll(word) / 8;
                break;
            }
            i += 8;
        }
    }
    return i;
}

static abr_json_token open_level(abr_json_scan *s, bool object, size_t *i)
{
    if (s->wanted != VALUE && s->wanted != ELEMENT_OR_CLOSE)
        return ABR_JSON_WRONG;
    if (s->depth == s->room)
        return ABR_JSON_DEEP;
    uint64_t bit = UINT64_C(1) << s->depth % ABR_JSON_LEVELS;
    uint64_t *word = &s->levels[s->depth / ABR_JSON_LEVELS];
    *word = object ? *word | bit : *word & ~bit;
    s->depth++;
    s->in_object = object;
    s->wanted = object ? KEY_OR_CLOSE : ELEMENT_OR_CLOSE;
    ++*i;
    return ABR_JSON_OPEN;
}

static bool is_object(const abr_json_scan *s, size_t level)
{
    return s->levels[level / ABR_JSON_LEVELS] >> level % ABR_JSON_LEVELS & 1;
}

static abr_json_token close_level(abr_json_scan *s, bool object, size_t *i)
{
    bool may_close = s->wanted == COMMA_OR_CLOSE || s->wanted == (object ? KEY_OR_CLOSE : ELEMENT_OR_CLOSE);
    if (!may_close || s->in_object != object)
        return ABR_JSON_WRONG;
    s->depth--;
    s->in_object = s->depth > 0 && is_object(s, s->depth - 1);
    value_ends(s);
    ++*i;
    return ABR_JSON_CLOSE;
}

/* Read on to the end of the unfinished token. */
static abr_json_token read_on(abr_json_scan *s, const char *p, size_t n, size_t *i)
{
    if (s->inside == NUMBER)
        return read_number(s, p, n, i);
    if (s->inside == LITERAL)
        return read_literal(s, p, n, i);
    return read_string(s, p, n, i);
}

/* Read a string whose quote is before i. Most have no byte that needs examining. */
static inline abr_json_token begin_string(abr_json_scan *s, const char *p, size_t n, size_t *i)
{
    const size_t end = abr_json_plain_end(p, n, *i);
    *i = end + 1;
    if (end < n && p[end] == '"')
        return string_ends(s);
    *i = end;
    s->inside = STRING;
    return read_string(s, p, n, i);
}

static inline abr_json_token begin_key(abr_json_scan *s, const char *p, size_t n, size_t *i)
{
    if (!s->guess || n - *i < ABR_JSON_GUESSED || !abr_json_guess_holds(s->guess, p + *i))
        return begin_string(s, p, n, i);
    *i += s->guess->n;
    s->wanted = COLON;
    return ABR_JSON_GUESSED_KEY;
}

/* Read a token; its first byte is neither a blank nor a separator. */
static abr_json_token begin(abr_json_scan *s, const char *p, size_t n, size_t *i)
{
    char c = p[*i];
    if (c == '"' && s->wanted <= KEY) {
        ++*i;
        if (s->wanted < KEY_OR_CLOSE)
            return begin_string(s, p, n, i);
        s->wanted = KEY;
        return begin_key(s, p, n, i);
    }
    if (c == '{' || c == '[')
        return open_level(s, c == '{', i);
    if (c == '}' || c == ']')
        return close_level(s, c == '}', i);
    if (s->wanted > ELEMENT_OR_CLOSE)
        return ABR_JSON_WRONG;
    if (c == '-' || (c >= '0' && c <= '9')) {
        *i += c == '-';
        return begin_number(s, p, n, i);
    }
    if (n - *i > 4 && (memcmp(p + *i, "true", 4) == 0 || memcmp(p + *i, "null", 4) == 0)) {
        *i += 4;
        value_ends(s);
        return ABR_JSON_LITERAL;
    }
    s->inside = LITERAL;
    s->literal = c == 't' ? "true" : c == 'f' ? "false" : c == 'n' ? "null" : NULL;
    return s->literal ? read_literal(s, p, n, i) : ABR_JSON_WRONG;
}

/* Skip to the next byte that is neither a blank nor an expected separator. */
static inline size_t skip_to_token(abr_json_scan *s, const char *p, size_t n, size_t i)
{
    for (; i < n; i++) {
        if ((unsigned char)p[i] <= ' ') {
            i = skip_blanks(p, n, i);
            if (i == n)
                break;
        }
        if (p[i] == ',' && s->wanted == COMMA_OR_CLOSE)
            s->wanted = s->in_object ? KEY : VALUE;
        else if (p[i] == ':' && s->wanted == COLON)
            s->wanted = VALUE;
        else
            break;
    }
    return i;
}

abr_json_token abr_json_next(abr_json_scan *s, const char *p, size_t n, size_t *i)
{
    abr_json_token token = ABR_JSON_MORE;
    if (s->inside != NO_TOKEN) {
        token = read_on(s, p, n, i);
    } else {
        *i = skip_to_token(s, p, n, *i);
        if (*i < n) {
            s->start = s->before + *i;
            token = begin(s, p, n, i);
        }
    }
    if (token == ABR_JSON_MORE)
        s->before += n;
    return token;
}
