/* The chars of a JSON string, decoded: an escape is one, and so are two escapes of a surrogate pair. */
#ifndef ABR_KINDS_JSON_JSON_STRING_H
#define ABR_KINDS_JSON_JSON_STRING_H

#include "abridge.h"
#include "base/private.h"
#include "base/tiny.h"

ABR_PRIVATE_BEGIN

enum { ABR_JSON_DATA_READ = ABR_OR_TINY(1024, 96) }; /* bytes of a string that tell whether it is data */

/* Counts the chars of a string that comes in chunks; zeroed to start with. */
typedef struct {
    uint64_t chars;
    uint16_t unit; /* of an escape under way */
    uint8_t left;  /* hex digits of it to come */
    bool escaped;  /* the last byte was a backslash */
    bool high;     /* the last char was the first half of a pair */
} abr_json_chars;

void abr_json_count_chars(abr_json_chars *counter, const char *p, size_t n);

/* The chars of a string, without its quotes. */
uint64_t abr_json_char_count(const char *p, size_t n);

/* Bytes of the char or escape at p, n > 0; that of a pair counts both. More than n where it goes on. */
size_t abr_json_char_size(const char *p, size_t n);

/* The first place from `from` on that is sure to be between chars of (p, n), which may start in one; n
 * where none is. */
size_t abr_json_sure_place(const char *p, size_t n, size_t from);

/* Is (p, n), the start of a string or all of it, such as only programs read: base64, a data URI? */
bool abr_json_is_data(const char *p, size_t n);

/* The same of a piece of a string; 0 where the piece ends in it. */
size_t abr_json_whole_char(const char *p, size_t n);

/* Write (p, n) decoded to dst, as large as n: UTF-8, U+FFFD for lone surrogates, the bytes of an escape that is not
 * whole. Returns its bytes. */
size_t abr_json_decode(const char *p, size_t n, char *dst);

/* Of a key, with its quotes: where it is three dots or more and nothing else, the bit for their number;
 * else 0. */
uint64_t abr_json_dots(const char *p);

ABR_PRIVATE_END

#endif
