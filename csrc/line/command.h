/* Lines at which the output of a command starts or ends. */
#ifndef ABR_LINE_COMMAND_H
#define ABR_LINE_COMMAND_H

#include "abridge.h"
#include "base/private.h"
#include "line/evidence.h"

ABR_PRIVATE_BEGIN

typedef enum {
    ABR_COMMAND_NONE = 0,
    ABR_COMMAND_STARTS, /* a command is echoed, or a section of a log starts: the output of another begins */
    ABR_COMMAND_FAILED  /* a command failed: its output stands before this line */
} abr_command;

/* `hit`: the line says that something is wrong; only such lines tell of a failed command. */
abr_command abr_command_of(const abr_evidence *l, bool hit);

ABR_PRIVATE_END

#endif
