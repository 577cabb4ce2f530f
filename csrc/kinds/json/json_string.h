/* The chars of a JSON string, decoded: an escape is one, and so are two escapes of a surrogate pair. */
#ifndef ABR_KINDS_JSON_JSON_STRING_H
#define ABR_KINDS_JSON_JSON_STRING_H

#include "abridge.h"
#include "base/private.h"
#include "base/tiny.h"

ABR_PRIVATE_BEGIN

enum {
    ABR_JSON_DATA_LEAST = ABR_OR_TINY(256, 48), /* data has more bytes */
    ABR_JSON_DATA_READ = ABR_OR_TINY(1024, 96), /* bytes of a string that tell whether it is data */
    ABR_JSON_ESCAPE = 6,                        /* bytes of an escape such as \\u00e9; two may be one char */
    ABR_JSON_DECODED_MOST = 4                   /* bytes of a char, decoded */
};

/* Counts the chars of a string that arrives in chunks; zeroed to start with. */
typedef struct {
    uint64_t chars;
    uint16_t unit; /* the unfinished escape */
    uint8_t left;  /* hex digits of it still to come */
    bool escaped;  /* the last byte was a backslash */
    bool high;     /* the last char was the first half of a pair */
} abr_json_chars;

void abr_json_count_chars(abr_json_chars *counter, const char *p, size_t n);

/* The chars of a string, without its quotes. */
uint64_t abr_json_char_count(const char *p, size_t n);

/* Bytes of the char or escape at p, n > 0; a pair counts as one. More than n if it continues past the end. */
size_t abr_json_char_size(const char *p, size_t n);

/* The first place from `from` on that is surely between chars of (p, n), which may start inside one; n if
 * there is none. */
size_t abr_json_sure_place(const char *p, size_t n, size_t from);

/* Is (p, n), a string or its start, data that only programs read: base64, a data URI? */
bool abr_json_is_data(const char *p, size_t n);

/* Is one of the strings in whole JSON values such data? */
bool abr_json_has_data(const char *p, size_t n);

/* Like abr_json_char_size(), for a piece of a string; 0 if the piece ends inside the char. */
size_t abr_json_whole_char(const char *p, size_t n);

/* Write (p, n) decoded to dst, as large as n, which may be p or overlap it from before: UTF-8, U+FFFD for
 * lone surrogates, incomplete escapes as they are. Returns its bytes. */
size_t abr_json_decode(const char *p, size_t n, char *dst);

/* The same for a line to be read (see abr_read_line()): without its newline, and with ABR_PADDING zeros after
 * it, for which dst has room. */
size_t abr_json_decode_line(const char *p, size_t n, char *dst);

/* The place in (p, n) of the char that the byte at `place` of its decoded text is from. */
size_t abr_json_place_of(const char *p, size_t n, size_t place);

/* For a key, with its quotes, of only dots, three or more: the bit for their number; else 0. */
uint64_t abr_json_dots(const char *p);

ABR_PRIVATE_END

#endif
