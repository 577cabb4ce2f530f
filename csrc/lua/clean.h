/* Cleaning. */
#ifndef ABR_LUA_CLEAN_H
#define ABR_LUA_CLEAN_H

#include "abridge.h"
#include "base/private.h"
#include "lua/compat.h"

ABR_PRIVATE_BEGIN

/* A cleaner of Lua: the core's, and the text it handed over during a call. */
typedef struct {
    abr_cleaner *cleaner; /* NULL once closed */
    char *p;
    size_t n;
    size_t size;
    bool finished;
    bool invisible; /* take out chars that hide text */
} abr_lua_cleaner;

/* Read clean = true, false or a table; returns whether to clean. */
bool abr_read_clean(lua_State *L, const char *who, int value, abr_clean_opts *opts);

/* Replace the text at ARG_TEXT by the cleaned one if they differ. `stats` may be NULL. */
void abr_clean_argument(lua_State *L, const char *who, const abr_clean_opts *opts, abr_clean_stats *stats);

#define ABR_CLEANED_TYPE "abridge.cleaned"
#define ABR_CLEANER_TYPE "abridge.cleaner"

extern const luaL_Reg abr_clean_functions[];

extern const luaL_Reg abr_cleaned_methods[];

extern const luaL_Reg abr_cleaner_methods[];

ABR_PRIVATE_END

#endif
