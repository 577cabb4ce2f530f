/* What a cut returns: its content and its ledger; and the counter of tokens that it may ask. */
#include <stdlib.h>
#include <string.h>

#include "lua/results.h"
#include "abridge.h"
#include "lua/check.h"
#include "lua/compat.h"
#include "text/scan.h"
#include "lua/slots.h"

/* ---- count_tokens ---- */

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

/* ---- memory of a call ---- */

static bool is_of_frame(const abr_frame *frame, const void *p)
{
    const uintptr_t start = (uintptr_t)frame->room.bytes;
    return (uintptr_t)p >= start && (uintptr_t)p < start + sizeof frame->room;
}

static void *frame_malloc(void *ctx, size_t size)
{
    enum { ALIGNED = 16 };
    abr_frame *frame = ctx;
    if (size > sizeof frame->room - frame->used) {
        frame->spilled = true;
        return malloc(size);
    }
    void *p = frame->room.bytes + frame->used;
    size_t taken = (size + ALIGNED - 1) / ALIGNED * ALIGNED;
    frame->used = taken < sizeof frame->room - frame->used ? frame->used + taken : sizeof frame->room;
    return p;
}

static void *frame_realloc(void *ctx, void *p, size_t old_size, size_t size)
{
    if (!is_of_frame(ctx, p))
        return realloc(p, size);
    void *grown = frame_malloc(ctx, size);
    if (grown)
        memcpy(grown, p, old_size < size ? old_size : size);
    return grown;
}

static void frame_free(void *ctx, void *p)
{
    if (!is_of_frame(ctx, p))
        free(p);
}

void abr_frame_begin(abr_frame *frame)
{
    frame->alloc = (abr_alloc){frame_malloc, frame_realloc, frame_free, frame};
    frame->used = 0;
    frame->spilled = false;
}

/* ---- results ---- */

#define AS_TEXT(word) #word,
static const char *const ledger_words[] = {LEDGER_WORDS(AS_TEXT)};

static void push_word(lua_State *L, abr_ledger_word word)
{
    lua_pushvalue(L, lua_upvalueindex((int)word + 2));
}

void abr_put_count(lua_State *L, abr_ledger_word name, uint64_t count)
{
    push_word(L, name);
    abr_push_count(L, count);
    lua_rawset(L, -3);
}

void abr_put_boolean(lua_State *L, abr_ledger_word name, bool value)
{
    push_word(L, name);
    lua_pushboolean(L, value);
    lua_rawset(L, -3);
}

void abr_put_text(lua_State *L, abr_ledger_word name, const char *text)
{
    push_word(L, name);
    lua_pushstring(L, text);
    lua_rawset(L, -3);
}

static void put_word(lua_State *L, abr_ledger_word name, abr_ledger_word value)
{
    push_word(L, name);
    push_word(L, value);
    lua_rawset(L, -3);
}

static void put_budget(lua_State *L, abr_ledger_word name, uint64_t budget)
{
    if (budget != ABR_UNLIMITED)
        abr_put_count(L, name, budget);
}

static void push_kept(lua_State *L, const abr_cut *cut)
{
    int ranges = 0;
    for (size_t i = 0; i < cut->piece_count; i++)
        ranges += cut->pieces[i].source;
    lua_createtable(L, ranges, 0);
    ranges = 0;
    for (size_t i = 0; i < cut->piece_count; i++) {
        const abr_piece *piece = &cut->pieces[i];
        if (!piece->source)
            continue;
        lua_createtable(L, 0, 4);
        abr_put_count(L, WORD_first_byte, piece->first_byte);
        abr_put_count(L, WORD_last_byte, piece->last_byte);
        abr_put_count(L, WORD_first_line, piece->first_line);
        abr_put_count(L, WORD_last_line, piece->last_line);
        lua_rawseti(L, -2, ++ranges);
    }
}

/* Bytes outside well-formed UTF-8 in the content: each made it longer when it was replaced. */
static uint64_t invalid_bytes(const abr_cut *cut)
{
    size_t before = 0;
    for (size_t i = 0; i < cut->piece_count; i++)
        before += cut->pieces[i].n;
    return (cut->content_bytes - before) / (ABR_REPLACEMENT_SIZE - 1);
}

/* Bytes that a piece takes in the content. */
static size_t shown_bytes(const abr_cut *cut, const abr_piece *piece)
{
    uint64_t invalid = 0;
    if (cut->utf8_replace)
        abr_count_chars(piece->p, piece->n, &invalid);
    return piece->n + (size_t)invalid * (ABR_REPLACEMENT_SIZE - 1);
}

static int count_markers(const abr_cut *cut)
{
    int markers = 0;
    for (size_t i = 0; i < cut->piece_count; i++)
        markers += !cut->pieces[i].source;
    return markers;
}

/* Where in the content the markers stand. */
static void push_markers(lua_State *L, const abr_cut *cut, int markers)
{
    size_t end = 0;
    lua_createtable(L, markers, 0);
    markers = 0;
    for (size_t i = 0; i < cut->piece_count; i++) {
        size_t first = end + 1;
        end += shown_bytes(cut, &cut->pieces[i]);
        if (cut->pieces[i].source)
            continue;
        lua_createtable(L, 0, 2);
        abr_put_count(L, WORD_first_byte, first);
        abr_put_count(L, WORD_last_byte, end);
        lua_rawseti(L, -2, ++markers);
    }
}

