/* An open page, read by page.c and cut by page_cut.c. */
#ifndef ABR_PAGE_PAGE_STATE_H
#define ABR_PAGE_PAGE_STATE_H

#include "abridge.h"
#include "base/private.h"
#include "budget/view.h"
#include "files/line_index.h"
#include "files/portable.h"
#include "page/element_scan.h"

ABR_PRIVATE_BEGIN

enum { ABR_VERSION_SIZE = 5 * 17 }; /* five hex numbers, their separators, and a NUL */

/* The next stage of opening a page. A reading of its source goes from ABR_PAGE_PROBE to ABR_PAGE_SHOW. */
typedef enum {
    ABR_PAGE_START, /* look at the file: its state, its size */
    ABR_PAGE_PROBE, /* is it binary; are its lines known? */
    ABR_PAGE_COUNT, /* read it for its lines */
    ABR_PAGE_PLACE, /* find the page's first line */
    ABR_PAGE_WALK,  /* to a column of it */
    ABR_PAGE_SHOW,  /* take the bytes that a cut may need */
    ABR_PAGE_SCAN,  /* read it for its elements, and take the bytes that a cut may need */
    ABR_PAGE_END,   /* is the file still as it was? */
    ABR_PAGE_OPEN   /* nothing */
} abr_page_stage;

struct abr_page {
    abr_page_opts opts;
    abr_opts cut; /* opts.cut with the page's own limits in it */
    const abr_alloc *alloc;
    size_t keep;       /* bytes of an edge that isn't whole */
    abr_handle file;   /* ABR_NO_FILE: a text */
    abr_source source; /* the file, or a text, also that of a file read whole */
    char *text;        /* a file without a size, read whole; or NULL */
    size_t text_size;  /* allocated */
    char *block;       /* ABR_BLOCK bytes of scratch */
    abr_identity of;   /* of the file; zero for a text */
    abr_page_info info;
    char version[ABR_VERSION_SIZE];
    abr_view view; /* from the page's first byte on */
    uint64_t end;  /* bytes of the source before the page's end */
    bool limited;  /* opts.limit ends the page, for strategies that keep the end */
    char *front;   /* memory of the view's edges, or NULL */
    char *back;
    abr_page_stage next;
    int readings; /* of the file, ended */
    bool young;   /* the file was just written when the reading began */
    abr_lines_maker maker;
    abr_walk start;   /* to the page's first byte */
    abr_code outcome; /* of the reading */

    /* of a page of JSON */
    abr_element_scan scan;
    char *first;          /* its first element in brackets, for a cut of that alone, or NULL */
    abr_page_items items; /* of the last cut */
    char *pointer;        /* items.next */
};

ABR_PRIVATE_END

#endif
