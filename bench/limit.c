/*
 * What no scan can beat, as a Lua module for `make bench`: the same memory and the same file, read and
 * nothing else done. read(text)     a pass over the text's bytes with one instruction a vector pread(path)
 * a loop of pread(2) over the file, 256 KiB each: the bytes it read vector         what the pass reads with
 * And the core without Lua: tail(text, max_lines, max_bytes, times)    the cut of the text, so many times
 */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* pread, O_CLOEXEC */
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <lauxlib.h>
#include <lua.h>

#include "abridge.h"

enum { BLOCK = 256 * 1024 };

typedef uint64_t vector __attribute__((vector_size(32)));

/* Four vectors a step, so that no load waits for the one before. */
#define PASS_THAT_READS(name, attributes)                                                                    \
    attributes static uint64_t name(const char *p, size_t n)                                                 \
    {                                                                                                        \
        vector w, x, y, z;                                                                                   \
        vector a = {0}, b = {0}, c = {0}, d = {0};                                                           \
        uint64_t rest = 0;                                                                                   \
        for (; n >= 4 * sizeof w; p += 4 * sizeof w, n -= 4 * sizeof w) {                                    \
            memcpy(&w, p, sizeof w);                                                                         \
            memcpy(&x, p + sizeof w, sizeof w);                                                              \
            memcpy(&y, p + 2 * sizeof w, sizeof w);                                                          \
            memcpy(&z, p + 3 * sizeof w, sizeof w);                                                          \
            a |= w;                                                                                          \
            b |= x;                                                                                          \
            c |= y;                                                                                          \
            d |= z;                                                                                          \
        }                                                                                                    \
        for (; n > 0; p++, n--)                                                                              \
            rest |= (unsigned char)*p;                                                                       \
        a |= b | c | d;                                                                                      \
        return a[0] | a[1] | a[2] | a[3] | rest;                                                             \
    }

PASS_THAT_READS(read_plainly, )

#if defined(__x86_64__)
PASS_THAT_READS(read_avx2, __attribute__((target("avx2"))))

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2");
}
#else
#define read_avx2 read_plainly
#define has_avx2() false
#endif

/* read(text) -> the bits that are set in any byte, so that no pass is left out */
static int l_read(lua_State *L)
{
    size_t n;
    const char *p = luaL_checklstring(L, 1, &n);
    uint64_t seen = lua_toboolean(L, lua_upvalueindex(1)) ? read_avx2(p, n) : read_plainly(p, n);
    lua_pushboolean(L, seen != 0);
    return 1;
}

static int l_pread(lua_State *L)
{
    static char block[BLOCK];
    const char *path = luaL_checkstring(L, 1);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    uint64_t at = 0;
    ssize_t n = -1;
    if (fd >= 0) {
        while ((n = pread(fd, block, sizeof block, (off_t)at)) > 0)
            at += (uint64_t)n;
        close(fd);
    }
    if (n < 0)
        return luaL_error(L, "%s: %s", path, strerror(errno));
    lua_pushnumber(L, (lua_Number)at);
    return 1;
}

/* What is cut is copied, what is whole is not: as from Lua. */
static int l_tail(lua_State *L)
{
    size_t n;
    const char *text = luaL_checklstring(L, 1, &n);
    lua_Integer times = luaL_checkinteger(L, 4);
    abr_opts opts = ABR_OPTS_INIT;
    opts.strategy = ABR_TAIL;
    opts.max.lines = (uint64_t)luaL_checkinteger(L, 2);
    opts.max.bytes = (uint64_t)luaL_checkinteger(L, 3);
    char *content = lua_newuserdata(L, opts.max.bytes + 1);
    while (times-- > 0) {
        abr_cut cut;
        if (abr_cut_text(text, n, &opts, &cut, NULL) != ABR_OK)
            return luaL_error(L, "out of memory");
        if (cut.truncated)
            abr_cut_write(&cut, content);
        abr_cut_free(&cut);
    }
    return 0;
}

__attribute__((visibility("default"))) int luaopen_limit(lua_State *L);

int luaopen_limit(lua_State *L)
{
    lua_createtable(L, 0, 4);
    lua_pushboolean(L, has_avx2());
    lua_pushcclosure(L, l_read, 1);
    lua_setfield(L, -2, "read");
    lua_pushcfunction(L, l_pread);
    lua_setfield(L, -2, "pread");
    lua_pushcfunction(L, l_tail);
    lua_setfield(L, -2, "tail");
    lua_pushstring(L, has_avx2() ? "AVX2" : "the vectors of every processor of this kind");
    lua_setfield(L, -2, "vector");
    return 1;
}
