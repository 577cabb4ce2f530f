/* Values of JSON documents, found and changed. */
#ifndef ABR_LUA_SPLICE_H
#define ABR_LUA_SPLICE_H

#include "base/private.h"
#include "lua/compat.h"

ABR_PRIVATE_BEGIN

#define ABR_SPLICE_TYPE "abridge.splice"

extern const luaL_Reg abr_splice_functions[];
extern const luaL_Reg abr_splice_methods[];

ABR_PRIVATE_END

#endif
