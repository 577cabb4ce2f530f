/*
 * The contents of a table, to see later whether they have changed. A snapshot is a flat list of keys and
 * values in the order of lua_next(), which stays the same while nothing is assigned; NESTED stands for a
 * value that is a table, whose own keys follow, and for the end of each table. Metatables are ignored.
 */
#include "lua/snapshot.h"
#include "lua/check.h"

enum {
    MOST_SNAPSHOT_DEPTH = 100, /* tables; a message has a dozen at most */
    MOST_SNAPSHOT = 1 << 24,
    FEW_SLOTS = 6, /* of the stack, for one table */
};

static const char nested_place = 0; /* its address is the mark, which callers don't have */
#define NESTED ((void *)&nested_place)

typedef struct {
    lua_State *L;
    int list; /* stack index */
    int n;    /* entries written or compared */
} snapshot;

/* Entries of the table on top of the stack; more than MOST_SNAPSHOT if too many, or nested too deep. */
static int count_entries(lua_State *L, int depth)
{
    int t = lua_gettop(L), n = 1;
    if (depth > MOST_SNAPSHOT_DEPTH)
        return MOST_SNAPSHOT + 1;
    luaL_checkstack(L, FEW_SLOTS, "message nested too deep");
    for (lua_pushnil(L); lua_next(L, t); lua_pop(L, 1)) {
        n += 2;
        if (lua_type(L, -1) == LUA_TTABLE)
            n += count_entries(L, depth + 1);
        if (n > MOST_SNAPSHOT) {
            lua_settop(L, t);
            return n;
        }
    }
    return n;
}

static void write_mark(snapshot *s)
{
    lua_pushlightuserdata(s->L, NESTED);
    lua_rawseti(s->L, s->list, ++s->n);
}

/* Write the table on top of the stack, already counted. */
static void write_table(snapshot *s)
{
    lua_State *L = s->L;
    int t = lua_gettop(L);
    luaL_checkstack(L, FEW_SLOTS, "message nested too deep");
    for (lua_pushnil(L); lua_next(L, t); lua_pop(L, 1)) {
        lua_pushvalue(L, -2);
        lua_rawseti(L, s->list, ++s->n);
        if (lua_type(L, -1) == LUA_TTABLE) {
            write_mark(s);
            write_table(s);
        } else {
            lua_pushvalue(L, -1);
            lua_rawseti(L, s->list, ++s->n);
        }
    }
    write_mark(s);
}

static bool is_nested_mark(lua_State *L)
{
    return lua_touserdata(L, -1) == NESTED;
}

/* Is the table on top of the stack unchanged? If not, the stack is left changed. */
static bool same_table(snapshot *s)
{
    lua_State *L = s->L;
    int t = lua_gettop(L), key = t + 1, value = t + 2;
    luaL_checkstack(L, FEW_SLOTS, "message nested too deep");
    for (lua_pushnil(L); lua_next(L, t); lua_settop(L, key)) {
        lua_rawgeti(L, s->list, ++s->n);
        if (!lua_rawequal(L, -1, key))
            return false;
        lua_rawgeti(L, s->list, ++s->n);
        if (lua_rawequal(L, -1, value)) /* not a table: those are marks in the list */
            continue;
        if (lua_type(L, value) != LUA_TTABLE || !is_nested_mark(L))
            return false;
        lua_settop(L, value);
        if (!same_table(s))
            return false;
    }
    lua_rawgeti(L, s->list, ++s->n);
    bool ended = is_nested_mark(L);
    lua_settop(L, t);
    return ended;
}

/* Number of the caller's own entries at the start of a snapshot's list. */
static int check_own(lua_State *L, const char *who, int idx)
{
    uint64_t own = abr_check_count(L, who, "own", idx);
    if (own > MOST_SNAPSHOT)
        abr_wrong(L, who, "own", "less", idx);
    return (int)own;
}

static void check_table(lua_State *L, const char *who, const char *name, int idx)
{
    if (lua_type(L, idx) != LUA_TTABLE)
        abr_wrong(L, who, name, "a table", idx);
}

/*
 * snapshot(t, own, fields) -> list | nil if t is too large or nested too deep. The table's contents follow
 * `own` entries, which the caller sets; there is room for `fields` more fields.
 */
static int l_snapshot(lua_State *L)
{
    const char *who = "abridge.core.snapshot";
    check_table(L, who, "t", 1);
    int own = check_own(L, who, 2);
    uint64_t fields = abr_check_count(L, who, "fields", 3);
    lua_settop(L, 1);
    int n = count_entries(L, 1);
    if (n > MOST_SNAPSHOT || fields > MOST_SNAPSHOT) {
        lua_pushnil(L);
        return 1;
    }
    lua_createtable(L, own + n, (int)fields);
    lua_insert(L, 1);
    snapshot s = {.L = L, .list = 1, .n = own};
    write_table(&s);
    lua_settop(L, 1);
    return 1;
}

/* is_as(t, list, own) -> is a table as it was when this snapshot was taken? */
static int l_is_as(lua_State *L)
{
    const char *who = "abridge.core.is_as";
    check_table(L, who, "t", 1);
    check_table(L, who, "list", 2);
    int own = check_own(L, who, 3);
    lua_settop(L, 2);
    lua_insert(L, 1);
    snapshot s = {.L = L, .list = 1, .n = own};
    lua_pushboolean(L, same_table(&s));
    return 1;
}

const luaL_Reg abr_snapshot_functions[] = {{"snapshot", l_snapshot}, {"is_as", l_is_as}, {NULL, NULL}};
