/* Redaction, done by our Lua modules. */
#ifndef ABR_LUA_REDACT_H
#define ABR_LUA_REDACT_H

#include "abridge.h"
#include "base/private.h"
#include "lua/compat.h"

ABR_PRIVATE_BEGIN

/* Make the text at ARG_TEXT the source of a cut: cleaned, unless `clean` is NULL, and redacted, if the option
 * redact is given. If it is cleaned, it is redacted both before and after its cursor movements take
 * effect. */
void abr_make_source(lua_State *L, const char *who, const abr_clean_opts *clean);

/* Push a function of one of our Lua modules. */
void abr_push_function(lua_State *L, const char *module, const char *name);

/* Push a redactor for the option redact. */
void abr_push_redactor(lua_State *L, const char *who);

ABR_PRIVATE_END

#endif
