/* Texts redacted by our Lua modules. */
#include "lua/redact.h"
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
    lua_pushinteger(L, 1); /* a mistake in it is raised at our caller's place */
    lua_call(L, 3, 1);
}

void abr_redact_argument(lua_State *L, const char *who)
{
    if (lua_isnil(L, SLOT_REDACT))
        return;
    abr_push_redactor(L, who);
    lua_getfield(L, -1, "text");
    lua_insert(L, -2);
    lua_pushvalue(L, ARG_TEXT);
    lua_call(L, 2, 1);
    lua_replace(L, ARG_TEXT);
}
