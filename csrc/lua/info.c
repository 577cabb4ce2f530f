/* TruncationInfo as JSON. */
#include <string.h>

#include "lua/info.h"
#include "abridge.h"
#include "lua/check.h"
#include "lua/compat.h"

/* The fields of a block: upvalues of l_info_json(). */
enum {
    INFO_TRUNCATED,
    INFO_BYTES_RETURNED,
    INFO_BYTES_TOTAL,
    INFO_NEXT_OFFSET,
    INFO_RESUME_HINT,
    INFO_REASON
};
static const char *const info_fields[] = {"truncated",   "bytes_returned", "bytes_total",
                                          "next_offset", "resume_hint",    "reason"};
enum { INFO_FIELDS = sizeof info_fields / sizeof *info_fields };

/* Push a field of the block at 1; returns its type. */
static int push_field(lua_State *L, int field)
{
    lua_pushvalue(L, lua_upvalueindex(field + 1));
    return abr_raw_get(L, 1);
}

static uint64_t count_of(lua_State *L, const char *who, int field, bool optional)
{
    uint64_t count = ABR_UNLIMITED;
    const int type = push_field(L, field);
    if (type == LUA_TNIL && optional)
        return count;
    if (type != LUA_TNUMBER || !abr_number_to_count(L, -1, &count))
        return abr_check_count(L, who, info_fields[field], -1);
    return count;
}

static abr_reason check_reason(lua_State *L, const char *who, int idx)
{
    const char *word = abr_word_at(L, idx);
    const char *name;
    for (int reason = 0; (name = abr_reason_name((abr_reason)reason)); reason++)
        if (*name == *word && strcmp(name, word) == 0)
            return (abr_reason)reason;
    abr_wrong(L, who, "reason", "\"size_cap\", \"line_cap\", \"row_cap\", \"exec_budget\" or \"item_cap\"",
              idx);
    return ABR_SIZE_CAP;
}

/* info_json{truncated=, bytes_returned=, ...} -> JSON */
static int l_info_json(lua_State *L)
{
    enum { USUAL = 512 /* bytes of JSON */ };
    const char *who = "abridge.info";
    char usual[USUAL];
    abr_info info = {.resume_hint = NULL};
    if (lua_type(L, 1) != LUA_TTABLE)
        return abr_wrong(L, who, "info", "a table", 1);
    info.bytes_returned = count_of(L, who, INFO_BYTES_RETURNED, false);
    info.bytes_total = count_of(L, who, INFO_BYTES_TOTAL, true);
    info.next_offset = count_of(L, who, INFO_NEXT_OFFSET, true);
    push_field(L, INFO_TRUNCATED);
    info.truncated = abr_check_boolean(L, who, "truncated", -1);
    push_field(L, INFO_REASON);
    info.reason = check_reason(L, who, -1);
    if (push_field(L, INFO_RESUME_HINT) != LUA_TNIL) /* stays on the stack while its bytes are used */
        info.resume_hint = abr_check_text(L, who, "resume_hint", -1, &info.resume_hint_len);
    if (info.resume_hint_len > ABR_RESUME_HINT_MOST)
        return luaL_error(L, "%s: resume_hint must be a string of at most %d bytes, got more", who,
                          (int)ABR_RESUME_HINT_MOST);
    const size_t size = abr_info_json(&info, usual, sizeof usual);
    char *json = usual;
    if (size > sizeof usual) {
        json = lua_newuserdata(L, size);
        abr_info_json(&info, json, size);
    }
    lua_pushlstring(L, json, size);
    return 1;
}

void abr_push_info_json(lua_State *L)
{
    for (int i = 0; i < INFO_FIELDS; i++)
        lua_pushstring(L, info_fields[i]);
    lua_pushcclosure(L, l_info_json, INFO_FIELDS);
}
