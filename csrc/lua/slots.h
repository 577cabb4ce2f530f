/* Stack slots of the values that a cut needs. */
#ifndef ABR_LUA_SLOTS_H
#define ABR_LUA_SLOTS_H

enum {
    ARG_TEXT = 1,
    ARG_OPTS = 2,
    SLOT_COUNTER = 3,
    SLOT_RESERVE = 4,
    SLOT_MARKER = 5,
    SLOT_HITS = 6,
    SLOT_REDACT = 7,
    SLOT_CALLER = 8
};

#endif
