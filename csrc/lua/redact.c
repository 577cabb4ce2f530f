/* Texts redacted by our Lua modules. */
#include "lua/redact.h"
#include "abridge.h"
#include "lua/clean.h"
#include "lua/compat.h"
#include "lua/slots.h"

void abr_push_function(lua_State *L, const char *module, const char *name)
{
    lua_getglobal(L, "require");
    lua_pushstring(L, module);
    lua_call(L, 1, 1);
    lua_getfield(L, -1, name);
    lua_remove(L, -2);
}

void abr_push_redactor(lua_State *L, const char *who)
{
    abr_push_function(L, "abridge.redact", "compile");
    lua_pushstring(L, who);
    lua_pushvalue(L, SLOT_REDACT);
    lua_pushinteger(L, 1); /* errors in it are raised at our caller's level */
    lua_call(L, 3, 1);
}

/* Replace the text at ARG_TEXT by the result of a method of the redactor at SLOT_REDACT. */
static void redact_argument(lua_State *L, const char *method)
{
    lua_getfield(L, SLOT_REDACT, method);
    lua_pushvalue(L, SLOT_REDACT);
    lua_pushvalue(L, ARG_TEXT);
    lua_call(L, 2, 1);
    lua_replace(L, ARG_TEXT);
}

void abr_make_source(lua_State *L, const char *who, const abr_clean_opts *clean)
{
    const bool redacts = !lua_isnil(L, SLOT_REDACT);
    if (redacts) {
        abr_push_redactor(L, who);
        lua_replace(L, SLOT_REDACT);
    }
    if (clean && redacts) {
        abr_clean_opts strip = *clean;
        strip.strip = true;
        abr_clean_argument(L, who, &strip, NULL);
        redact_argument(L, "stripped");
    }
    if (clean)
        abr_clean_argument(L, who, clean, NULL);
    if (redacts)
        redact_argument(L, "text");
}
