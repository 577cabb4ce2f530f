/* The counter of tokens that the caller may give. */
#ifndef ABR_LUA_COUNTER_H
#define ABR_LUA_COUNTER_H

#include "abridge.h"
#include "base/private.h"
#include "lua/compat.h"

ABR_PRIVATE_BEGIN

/* (counter, text) -> the counter's answer; pushed at SLOT_CALLER if there is a counter. */
int abr_call_counter(lua_State *L);

/* Ask the counter at SLOT_COUNTER of `ctx`, a lua_State. On failure the error stays on top of the stack. */
bool abr_ask_counter(void *ctx, const char *p, size_t n, uint64_t *tokens);

ABR_PRIVATE_END

#endif
