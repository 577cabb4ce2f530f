/* Lua states in which one allocation fails, Lua's or the core's: the cases of lua_memory.lua, each with
 * every one of its allocations failing in turn. A case may fail for want of memory alone; then its objects
 * can be closed, neither a block nor a descriptor of theirs is held, and the case run again gives what it
 * always gives.
 *
 * Linked with --wrap=malloc, realloc and free, so that the core's allocations are counted with those of
 * the state. What the libraries of the host lose when a state has no memory (luv a buffer of a read, or
 * what it just opened; lua-cjson its text) is not ours. Also with --wrap=read and pread, to see that what is read into starts
 * on a page. */
#define _GNU_SOURCE /* pread */
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

#include <lauxlib.h>
#include <lualib.h>

#include "check.h"

enum { DESCRIPTORS = 64, ROUNDS_MOST = 100000 };

static struct {
    long left;  /* allocations until one fails; 0: none does */
    bool fired; /* one failed */
    bool again; /* the next of the state fails too */
    long core;  /* blocks of the core that are held */
    long state; /* blocks of the state */
} memory;

static bool fails_now(void)
{
    if (memory.left == 0 || --memory.left > 0)
        return false;
    memory.fired = true;
    return true;
}

void *__real_malloc(size_t size);
void *__real_realloc(void *ptr, size_t size);
void __real_free(void *ptr);
void *__wrap_malloc(size_t size);
void *__wrap_realloc(void *ptr, size_t size);
void __wrap_free(void *ptr);

void *__wrap_malloc(size_t size)
{
    void *p = fails_now() ? NULL : __real_malloc(size);
    memory.core += p != NULL;
    return p;
}

void *__wrap_realloc(void *ptr, size_t size)
{
    void *p = fails_now() ? NULL : __real_realloc(ptr, size);
    memory.core += p && !ptr;
    return p;
}

void __wrap_free(void *ptr)
{
    memory.core -= ptr != NULL;
    __real_free(ptr);
}

/* Does an allocation of the state fail? Lua collects its garbage and tries again, so the second one does
 * too. */
static bool state_fails_now(void)
{
    bool again = memory.again;
    memory.again = !again && fails_now();
    return again || memory.again;
}

/* Lua's allocator. A block that shrinks always can. */
static void *state_alloc(void *ctx, void *ptr, size_t old_size, size_t size)
{
    (void)ctx;
    if (size == 0) {
        memory.state -= ptr != NULL;
        __real_free(ptr);
        return NULL;
    }
    if ((!ptr || size > old_size) && state_fails_now())
        return NULL;
    memory.state += !ptr;
    return __real_realloc(ptr, size);
}

static unsigned open_descriptors(void)
{
    unsigned count = 0;
    for (int fd = 0; fd < DESCRIPTORS; fd++)
        count += fcntl(fd, F_GETFD) != -1;
    return count;
}

static const char *case_name; /* for messages */
static long case_round;

static void wrong(const char *what, const char *detail)
{
    fprintf(stderr, "%s, allocation %ld: %s%s%s\n", case_name, case_round, what, detail ? ": " : "",
            detail ? detail : "");
    check_failures++;
}

/* ---- reads ---- */

enum { PAGE = 4096 };

static long reads; /* by the core */

/* A read that goes on where one came short starts anywhere. */
static void check_place(const void *place, bool goes_on)
{
    reads++;
    if (!goes_on && (uintptr_t)place % PAGE != 0)
        wrong("reads to a place on no page", NULL);
}

ssize_t __real_read(int fd, void *dst, size_t size);
ssize_t __real_pread(int fd, void *dst, size_t size, off_t at);
ssize_t __wrap_read(int fd, void *dst, size_t size);
ssize_t __wrap_pread(int fd, void *dst, size_t size, off_t at);

ssize_t __wrap_read(int fd, void *dst, size_t size)
{
    static const char *end;
    check_place(dst, end == dst);
    ssize_t n = __real_read(fd, dst, size);
    end = (const char *)dst + (n > 0 ? n : 0);
    return n;
}

ssize_t __wrap_pread(int fd, void *dst, size_t size, off_t at)
{
    check_place(dst, false); /* of these files none comes short */
    return __real_pread(fd, dst, size, at);
}

/* ---- cases ---- */

/* Call the function `name` of the case on top of the stack; the result stays on the stack. */
static int call(lua_State *L, const char *name)
{
    lua_getfield(L, -1, name);
    return lua_pcall(L, 0, 1, 0);
}

