# Where the headers of each Lua are, and so for which of them the module is built.
#   make LUA_INCDIR_5_4=/opt/lua/include   those of a Lua that is not found by itself

# The folder of the headers of Lua $(1): as told, else the first usual one whose lua.h says so; that of 5.5 tells its
# version in parts. LuaJIT's are passed over: a module built against PUC 5.1 loads in LuaJIT, but not the reverse.
find_incdir = $(or $(LUA_INCDIR_$(subst .,_,$(1))),$(shell \
	for dir in build/hosts/include/lua$(1) /usr/include/lua$(1) /usr/include/lua$(subst .,,$(1)) /usr/include/lua-$(1) \
		/usr/local/include/lua$(1) /usr/local/include/lua$(subst .,,$(1)) /opt/homebrew/include/lua$(1) \
		/opt/homebrew/opt/lua@$(1)/include/lua$(1) \
		`pkg-config --variable=includedir lua$(1) 2>/dev/null` /usr/local/include /usr/include; do \
		if grep -qs -e 'define[[:space:]]*LUA_VERSION_NUM[[:space:]]*$(subst .,0,$(1))' \
			-e 'define[[:space:]]*LUA_VERSION_MINOR_N[[:space:]]*$(patsubst 5.%,%,$(1))' $$dir/lua.h \
			&& ! test -f $$dir/luajit.h; then echo $$dir; break; fi; done))
$(foreach v,5.5 5.4 5.3 5.2 5.1,$(eval incdir_$(v) := $(call find_incdir,$(v))))
luas := $(foreach v,5.5 5.4 5.3 5.2 5.1,$(if $(incdir_$(v)),$(v)))

ifeq ($(incdir_5.4),)
build/5.4/abridge/core.so:
	@echo "abridge: no headers of Lua 5.4 found: run 'make setup' or set LUA_INCDIR_5_4" >&2; exit 1
endif
