/* Redaction, which is done by our Lua modules. */
#ifndef ABR_LUA_REDACT_H
#define ABR_LUA_REDACT_H

#include "base/private.h"
#include "lua/compat.h"

ABR_PRIVATE_BEGIN

/* Redact the text at ARG_TEXT, if the option redact is given. */
void abr_redact_argument(lua_State *L, const char *who);

/* Push a function of one of our Lua modules. */
void abr_push_function(lua_State *L, const char *module, const char *name);

/* Push a redactor for the option redact. */
void abr_push_redactor(lua_State *L, const char *who);

ABR_PRIVATE_END

#endif
