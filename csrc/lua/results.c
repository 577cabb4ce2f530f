/* The results of a cut, content and ledger, pushed so that no Lua error leaks memory or leaves an object half
 * done. */
#include <stdlib.h>

#include "lua/results.h"
#include "abridge.h"
#include "lua/compat.h"
#include "lua/ledger.h"
#include "lua/slots.h"

static bool is_as_it_came(const abr_cut_results *r)
{
    return !r->cut.truncated && r->cut.content_bytes == r->text_size;
}

/* Is the content neither the whole text nor a single piece of it? */
static bool is_pieced(const abr_cut_results *r)
{
    const abr_cut *cut = &r->cut;
    const bool one_piece = cut->piece_count == 1 && cut->content_bytes == cut->pieces[0].n;
    return !is_as_it_came(r) && !one_piece && cut->piece_count > 0;
}

/* Push content and ledger of a cut whose text, if any, is at `text`. */
static int push_cut(lua_State *L, const abr_cut_results *r, int text)
{
    const abr_cut *cut = &r->cut;
    if (r->content)
        lua_pushlstring(L, r->content, cut->content_bytes);
    else if (is_as_it_came(r))
        lua_pushvalue(L, text); /* no copy */
    else if (cut->piece_count == 0)
        lua_pushliteral(L, "");
    else
        lua_pushlstring(L, cut->pieces[0].p, cut->pieces[0].n);
    abr_push_ledger(L, cut, r->more);
    if (r->push_more)
        r->push_more(L, r->ctx);
    return 2;
}

/* (results, text or nil) -> content, ledger */
static int push_results(lua_State *L)
{
    return push_cut(L, lua_touserdata(L, 1), 2);
}

void abr_push_pusher(lua_State *L)
{
    lua_pushboolean(L, false); /* in place of the pusher, which is here in functions that return cuts */
    abr_push_words(L);
    lua_pushcclosure(L, push_results, 1 + WORDS);
}

/* Make the content if it is neither the text nor a piece of it. */
static abr_code join_content(abr_cut_results *r)
{
    r->content = malloc(r->cut.content_bytes + 1);
    if (!r->content)
        return ABR_ENOMEM;
    abr_cut_write(&r->cut, r->content);
    return ABR_OK;
}

/* Push the results in a protected call; false: the error raised is on top of the stack. */
static bool push_protected(lua_State *L, abr_cut_results *r)
{
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_pushlightuserdata(L, r);
    if (r->text_size != SIZE_MAX)
        lua_pushvalue(L, ARG_TEXT);
    else
        lua_pushnil(L);
    return lua_pcall(L, 2, 2, 0) == 0;
}

int abr_finish_results(lua_State *L, abr_cut_results *r, const char *who, abr_code code,
                       const abr_error *error)
{
    const char *message = code == ABR_OK ? "out of memory" : error->message;
    const bool joined = code == ABR_OK && is_pieced(r);
    r->content = NULL;
    if (code == ABR_OK && !joined && r->frame && !r->frame->spilled)
        return push_cut(L, r, ARG_TEXT); /* an error leaks nothing here */
    if (joined)
        code = join_content(r);
    const bool raised = code == ABR_OK && !push_protected(L, r);
    free(r->content);
    abr_cut_free(&r->cut);
    if (r->busy)
        *r->busy = false;
    if (raised || code == ABR_ECOUNT)
        return lua_error(L); /* the error on top of the stack; with ABR_ECOUNT, the counter's */
    return code == ABR_OK ? 2 : luaL_error(L, "%s: %s", who, message);
}
