/* The option count_tokens: a Lua function that the core calls. */
#include "lua/counter.h"
#include "abridge.h"
#include "lua/check.h"
#include "lua/compat.h"
#include "lua/slots.h"

typedef struct {
    const char *p;
    size_t n;
} text_ref;

/* (counter, text_ref) -> the counter's answer; runs protected, since pushing the text may fail for memory. */
int abr_call_counter(lua_State *L)
{
    const text_ref *text = lua_touserdata(L, 2);
    uint64_t tokens;
    lua_pushvalue(L, 1);
    lua_pushlstring(L, text->p, text->n);
    lua_call(L, 1, 1);
    if (!abr_to_count(L, -1, &tokens))
        return luaL_error(L, "abridge: count_tokens must return an integer from 0 to 2^53, got %s",
                          abr_describe(L, -1));
    return 1;
}

bool abr_ask_counter(void *ctx, const char *p, size_t n, uint64_t *tokens)
{
    lua_State *L = ctx;
    text_ref text = {p, n};
    lua_pushvalue(L, SLOT_CALLER);
    lua_pushvalue(L, SLOT_COUNTER);
    lua_pushlightuserdata(L, &text);
    if (lua_pcall(L, 2, 1, 0) != 0)
        return false;
    abr_to_count(L, -1, tokens);
    lua_pop(L, 1);
    return true;
}
