/* Two Lua states in two threads, each cutting, streaming and paging at once: nothing of the core is shared
 * between them but what never changes. Built with ThreadSanitizer by `make tsan`. */
#include <pthread.h>

#include <lauxlib.h>
#include <lualib.h>

#include "check.h"

enum { THREADS = 2 };

int luaopen_abridge_core(lua_State *L);

static void *run(void *ctx)
{
    lua_State *L = luaL_newstate();
    bool *ok = ctx;
    luaL_openlibs(L);
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
    lua_pushcfunction(L, luaopen_abridge_core);
    lua_setfield(L, -2, "abridge.core");
    lua_pop(L, 1);
    *ok = luaL_dofile(L, "spec/c/lua_threads.lua") == 0;
    if (!*ok)
        fprintf(stderr, "%s\n", lua_tostring(L, -1));
    lua_close(L);
    return NULL;
}

static void two_states_run_at_once(void)
{
    pthread_t threads[THREADS];
    bool ok[THREADS];
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, run, &ok[i]) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0 && ok[i]);
}

int main(void)
{
    RUN(two_states_run_at_once);
    return check_end();
}
