/* TruncationInfo as JSON. */
#ifndef ABR_LUA_INFO_H
#define ABR_LUA_INFO_H

#include "base/private.h"
#include "lua/compat.h"

ABR_PRIVATE_BEGIN

/* Push info_json(), the JSON of a TruncationInfo, with its words. */
void abr_push_info_json(lua_State *L);

ABR_PRIVATE_END

#endif
