/*
 * What the files of the binding share: the Lua face of the core, arguments in, core call, results out. No policy and no
 * sentence a model reads.
 *
 * Memory that must survive a Lua error is owned by the collector: a cut lives in a userdata whose metatable frees
 * it. The one callback into Lua (count_tokens) runs protected, so that no error jumps over a core frame.
 */
#ifndef ABR_LUA_BINDING_H
#define ABR_LUA_BINDING_H

#ifdef ABR_LUA51 /* `make nvim`, which wants no Lua headers */
#include "lua51.h"
#else
#include <lauxlib.h>
#include <lua.h>
#endif

#include "internal.h"

ABR_PRIVATE_BEGIN

/* ---- what differs between Lua 5.1 and 5.5: all that is used here is the same from 5.3 on ---- */

/* Set functions in the table below the n values on top, which become the upvalues of each, and are popped. */
#if LUA_VERSION_NUM < 502
static inline void abr_set_functions(lua_State *L, const luaL_Reg *functions, int n)
{
    for (; functions->name; functions++) {
        for (int i = 0; i < n; i++)
            lua_pushvalue(L, -n);
        lua_pushcclosure(L, functions->func, n);
        lua_setfield(L, -n - 2, functions->name);
    }
    lua_pop(L, n);
}

static inline size_t abr_raw_length(lua_State *L, int idx)
{
    return lua_objlen(L, idx);
}
#else
static inline void abr_set_functions(lua_State *L, const luaL_Reg *functions, int n)
{
    luaL_setfuncs(L, functions, n);
}

static inline size_t abr_raw_length(lua_State *L, int idx)
{
    return (size_t)lua_rawlen(L, idx);
}
#endif

/* lua_rawget(), and what it pushed. */
static inline int abr_raw_get(lua_State *L, int idx)
{
#if LUA_VERSION_NUM >= 503
    return lua_rawget(L, idx);
#else
    lua_rawget(L, idx);
    return lua_type(L, -1);
#endif
}

/* Push a count as an integer where the host has them; every count is exact in a double. */
static inline void abr_push_count(lua_State *L, uint64_t count)
{
#if LUA_VERSION_NUM >= 503
    lua_pushinteger(L, (lua_Integer)count);
#else
    lua_pushnumber(L, (lua_Number)count);
#endif
}

/* ---- lua_check.c: arguments. `who` is the function's name, for messages; the checks raise ---- */

/* Push a number as text, alike on every host: lua_pushfstring writes 5.0 on some and 5 on others. */
const char *abr_push_number(lua_State *L, lua_Number number);

/* The value at idx for an error message. May push a string. */
const char *abr_describe(lua_State *L, int idx);

/* Raise "{who}: {name} must be {expected}, got {the value at idx}". */
int abr_wrong(lua_State *L, const char *who, const char *name, const char *expected, int idx);

/* The one check of counts: a number, finite, integral, 0 to 2^53. */
bool abr_to_count(lua_State *L, int idx, uint64_t *count);
bool abr_number_to_count(lua_State *L, int idx, uint64_t *count); /* of what is a number */
uint64_t abr_check_count(lua_State *L, const char *who, const char *name, int idx);

/* A count of bytes, or a size as text ("30KB"). */
bool abr_to_size(lua_State *L, int idx, uint64_t *size);
uint64_t abr_check_size(lua_State *L, const char *who, const char *name, int idx);

double abr_check_number(lua_State *L, const char *who, const char *name, int idx, double min, double max);
double abr_check_safety(lua_State *L, const char *who, const char *name, int idx);
bool abr_check_boolean(lua_State *L, const char *who, const char *name, int idx);

/* A string proper: a number is refused, so that a slip does not pass for text. */
const char *abr_check_text(lua_State *L, const char *who, const char *name, int idx, size_t *n);

/* The string at idx when it can be a key or a word: "" for what is no string or has a NUL in it. */
const char *abr_word_at(lua_State *L, int idx);

/* The position of the string at idx in a NULL-terminated list of words; `expected` lists them for people. */
int abr_check_word(lua_State *L, const char *who, const char *name, int idx, const char *const words[],
                   const char *expected);

/* Set a field of the table on top of the stack, of one that is not made often. */
void abr_set_count(lua_State *L, const char *name, uint64_t count);
void abr_set_boolean(lua_State *L, const char *name, bool value);

/* nil, "{what}: {text of the errno}", its name: what a function returns for a failure of the system. */
int abr_push_errno(lua_State *L, const char *what, int number);

/* Push memory of n bytes to read into, on a page; returns where it starts. */
char *abr_push_block(lua_State *L, size_t n);

