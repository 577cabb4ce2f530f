# Windows on x86-64, by the cross compiler of mingw: the module for Lua 5.4, and that of 5.1 for LuaJIT and Neovim.

windows_prefix := x86_64-w64-mingw32-
windows_luas := 5.4 5.1
windows_dlls = $(patsubst %,build/windows/%/abridge/core.dll,$(filter $(windows_luas),$(or $(LUAS),$(windows_luas))))
windows_cflags = -O2 -Werror
windows_make = $(MAKE) --no-print-directory $(parallel) JOINED=1 CC=$(windows_prefix)gcc OBJ=build/obj/windows BIN=build/test/windows \
	CFLAGS="$(windows_cflags) -Wno-float-conversion -idirafter /usr/include/$$(gcc -print-multiarch)"
windows_ldflags := -shared -s -static-libgcc -Wl,--no-insert-timestamp

# All C tests but that of private files, which are refused there, as on_windows.c has it.
windows_tests := $(filter-out spec/c/test_private_file.c,$(wildcard spec/c/test_*.c)) spec/c/on_windows.c

.PHONY: windows windows-tools dist-windows test-windows

windows: windows-tools ## cross-compile build/windows/LUA/abridge/core.dll: Lua 5.4, and 5.1 for LuaJIT and Neovim
	+@$(windows_make) $(windows_dlls)

dist-windows: windows_cflags = $(DIST_CFLAGS) -ffile-prefix-map=$(CURDIR)=.
dist-windows: windows-tools
	+@$(windows_make) $(windows_dlls)

windows-tools:
	@command -v $(windows_prefix)gcc > /dev/null || { \
		echo "windows: no $(windows_prefix)gcc here: run .ci/setup.sh windows" >&2; exit 1; }

build/windows/5.4/abridge/core.dll: $(call binding_for,5.4) $(core_obj) build/windows/lua54.a
	$(call link,$(windows_ldflags))
build/windows/5.1/abridge/core.dll: $(call binding_for,nvim) $(core_obj) build/windows/lua51.a
	$(call link,$(windows_ldflags))

# Lua is linked by name alone: what the binding asks of the DLL that its host has loaded.
build/windows/lua54.a: $(call binding_for,5.4)
build/windows/lua51.a: $(call binding_for,nvim)
build/windows/lua%.a:
	@mkdir -p $(@D)
	$(Q){ echo "LIBRARY lua$*.dll"; echo EXPORTS; $(windows_prefix)nm -u $^ | sed -n 's/.* \(luaL\{0,1\}_[a-z]*\)$$/\1/p' | sort -u; } \
		> $(@:.a=.def)
	@mkdir -p $@.tmp # for the empty files that it leaves
	$(Q)TMPDIR=$@.tmp $(windows_prefix)dlltool -d $(@:.a=.def) -l $@
	@rm -r $@.tmp

# Lua 5.4 and LuaJIT of Debian's sources; the tests run under wine.
build/windows/lua.exe build/windows/lua54.dll: | one-sources
	@mkdir -p $(@D)
	$(Q)cd $(one_src)/lua/src && $(windows_prefix)gcc -O2 -w -DLUA_BUILD_AS_DLL -shared -s -o $(CURDIR)/build/windows/lua54.dll \
		$$(ls *.c | grep -v -e '^lua\.c$$' -e '^luac\.c$$') && $(windows_prefix)gcc -O2 -w -DLUA_BUILD_AS_DLL -s \
		-o $(CURDIR)/build/windows/lua.exe lua.c $(CURDIR)/build/windows/lua54.dll

# What was handed down to us is not for its own makefile.
luajit_src := build/windows/src/luajit/src
build/windows/luajit.exe:
	@mk/one/sources.sh build/windows/src luajit
	$(call say,make,LuaJIT for Windows)
	$(Q)env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL $(MAKE) -s -C $(luajit_src) $(parallel) HOST_CC=gcc CROSS=$(windows_prefix) \
		TARGET_SYS=Windows > build/windows/luajit.log 2>&1 || { tail build/windows/luajit.log >&2; exit 1; }
	$(Q)cp $(luajit_src)/lua51.dll $(luajit_src)/luajit.exe build/windows/

build/test/windows/on_windows: $(OBJ)/c/spec/c/on_windows.o $(core_obj)
	$(call link)

test-windows: windows build ## run the C tests, Lua 5.4 and LuaJIT with core.dll, under wine
	+@$(windows_make) $(windows_tests:spec/c/%.c=build/test/windows/%) build/windows/lua.exe
	@$(MAKE) --no-print-directory build/windows/luajit.exe
	@LUA="$(strip $(LUA))" mk/windows.sh $(notdir $(windows_tests:.c=))
