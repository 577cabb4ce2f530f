/* What a cut returns. */
#ifndef ABR_LUA_RESULTS_H
#define ABR_LUA_RESULTS_H

#include "abridge.h"
#include "base/private.h"
#include "lua/compat.h"
#include "lua/frame.h"

ABR_PRIVATE_BEGIN

/*
 * A cut on its way to Lua. What it owns, and the object it is of, must outlast whatever is raised while its results
 * are pushed, and no finalizer that runs meanwhile may touch the object: they are pushed by a function that is called
 * protected, unless there is no object and the cut owns nothing but a frame's memory. From the call of the core to
 * abr_finish_results() nothing may raise.
 */
typedef struct {
    abr_cut cut;      /* for the core to fill in */
    size_t text_size; /* of the text on the stack, handed back where all is kept; SIZE_MAX: there is none */
    char *content;    /* of more than one piece; NULL: none was made */
    /* Sets further fields of the ledger on top of the stack; or NULL. */
    void (*push_more)(lua_State *L, void *ctx);
    void *ctx;
    int more;   /* how many they are at most */
    bool *busy; /* of the object, set before the core is called; or NULL */
    /* What the core allocated from; NULL: libc. The function that has it has the words as upvalues. */
    const abr_frame *frame;
} abr_cut_results;

/* Push push_results() with its words, for the functions that return cuts: their first upvalue. */
void abr_push_pusher(lua_State *L);

/* Push the results, or raise what the call of the core failed with. */
int abr_finish_results(lua_State *L, abr_cut_results *r, const char *who, abr_code code,
                       const abr_error *error);

ABR_PRIVATE_END

#endif
