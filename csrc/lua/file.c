/* Private files and folders, and logs. */
#include <stdio.h>
#include <string.h>

#include "lua/file.h"
#include "abridge.h"
#include "files/errno_text.h"
#include "files/private_file.h"
#include "lua/check.h"
#include "lua/clean.h"
#include "lua/compat.h"

static const char *check_path(lua_State *L, const char *who, const char *name, int idx)
{
    size_t n;
    const char *path = abr_check_text(L, who, name, idx, &n);
    if (n == 0 || strlen(path) != n)
        abr_wrong(L, who, name, "a path without NUL", idx);
    return path;
}

/* private_folder(dir) -> true | nil, message, code */
static int l_private_folder(lua_State *L)
{
    const char *dir = check_path(L, "abridge.core.private_folder", "dir", 1);
    int failed = abr_private_folder(dir);
    if (failed != 0)
        return abr_push_errno(L, dir, failed);
    lua_pushboolean(L, 1);
    return 1;
}

/* save(dir, name, text) -> path, bytes, message, code: a new private file; the last two if not all was
 * written, path nil if it could not be made */
static int l_save(lua_State *L)
{
    const char *who = "abridge.core.save";
    size_t n;
    abr_file *file;
    const char *dir = check_path(L, who, "dir", 1);
    const char *name = check_path(L, who, "name", 2);
    const char *text = abr_check_text(L, who, "text", 3, &n);
    char path[2 * ABR_PATH_MOST]; /* a folder and a name, both shorter than one */
    uint64_t size = 0;
    int failed = abr_file_open(dir, name, ABR_FILE_NEW, NULL, &file);
    path[0] = '\0';
    if (failed == 0) {
        abr_file_write(file, text, n);
        failed = abr_file_flush(file);
        size = abr_file_size(file);
        snprintf(path, sizeof path, "%s", abr_file_path(file));
        abr_file_close(file);
    }
    if (path[0] != '\0')
        lua_pushstring(L, path);
    else
        lua_pushnil(L);
    abr_push_count(L, size);
    if (failed == 0)
        return 2;
    lua_pushstring(L, abr_errno_text(failed));
    lua_pushstring(L, abr_errno_name(failed));
    return 4;
}

/* log(dir, name, old) -> log | nil, message, code; old: do not create a missing one */
static int l_log(lua_State *L)
{
    const char *who = "abridge.core.log";
    const char *dir = check_path(L, who, "dir", 1);
    const char *name = check_path(L, who, "name", 2);
    abr_file_kind kind = lua_toboolean(L, 3) ? ABR_FILE_OLD_LOG : ABR_FILE_LOG;
    abr_file **log = lua_newuserdata(L, sizeof(abr_file *)); /* NOLINT(bugprone-sizeof-expression) */
    *log = NULL;
    luaL_getmetatable(L, ABR_LOG_TYPE);
    lua_setmetatable(L, -2);
    int failed = abr_file_open(dir, name, kind, NULL, log);
    return failed == 0 ? 1 : abr_push_errno(L, dir, failed);
}

static abr_file *check_log(lua_State *L, const char *who)
{
    abr_file **log = luaL_checkudata(L, 1, ABR_LOG_TYPE);
    if (!*log)
        luaL_error(L, "%s: the log is closed", who);
    return *log;
}

/* log:append(text) -> true | nil, message, code */
static int l_log_append(lua_State *L)
{
    size_t n;
    abr_file *log = check_log(L, "log:append");
    const char *text = abr_check_text(L, "log:append", "text", 2, &n);
    int failed = abr_file_append(log, text, n);
    if (failed != 0)
        return abr_push_errno(L, abr_file_path(log), failed);
    lua_pushboolean(L, 1);
    return 1;
}

static int l_log_size(lua_State *L)
{
    abr_push_count(L, abr_file_size(check_log(L, "log:size")));
    return 1;
}

static int l_log_close(lua_State *L)
{
    abr_file **log = luaL_checkudata(L, 1, ABR_LOG_TYPE);
    abr_file_close(*log);
    *log = NULL;
    return 0;
}

const luaL_Reg abr_log_methods[] = {
    {"append", l_log_append}, {"size", l_log_size},     {"close", l_log_close},
    {"__gc", l_log_close},    {"__close", l_log_close}, {NULL, NULL},
};

const luaL_Reg abr_file_functions[] = {
    {"private_folder", l_private_folder},
    {"save", l_save},
    {"log", l_log},
    {NULL, NULL},
};
