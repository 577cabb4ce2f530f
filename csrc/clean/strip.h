/* A text without the bytes that cleaning drops, movements left in: the text that redaction sees first. */
#ifndef ABR_CLEAN_STRIP_H
#define ABR_CLEAN_STRIP_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

typedef struct {
    abr_sink_fn sink;
    void *sink_ctx;
    bool failed;       /* the sink returned false */
    bool has_controls; /* control bytes are kept, so a NUL cannot mark a gap */
    bool returned;     /* a carriage return is held; it goes if a newline follows */
    bool gap;          /* something was dropped since the last text or movement */
    uint64_t written;  /* bytes the sink got */
} abr_strip;

void abr_strip_start(abr_strip *s, abr_sink_fn sink, void *sink_ctx, bool has_controls);

/* Take text or bytes that stay, n > 0. */
void abr_strip_text(abr_strip *s, const char *p, size_t n);

/* Take a carriage return. */
void abr_strip_return(abr_strip *s);

/* Take an escape sequence that moves or erases: ESC and `final`, or with two parameters ESC [. */
void abr_strip_escape(abr_strip *s, char final);
void abr_strip_control(abr_strip *s, size_t first, size_t second, char final);

ABR_PRIVATE_END

#endif