/* Did it fail for want of memory? Takes the message off the stack. */
static void check_message(lua_State *L)
{
    const char *message = lua_tostring(L, -1);
    if (!message || !strstr(message, "memory"))
        wrong("failed otherwise", message ? message : luaL_typename(L, -1));
    lua_pop(L, 1);
}

static void close_objects(lua_State *L)
{
    if (call(L, "close") != 0)
        wrong("cannot be closed", lua_tostring(L, -1));
    lua_pop(L, 1);
    lua_gc(L, LUA_GCCOLLECT, 0);
    lua_gc(L, LUA_GCCOLLECT, 0); /* what was finalized */
}

/* One round; false when no allocation was left to fail. The reference result is at index 1. */
static bool fail_once(lua_State *L)
{
    unsigned descriptors = open_descriptors();
    long held = memory.core;
    memory.left = case_round;
    memory.fired = false;
    int status = call(L, "run");
    memory.left = 0;
    memory.again = false;
    if (status != 0) {
        check_message(L);
    } else {
        if (!lua_rawequal(L, 1, -1))
            wrong("another result", lua_tostring(L, -1));
        lua_pop(L, 1);
    }
    close_objects(L);
    if (memory.core != held)
        wrong("the core holds blocks", NULL);
    if (open_descriptors() != descriptors)
        wrong("descriptors are open", NULL);
    return memory.fired;
}

/* The case on top of the stack. */
static void run_case(lua_State *L)
{
    lua_getfield(L, -1, "name");
    case_name = lua_tostring(L, -1);
    lua_pop(L, 1); /* the case holds it */
    case_round = 0;
    for (int i = 0; i < 2; i++) { /* twice: what is loaded when first used is there */
        if (call(L, "run") != 0)
            wrong("fails by itself", lua_tostring(L, -1));
        lua_replace(L, 1);
        close_objects(L);
    }
    /* the first hundred allocations each, later ones at a growing distance; ABRIDGE_CASES=1: each */
    const long apart = check_cases(10) < 10 ? 100 : ROUNDS_MOST;
    for (case_round = 1; case_round < ROUNDS_MOST && fail_once(L);)
        case_round += 1 + case_round / apart;
    if (case_round == 1)
        wrong("allocates nothing", NULL);
    if (call(L, "run") != 0 || !lua_rawequal(L, 1, -1))
        wrong("another result in the end", lua_tostring(L, -1));
    lua_pop(L, 1);
    close_objects(L);
}

int luaopen_abridge_core(lua_State *L);
__attribute__((visibility("default"))) const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "detect_leaks=0"; /* the blocks are counted */
}

/* source_fd() -> a descriptor of the cases' file, at its start */
static int l_source_fd(lua_State *L)
{
    static int fd = -1;
    if (fd < 0)
        fd = open("spec/c/lua_memory.lua", O_RDONLY);
    lseek(fd, 0, SEEK_SET);
    lua_pushinteger(L, fd);
    return 1;
}

/* A function of the host's library, the upvalue, called without an allocation that fails. */
static int l_spared(lua_State *L)
{
    const long left = memory.left;
    memory.left = 0;
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
    memory.left = left;
    return lua_gettop(L);
}

/* spared(f) -> f, in which no allocation fails */
static int l_spare(lua_State *L)
{
    lua_pushcclosure(L, l_spared, 1);
    return 1;
}

static lua_State *new_state(void)
{
    lua_State *L = lua_newstate(state_alloc, NULL);
    if (!L)
        exit(2);
    luaL_openlibs(L);
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
    lua_pushcfunction(L, luaopen_abridge_core);
    lua_setfield(L, -2, "abridge.core");
    lua_pop(L, 1);
    lua_pushcfunction(L, l_source_fd);
    lua_setglobal(L, "source_fd");
    lua_pushcfunction(L, l_spare);
    lua_setglobal(L, "spared");
    return L;
}

static void the_cases(void)
{
    long before = memory.core;
    lua_State *L = new_state();
    lua_pushnil(L); /* 1: the reference */
    if (luaL_dofile(L, "spec/c/lua_memory.lua") != 0) {
        fprintf(stderr, "%s\n", lua_tostring(L, -1));
        exit(2);
    }
    for (int i = 1; lua_rawgeti(L, 2, i) == LUA_TTABLE; i++) {
        run_case(L);
        lua_pop(L, 1);
    }
    lua_close(L);
    CHECK_COUNT(0, memory.state);
    CHECK_COUNT(before, memory.core);
}

static void something_was_read(void)
{
    CHECK(reads > 0);
}

int main(void)
{
    RUN(the_cases);
    RUN(something_was_read);
    return check_end();
}
