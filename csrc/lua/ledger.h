/* The ledger of a cut as a Lua table: an account of the text kept and left out. */
#ifndef ABR_LUA_LEDGER_H
#define ABR_LUA_LEDGER_H

#include "abridge.h"
#include "base/private.h"
#include "lua/compat.h"

ABR_PRIVATE_BEGIN

/* The words of ledgers. Each becomes a string of Lua once, and an upvalue of the functions that push ledgers:
 * their second and following ones. */
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
    X(compact)                                                                                               \
    X(shown_bytes)                                                                                           \
    X(line_bytes)                                                                                            \
    X(invalid_bytes)                                                                                         \
    X(max_lines)                                                                                             \
    X(max_bytes)                                                                                             \
    X(max_chars)                                                                                             \
    X(max_tokens)                                                                                            \
    X(hits)                                                                                                  \
    X(failures)                                                                                              \
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
    X(column)                                                                                                \
    X(version)                                                                                               \
    X(changed)                                                                                               \
    X(head)                                                                                                  \
    X(tail)                                                                                                  \
    X(head_tail)                                                                                             \
    X(pipeline)                                                                                              \
    X(priority)                                                                                              \
    X(auto)                                                                                                  \
    X(kind)                                                                                                  \
    X(items)                                                                                                 \
    X(parts)                                                                                                 \
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

/* Push the words, as many as WORDS; there is room for as many again. */
void abr_push_words(lua_State *L);

/* Push the ledger of a cut, with room for `more` fields, since a table that grows is rebuilt. */
void abr_push_ledger(lua_State *L, const abr_cut *cut, int more);

ABR_PRIVATE_END

#endif
