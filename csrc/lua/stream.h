/* Streams. */
#ifndef ABR_LUA_STREAM_H
#define ABR_LUA_STREAM_H

#include "base/private.h"
#include "lua/compat.h"

ABR_PRIVATE_BEGIN

#define ABR_STREAM_TYPE "abridge.stream"

extern const luaL_Reg abr_stream_functions[];

extern const luaL_Reg abr_stream_methods[];

ABR_PRIVATE_END

#endif
