/* The results of a cut. */
#ifndef ABR_LUA_RESULTS_H
#define ABR_LUA_RESULTS_H

#include "abridge.h"
#include "base/private.h"
#include "lua/compat.h"
#include "lua/frame.h"

ABR_PRIVATE_BEGIN

/*
 * A cut on its way to Lua. Pushing its results may raise, and may run finalizers. The cut's memory must be
 * freed all the same, and no finalizer may touch the stream or page of the cut. So the results are pushed in
 * a protected call, unless there is no such object and the cut owns only a frame's memory. Nothing may raise
 * between the call of the core and abr_finish_results().
 */
typedef struct {
    abr_cut cut;      /* for the core to fill in */
    size_t text_size; /* of the text on the stack, handed back if all of it is kept; SIZE_MAX: none */
    char *content;    /* of several pieces joined; NULL: not made */
    /* Sets further fields of the ledger on top of the stack; or NULL. */
    void (*push_more)(lua_State *L, void *ctx);
    void *ctx;
    int more;   /* how many, at most */
    bool *busy; /* of the stream or page, set before the core is called; or NULL */
    /* The allocator the core used; NULL: libc. A function with a frame has the words as upvalues. */
    const abr_frame *frame;
} abr_cut_results;

/* Push push_results() with its words, for the functions that return cuts: their first upvalue. */
void abr_push_pusher(lua_State *L);

/* Push the results, or raise the error of the core. */
int abr_finish_results(lua_State *L, abr_cut_results *r, const char *who, abr_code code,
                       const abr_error *error);

ABR_PRIVATE_END

#endif
