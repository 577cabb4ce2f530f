/* The elements of JSON from a pointer on, taken out of a document that arrives in chunks. */
#ifndef ABR_PAGE_ELEMENT_SCAN_H
#define ABR_PAGE_ELEMENT_SCAN_H

#include "abridge.h"
#include "base/private.h"
#include "files/element_places.h"
#include "kinds/json/json_text.h"
#include "page/pointer.h"
#include "page/unique.h"
#include "text/scan.h"

ABR_PRIVATE_BEGIN

/* The key of a member, as much of it as may be needed. */
typedef struct {
    abr_element_at place; /* of one that began in an earlier chunk */
    char *raw;            /* its start */
    size_t raw_n;
    size_t most; /* bytes of a key that can matter, quotes and escapes included */
    char *name;  /* decoded */
    size_t n;    /* SIZE_MAX: too long, or not Unicode */
} abr_member_key;

typedef struct {
    const abr_opts *opts; /* options of the stream for an element over budget */
    const abr_alloc *alloc;
    abr_pointer pointer;
    abr_json_scan json;
    uint64_t *levels;
    size_t level_words;
    uint64_t base; /* bytes of the document before those that `json` reads */
    uint64_t at;   /* bytes of the document taken so far */

    /* the path */
    size_t lift;       /* steps of the pointer that lead to the start of the scan */
    size_t entered;    /* steps that lead to the scan's array or object */
    bool inside;       /* it is in one */
    bool object;       /* it is an object */
    bool in_child;     /* an element of it has begun and not ended */
    bool meant;        /* that element is the one the pointer leads to */
    uint64_t child_at; /* its start */
    uint64_t index;    /* of that element or the next */
    abr_member_key key;

    /* findings */
    abr_element_at first; /* start of the page */
    uint64_t first_end;   /* end of its first element; 0: not yet */
    uint64_t last_end;    /* end of the last element that ended */
    uint64_t end;         /* end of its array or object; 0: not yet */
    uint64_t total;       /* elements of that */
    /* the first element that begins over `keep` bytes after `first`; index 0: none yet */
    abr_element_at after;
    bool found;
    bool scalar; /* the document is neither array nor object */
    bool has_after;
    char after_name[ABR_NAME_MOST];
    size_t after_n;   /* over ABR_NAME_MOST: it has no usable name */
    size_t name_most; /* bytes of the longest name, escaped, of a member near the page */

    /* totals */
    abr_char_counter chars;
    uint64_t chars_base;
    uint64_t newlines;
    uint64_t counted; /* bytes of the document counted in them */
    bool known;       /* the file's totals are known: no need to read to its end */
    bool has_total;   /* `total` is known */
    bool ends_line;
    abr_page_info file;
    abr_element_places *places; /* made on the way, or NULL */
    abr_unique names;
    bool unique;

    /* for the cut */
    size_t keep; /* bytes of the page */
    char *front; /* the page's start, with a bracket before it unless it is the document's own */
    size_t n;
    size_t room;
    size_t bracket;       /* bytes before the source's in front: 0 or 1 */
    abr_stream *long_one; /* the first element, if it does not fit into front */
    uint64_t streamed;    /* bytes of the document before those it lacks */
    bool closed;          /* it has got the bracket after the first element */
} abr_element_scan;

/* Begin at the document's start. opts must outlive the scan. On failure *scan is zeroed. */
abr_code abr_scan_begin(abr_element_scan *scan, const char *pointer, size_t n, const abr_opts *opts,
                        size_t keep, abr_error *error);

/* Begin nearer, if the index has places of the array or object, or of one around it. */
abr_code abr_scan_skip(abr_element_scan *scan, const abr_element_places *places, abr_error *error);

/* The pointer of the array or object that the page is of. */
size_t abr_scan_parent(const abr_element_scan *scan);

/* Take the next bytes, those from scan->at on. *enough: no more are needed. Fails with ABR_EJSON,
 * ABR_EPOINTER, ABR_ENOMEM. */
abr_code abr_scan_take(abr_element_scan *scan, const char *p, size_t n, bool *enough, abr_error *error);

/* The document has ended. */
abr_code abr_scan_end(abr_element_scan *scan, abr_error *error);

void abr_scan_free(abr_element_scan *scan); /* a zeroed one is fine */

ABR_PRIVATE_END

#endif
