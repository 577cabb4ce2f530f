/* Logs and files. */
#ifndef ABR_LUA_FILE_H
#define ABR_LUA_FILE_H

#include "base/private.h"
#include "lua/compat.h"

ABR_PRIVATE_BEGIN

#define ABR_LOG_TYPE "abridge.log"

extern const luaL_Reg abr_file_functions[];

extern const luaL_Reg abr_log_methods[];

ABR_PRIVATE_END

#endif