/* Push the ledger of a cut, with room for `more` fields: a table that grows is built anew. */
static void push_ledger(lua_State *L, const abr_cut *cut, int more)
{
    enum { ALWAYS = 11 };
    const uint64_t invalid = invalid_bytes(cut);
    const bool chars = cut->max.chars != ABR_UNLIMITED;
    const int markers = count_markers(cut);
    const bool hits = cut->strategy == ABR_PRIORITY;
    const int fields = ALWAYS + more + cut->truncated + (3 + (cut->chars_before > 0)) * chars +
                       cut->final_newline + (cut->line_bytes > 0) + (invalid > 0) +
                       (cut->max.lines != ABR_UNLIMITED) + (cut->max.bytes != ABR_UNLIMITED) +
                       (cut->max.tokens != ABR_UNLIMITED) + hits + (markers > 0);
    lua_createtable(L, 0, fields);
    put_word(L, WORD_strategy, WORD_head + (abr_ledger_word)cut->strategy);
    abr_put_boolean(L, WORD_truncated, cut->truncated);
    if (cut->truncated)
        put_word(L, WORD_truncated_by, WORD_lines + (abr_ledger_word)cut->truncated_by - ABR_BY_LINES);
    abr_put_count(L, WORD_total_lines, cut->total_lines);
    abr_put_count(L, WORD_total_bytes, cut->total_bytes);
    abr_put_count(L, WORD_output_lines, cut->output_lines);
    abr_put_count(L, WORD_output_bytes, cut->output_bytes);
    if (chars) {
        abr_put_count(L, WORD_total_chars, cut->total_chars);
        abr_put_count(L, WORD_output_chars, cut->output_chars);
        if (cut->chars_before > 0)
            abr_put_count(L, WORD_chars_before, cut->chars_before);
    }
    abr_put_count(L, WORD_omitted_lines, cut->omitted_lines);
    abr_put_count(L, WORD_omitted_bytes, cut->omitted_bytes);
    abr_put_boolean(L, WORD_last_line_partial, cut->last_line_partial);
    abr_put_boolean(L, WORD_first_line_exceeds_limit, cut->first_line_exceeds_limit);
    if (cut->final_newline)
        abr_put_boolean(L, WORD_final_newline, true);
    if (cut->line_bytes > 0)
        abr_put_count(L, WORD_line_bytes, cut->line_bytes);
    if (invalid > 0)
        abr_put_count(L, WORD_invalid_bytes, invalid);
    put_budget(L, WORD_max_lines, cut->max.lines);
    put_budget(L, WORD_max_bytes, cut->max.bytes);
    put_budget(L, WORD_max_chars, cut->max.chars);
    put_budget(L, WORD_max_tokens, cut->max.tokens);
    if (hits) {
        push_word(L, WORD_hits);
        lua_createtable(L, 0, 2);
        abr_put_count(L, WORD_found, cut->hits_found);
        abr_put_count(L, WORD_kept, cut->hits_kept);
        lua_rawset(L, -3);
    }
    push_word(L, WORD_kept);
    push_kept(L, cut);
    lua_rawset(L, -3);
    if (markers > 0) {
        push_word(L, WORD_markers);
        push_markers(L, cut, markers);
        lua_rawset(L, -3);
    }
}

static bool is_as_it_came(const abr_cut_results *r)
{
    return !r->cut.truncated && r->cut.content_bytes == r->text_size;
}

/* Is the content neither the text as it came nor one piece of it? */
static bool is_joined(const abr_cut_results *r)
{
    const abr_cut *cut = &r->cut;
    const bool one_piece = cut->piece_count == 1 && cut->content_bytes == cut->pieces[0].n;
    return !is_as_it_came(r) && !one_piece && cut->piece_count > 0;
}

/* Push content and ledger of a cut whose text, if it has one, is at `text`. */
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
    push_ledger(L, cut, r->more);
    if (r->push_more)
        r->push_more(L, r->ctx);
    return 2;
}

/* (results, text or nil) -> content, ledger */
static int push_results(lua_State *L)
{
    return push_cut(L, lua_touserdata(L, 1), 2);
}

void abr_push_words(lua_State *L)
{
    enum { FEW = 8 };
    if (!lua_checkstack(
            L, 2 * WORDS + FEW)) /* room to make them upvalues, too: Lua's own check says something else */
        luaL_error(L, "not enough memory");
    for (int i = 0; i < WORDS; i++)
        lua_pushstring(L, ledger_words[i]);
}

void abr_push_pusher(lua_State *L)
{
    lua_pushboolean(L, false); /* where the functions that return cuts have the pusher */
    abr_push_words(L);
    lua_pushcclosure(L, push_results, 1 + WORDS);
}

/* Make the content where it is neither the text nor a piece of it. */
static abr_code join_content(abr_cut_results *r)
{
    r->content = malloc(r->cut.content_bytes + 1);
    if (!r->content)
        return ABR_ENOMEM;
    abr_cut_write(&r->cut, r->content);
    return ABR_OK;
}

/* Push the results by a call that is protected; false: what was raised is on top of the stack. */
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
    const bool joined = code == ABR_OK && is_joined(r);
    r->content = NULL;
    if (code == ABR_OK && !joined && r->frame && !r->frame->spilled)
        return push_cut(L, r, ARG_TEXT); /* nothing to free, whatever is raised */
    if (joined)
        code = join_content(r);
    const bool raised = code == ABR_OK && !push_protected(L, r);
    free(r->content);
    abr_cut_free(&r->cut);
    if (r->busy)
        *r->busy = false;
    if (raised || code == ABR_ECOUNT)
        return lua_error(L); /* on top of the stack; by ABR_ECOUNT what the counter raised */
    return code == ABR_OK ? 2 : luaL_error(L, "%s: %s", who, message);
}
