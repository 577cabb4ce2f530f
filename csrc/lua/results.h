/* Counters of tokens, and what a cut returns. */
#ifndef ABR_LUA_RESULTS_H
#define ABR_LUA_RESULTS_H

#include "abridge.h"
#include "base/private.h"
#include "lua/compat.h"

ABR_PRIVATE_BEGIN

/* (counter, text) -> the counter's answer; pushed at SLOT_CALLER where there is a counter. */
int abr_call_counter(lua_State *L);

/* Ask the counter at SLOT_COUNTER of `ctx`, a lua_State. On failure the error stays on top of the stack. */
bool abr_ask_counter(void *ctx, const char *p, size_t n, uint64_t *tokens);

/* The words of ledgers: each is made a string of Lua once, an upvalue behind the first one of what pushes ledgers. */
#define LEDGER_WORDS(X)                                                                                      \
    X(strategy)                                                                                              \
    X(truncated)                                                                                             \
    X(truncated_by)                                                                                          \
    X(total_lines)                                                                                           \
    X(total_bytes)                                                                                           \
    X(total_chars)                                                                                           \
    X(output_lines)                                                                                          \
    X(output_bytes)                                                                                          \
    X(output_chars)                                                                                          \
    X(omitted_lines)                                                                                         \
    X(omitted_bytes)                                                                                         \
    X(last_line_partial)                                                                                     \
    X(first_line_exceeds_limit)                                                                              \
    X(final_newline)                                                                                         \
    X(line_bytes)                                                                                            \
    X(invalid_bytes)                                                                                         \
    X(max_lines)                                                                                             \
    X(max_bytes)                                                                                             \
    X(max_chars)                                                                                             \
    X(max_tokens)                                                                                            \
    X(hits)                                                                                                  \
    X(found)                                                                                                 \
    X(markers)                                                                                               \
    X(kept)                                                                                                  \
    X(first_byte)                                                                                            \
    X(last_byte)                                                                                             \
    X(first_line)                                                                                            \
    X(last_line)                                                                                             \
    X(raw_bytes)                                                                                             \
    X(full_output_path)                                                                                      \
    X(full_output_bytes)                                                                                     \
    X(full_output_error)                                                                                     \
    X(full_output_code)                                                                                      \
    X(chars_before)                                                                                          \
    X(first_char)                                                                                            \
    X(next_offset)                                                                                           \
    X(next_column)                                                                                           \
    X(version)                                                                                               \
    X(changed)                                                                                               \
    X(head)                                                                                                  \
    X(tail)                                                                                                  \
    X(head_tail)                                                                                             \
    X(pipeline)                                                                                              \
    X(priority)                                                                                              \
    X(lines)                                                                                                 \
    X(bytes)                                                                                                 \
    X(chars)                                                                                                 \
    X(tokens)

#define ABR_AS_NUMBER(word) WORD_##word,
typedef enum { LEDGER_WORDS(ABR_AS_NUMBER) WORDS } abr_ledger_word;

/* Set a field of the ledger on top of the stack; it was made with room for it. */
void abr_put_count(lua_State *L, abr_ledger_word name, uint64_t count);
void abr_put_boolean(lua_State *L, abr_ledger_word name, bool value);
void abr_put_text(lua_State *L, abr_ledger_word name, const char *text);

/*
 * Memory of a call in the frame of its C function, for a core that needs little: a Lua error that jumps over the frame
 * leaves nothing behind. What finds no room there comes from malloc, as if there were no such frame.
 */
typedef struct {
    abr_alloc alloc; /* for the core */
    size_t used;
    bool spilled; /* something came from malloc */
    union {
        char bytes[1024];
        double aligned_as;
        void *and_as;
        uint64_t or_as;
    } room;
} abr_frame;

void abr_frame_begin(abr_frame *frame);

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
    void (*push_more)(lua_State *L,
                      void *ctx); /* sets further fields of the ledger on top of the stack, or NULL */
    void *ctx;
    int more;   /* how many they are at most */
    bool *busy; /* of the object, set before the core is called; or NULL */
    const abr_frame
        *frame; /* what the core allocated from; NULL: libc. Its function has the words as upvalues */
} abr_cut_results;

/* Push the words, as many as WORDS; there is room for as many again. */
void abr_push_words(lua_State *L);

/* Push push_results() with its words, for the functions that return cuts: their first upvalue. */
void abr_push_pusher(lua_State *L);

/* Push the results, or raise what the call of the core failed with. */
int abr_finish_results(lua_State *L, abr_cut_results *r, const char *who, abr_code code,
                       const abr_error *error);

ABR_PRIVATE_END

#endif
