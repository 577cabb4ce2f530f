/* Options of cuts. */
#ifndef ABR_LUA_OPTIONS_H
#define ABR_LUA_OPTIONS_H

#include "abridge.h"
#include "base/private.h"
#include "lua/compat.h"

ABR_PRIVATE_BEGIN

typedef struct {
    const char *who; /* the function's name, for messages */
    abr_opts opts;
    bool named_strategy; /* opts.strategy is an option here */
    bool has_marker;     /* a marker key was given */
    bool has_ratio;      /* head_ratio was given */
    bool cleans;         /* the text is cleaned first */
    abr_clean_opts clean;
} abr_cut_options;

/* Keep a value alive in its slot, whatever a counter does to the options table. */
void abr_keep_alive(lua_State *L, int value, int slot);
void abr_keep_redact(lua_State *L, int value); /* if it is given */

int abr_unknown_option(lua_State *L, const char *who, int key, int value);
void abr_check_options_table(lua_State *L, const char *who);

/* Read the table at ARG_OPTS; the stack reaches to SLOT_REDACT. */
void abr_read_options(lua_State *L, abr_cut_options *c);

/* Replace the options by a copy. */
void abr_copy_options(lua_State *L);

/* Push an option and remove it from the table; false if it is nil, and nothing is pushed. */
bool abr_take_option(lua_State *L, const char *key);

#define ABR_NO_NARROW                                                                                        \
    {                                                                                                        \
        {ABR_UNLIMITED, ABR_UNLIMITED, ABR_UNLIMITED, ABR_UNLIMITED}, NULL, 0, ABR_LONG_DEFAULT, false,      \
            false                                                                                            \
    }

/* Set the stack up for a cut of a stream or a page, its options at 2, and read them. */
void abr_prepare_cut(lua_State *L, const char *who, int counter, abr_narrow *narrow);

ABR_PRIVATE_END

#endif
