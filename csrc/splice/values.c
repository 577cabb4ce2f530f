/* The values of an array or object, and the text that a string of JSON stands for. */
#include <string.h>

#include "abridge.h"
#include "base/memory.h"
#include "kinds/json/json_string.h"
#include "splice/json_walk.h"
#include "text/utf8.h"

enum { LARGEST_CHAR = 4 }; /* bytes */

typedef struct {
    abr_json_walk walk;
    abr_spliced *list;
    size_t most;
    size_t count;
    abr_spliced next; /* the value under way */
} lister;

static void list_value(lister *x, size_t end)
{
    x->next.n = end - x->next.at;
    if (x->count < x->most)
        x->list[x->count] = x->next;
    x->count++;
    x->next = (abr_spliced){.type = ABR_SPLICED_NONE};
}

static abr_code list_token(abr_json_walk *walk, abr_json_token token, size_t start, size_t end,
                           abr_error *error)
{
    lister *x = (lister *)walk;
    const size_t depth = walk->scan.depth;
    (void)error;
    if (token == ABR_JSON_KEY && depth == 1) {
        x->next.name_at = start + 1;
        x->next.name_len = end - start - 2;
    } else if (token == ABR_JSON_OPEN ? depth == 2 : token != ABR_JSON_CLOSE && depth == 1) {
        x->next.at = start;
        x->next.type = abr_type_of_value(walk->p[start]);
    }
    if (depth == 1 && token != ABR_JSON_OPEN && token != ABR_JSON_KEY)
        list_value(x, end);
    return ABR_OK;
}

abr_code abr_list_values(const char *p, size_t n, abr_spliced *list, size_t most, const abr_alloc *alloc,
                         size_t *count, abr_error *error)
{
    lister x = {.list = list, .most = most};
    x.walk.p = p;
    x.walk.n = n;
    x.walk.alloc = abr_allocator(alloc);
    x.walk.take = list_token;
    const abr_code code = abr_walk_json(&x.walk, error);
    *count = code == ABR_OK ? x.count : 0;
    return code;
}

/* Bytes of the next run of chars of a string, of an escape or of those before one: at most `most`, and more
 * only where an escape is larger. */
static size_t run_of_chars(const char *p, size_t n, size_t most)
{
    if (*p == '\\')
        return abr_json_char_size(p, n);
    const size_t near = n < most ? n : most;
    const char *escape = memchr(p, '\\', near);
    size_t size = escape ? (size_t)(escape - p) : near;
    while (size > 0 && size < n && abr_is_continuation((unsigned char)p[size]))
        size--;
    return size > 0 || most < LARGEST_CHAR ? size : near; /* no UTF-8: something, so that it goes on */
}

size_t abr_decode_value(const char *p, size_t n, size_t *at, char *dst, size_t room)
{
    const size_t start = *at;
    size_t end = start;
    while (end < n) { /* the decoded text is never longer than the spelled one */
        const size_t left = room - (end - start);
        const size_t size = run_of_chars(p + end, n - end, left);
        if (size > n - end) { /* no string: its last escape goes on behind it */
            *at = n;
            return abr_json_decode(p + start, end - start, dst);
        }
        if (size == 0 || size > left)
            break;
        end += size;
    }
    *at = end;
    return abr_json_decode(p + start, end - start, dst);
}