/* ---- lua_options.c: options of cuts ---- */

/* Where the stack holds what a cut needs. */
enum {
    ARG_TEXT = 1,
    ARG_OPTS = 2,
    SLOT_COUNTER = 3,
    SLOT_RESERVE = 4,
    SLOT_MARKER = 5,
    SLOT_HITS = 6,
    SLOT_REDACT = 7,
    SLOT_CALLER = 8
};

typedef struct {
    const char *who; /* the function's name, for messages */
    abr_opts opts;
    bool named_strategy; /* opts.strategy is an option here */
    bool has_marker;     /* a marker key was given */
    bool cleans;         /* the text is cleaned first */
    abr_clean_opts clean;
} abr_cut_options;

/* Keep a value alive in its slot, whatever becomes of the options table while a counter runs. */
void abr_keep_alive(lua_State *L, int value, int slot);
void abr_keep_redact(lua_State *L, int value);

int abr_unknown_option(lua_State *L, const char *who, int key, int value);
void abr_check_options_table(lua_State *L, const char *who);

/* Read the table at ARG_OPTS; the stack reaches to SLOT_REDACT. */
void abr_read_options(lua_State *L, abr_cut_options *c);

/* Put a copy of the options in place of them. */
void abr_copy_options(lua_State *L);

/* Push one of the options and take it out of them; false: it is nil, and nothing is pushed. */
bool abr_take_option(lua_State *L, const char *key);

#define ABR_NO_NARROW                                                                                        \
    {                                                                                                        \
        {ABR_UNLIMITED, ABR_UNLIMITED, ABR_UNLIMITED, ABR_UNLIMITED}, NULL, 0, ABR_LONG_DEFAULT              \
    }

/* Set the stack up for a cut of a stream or a page, its options at 2, and read them. */
void abr_prepare_cut(lua_State *L, const char *who, int counter, abr_narrow *narrow);

/* ---- lua_results.c: counters of tokens, and what a cut returns ---- */

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
typedef enum { LEDGER_WORDS(ABR_AS_NUMBER) WORDS } abr_word;

/* Set a field of the ledger on top of the stack; it was made with room for it. */
void abr_put_count(lua_State *L, abr_word name, uint64_t count);
void abr_put_boolean(lua_State *L, abr_word name, bool value);
void abr_put_text(lua_State *L, abr_word name, const char *text);

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

/* ---- lua_clean.c: cleaning and redaction ---- */

/* A cleaner of Lua: the core's, and what it handed over during a call. */
typedef struct {
    abr_cleaner *cleaner; /* NULL once closed */
    char *p;
    size_t n;
    size_t size;
    bool finished;
    bool invisible; /* what hides text is taken out */
} abr_lua_cleaner;

/* Read clean = true, false or a table; returns whether to clean. */
bool abr_read_clean(lua_State *L, const char *who, int value, abr_clean_opts *opts);

/* Clean the text at ARG_TEXT: what comes out takes its place, where it is another. `stats` may be NULL. */
void abr_clean_argument(lua_State *L, const char *who, const abr_clean_opts *opts, abr_clean_stats *stats);

/* Put the redacted text in place of the text at ARG_TEXT, where redact is given. */
void abr_redact_argument(lua_State *L, const char *who);

/* Push a function of one of our Lua modules. */
void abr_push_function(lua_State *L, const char *module, const char *name);

/* Push a redactor of the option redact. */
void abr_push_redactor(lua_State *L, const char *who);

/* ---- what each file adds to the module ---- */

#define ABR_CLEANED_TYPE "abridge.cleaned"
#define ABR_CLEANER_TYPE "abridge.cleaner"
#define ABR_STREAM_TYPE "abridge.stream"
#define ABR_INDEX_TYPE "abridge.index"
#define ABR_PAGE_TYPE "abridge.page"
#define ABR_LOG_TYPE "abridge.log"

extern const luaL_Reg abr_clean_functions[];
extern const luaL_Reg abr_cut_functions[];
extern const luaL_Reg abr_file_functions[];
extern const luaL_Reg abr_page_functions[];
extern const luaL_Reg abr_stream_functions[];
extern const luaL_Reg abr_text_functions[];
extern const luaL_Reg abr_cleaned_methods[];
extern const luaL_Reg abr_cleaner_methods[];
extern const luaL_Reg abr_log_methods[];
extern const luaL_Reg abr_index_methods[];
extern const luaL_Reg abr_page_methods[];
extern const luaL_Reg abr_stream_methods[];

/* Push info_json(), the JSON of a TruncationInfo, with its words. */
void abr_push_info_json(lua_State *L);

ABR_PRIVATE_END

#endif
