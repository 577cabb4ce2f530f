/* Pages and indexes. */
#ifndef ABR_LUA_PAGE_H
#define ABR_LUA_PAGE_H

#include "base/private.h"
#include "lua/compat.h"

ABR_PRIVATE_BEGIN

#define ABR_INDEX_TYPE "abridge.index"
#define ABR_PAGE_TYPE "abridge.page"

extern const luaL_Reg abr_page_functions[];

extern const luaL_Reg abr_index_methods[];

extern const luaL_Reg abr_page_methods[];

ABR_PRIVATE_END

#endif
