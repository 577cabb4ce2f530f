/* The places that diagnostics in a text point at. */
#ifndef ABR_LUA_LOCATIONS_H
#define ABR_LUA_LOCATIONS_H

#include "base/private.h"
#include "lua/compat.h"

ABR_PRIVATE_BEGIN

extern const luaL_Reg abr_location_functions[];

ABR_PRIVATE_END

#endif
