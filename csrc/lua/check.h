/* Arguments. `who` is the function's name, for messages; the checks raise. */
#ifndef ABR_LUA_CHECK_H
#define ABR_LUA_CHECK_H

#include "abridge.h"
#include "base/private.h"
#include "lua/compat.h"

ABR_PRIVATE_BEGIN

/* Push a number as text, the same on every host: lua_pushfstring writes 5.0 on some and 5 on others. */
const char *abr_push_number(lua_State *L, lua_Number number);

/* The value at idx for an error message. May push a string. */
const char *abr_describe(lua_State *L, int idx);

/* Raise "{who}: {name} must be {expected}, got {the value at idx}". */
int abr_wrong(lua_State *L, const char *who, const char *name, const char *expected, int idx);

/* Raise "{who}: unknown key '{key}' in {where} (value {value})", for a field of a table among the options. */
int abr_unknown_key(lua_State *L, const char *who, const char *where, int key, int value);

/* The one check of counts: a number, finite, integral, 0 to 2^53. */
bool abr_to_count(lua_State *L, int idx, uint64_t *count);
bool abr_number_to_count(lua_State *L, int idx, uint64_t *count); /* the value is a number */
uint64_t abr_check_count(lua_State *L, const char *who, const char *name, int idx);

/* A count of bytes, or a size as text ("30KB"). */
bool abr_to_size(lua_State *L, int idx, uint64_t *size);
uint64_t abr_check_size(lua_State *L, const char *who, const char *name, int idx);

double abr_check_number(lua_State *L, const char *who, const char *name, int idx, double min, double max);
double abr_check_safety(lua_State *L, const char *who, const char *name, int idx);
bool abr_check_boolean(lua_State *L, const char *who, const char *name, int idx);

/* A real string: numbers are refused, so that a slip does not pass for text. */
const char *abr_check_text(lua_State *L, const char *who, const char *name, int idx, size_t *n);

/* The string at idx if it can be a key or a word: "" for other types and strings with a NUL. */
const char *abr_word_at(lua_State *L, int idx);

/* The position of the string at idx in a NULL-terminated list of words; `expected` lists them for people. */
int abr_check_word(lua_State *L, const char *who, const char *name, int idx, const char *const words[],
                   const char *expected);

/* Set a field of the table on top of the stack, for rarely made tables. */
void abr_set_count(lua_State *L, const char *name, uint64_t count);
void abr_set_boolean(lua_State *L, const char *name, bool value);

/* nil, "{what}: {text of the errno}", its name: the results of a function after a failure of the system. */
int abr_push_errno(lua_State *L, const char *what, int number);

/* Push memory of n bytes to read into, aligned to a page; returns its start. */
char *abr_push_block(lua_State *L, size_t n);

ABR_PRIVATE_END

#endif
