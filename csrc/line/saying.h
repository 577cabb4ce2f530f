/* The rest of a diagnostic, apart from its place: its severity, and its sentence. */
#ifndef ABR_LINE_SAYING_H
#define ABR_LINE_SAYING_H

#include "abridge.h"
#include "base/private.h"
#include "line/layout.h"

ABR_PRIVATE_BEGIN

/* Bytes at the start of (p, n) that tell how severe the rest is: "error: ", "warning[E0308]: ",
 * "error TS2322: ", with the blanks after it; 0 if there are none. */
size_t abr_read_severity(const char *p, size_t n, abr_severity *severity);

/* The severity that a level stands for. */
abr_severity abr_severity_of(abr_level level);

typedef struct {
    const char *p; /* the sentence, no blanks around it */
    size_t n;
    abr_severity severity;
} abr_saying;

/* Read a sentence without its level and the codes in brackets at its ends. */
abr_saying abr_read_saying(const char *p, size_t n);

/* The severity if (p, n) starts with the name of an error: "ValueError: ...", "a.b.IOException", "runtime
 * error: ...", "CMake Error". */
abr_severity abr_type_severity(const char *p, size_t n);

/* (p, n) without the blanks around it. */
abr_saying abr_trim(const char *p, size_t n);

ABR_PRIVATE_END

#endif
