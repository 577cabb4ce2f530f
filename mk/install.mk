# The man page, `make install` and `make uninstall`.

PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib# such as /usr/lib64
# Where it goes; DESTDIR is a folder for packagers, in front of it all.
at = $(DESTDIR)$(PREFIX)/
lib_at = $(DESTDIR)$(LIBDIR)/
lua_version = $(shell $(LUA) -e 'print(_VERSION:match "%d+%.%d+")')
shells := bash:share/bash-completion/completions/abridge zsh:share/zsh/site-functions/_abridge \
	fish:share/fish/vendor_completions.d/abridge.fish

# A minor release may change layouts (doc/versions.md), so a program starts with that of its own alone.
soname = libabridge.so.$(basename $(version))
lib: build/$(soname)
build/$(soname): build/libabridge.so
	@ln -sf $(<F) $@

# Where the command looks for its core: beside itself, where LIBDIR is below PREFIX.
core_place = $(if $(filter $(PREFIX)/%,$(LIBDIR)),prefix .. "$(LIBDIR:$(PREFIX)%=%)/lua/","$(LIBDIR)/lua/")

# The modules as bytecode, for the command: reading their sources would take most of its start.
compiled = $(lib_at)lua/$(lua_version)/abridge/compiled

.PHONY: install uninstall doc/abridge.1

doc: doc/abridge.1
doc/abridge.1: build/5.4/abridge/core.so
	@$(with_paths) $(LUA) doc/man.lua > $@~ || { rm -f $@~; exit 1; }
	@mv $@~ $@

install: build lib ## copy all but what is for Neovim below PREFIX (/usr/local): command, man page, completions, modules
	$(Q)cd lua && find abridge -name '*.lua' | while read -r file; do \
		install -d "$(at)share/lua/$(lua_version)/$${file%/*}" && \
		install -m 644 "$$file" "$(at)share/lua/$(lua_version)/$$file" && \
		install -d "$(compiled)/$${file%/*}" || exit 1; done
	$(Q)umask 022 && $(LUA) mk/compile.lua "$(compiled)" "$(PREFIX)/share/lua/$(lua_version)" \
		$$(cd lua && find abridge -name '*.lua')
	$(Q)install -d $(at:%=%bin) $(lib_at)lua/$(lua_version)/abridge $(lib_at)pkgconfig $(at:%=%include) $(at:%=%share/man/man1)
	$(Q)install -m 755 build/$(lua_version)/abridge/core.so $(lib_at)lua/$(lua_version)/abridge/core.so
	$(Q)install -m 644 build/libabridge.a $(lib_at)libabridge.a
	$(Q)install -m 755 build/libabridge.so $(lib_at)libabridge.so.$(version)
	$(Q)ln -sf libabridge.so.$(version) $(lib_at)$(soname)
	$(Q)ln -sf $(soname) $(lib_at)libabridge.so
	$(Q)printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$(LIBDIR)' 'includedir=$${prefix}/include' '' 'Name: abridge' \
		'Description: decides which parts of a tool'"'"'s output a language model sees' 'Version: $(version)' \
		'Cflags: -I$${includedir}' 'Libs: -L$${libdir} -labridge' > $(lib_at)pkgconfig/abridge.pc
	$(Q)install -m 644 build/include/abridge.h $(at)include/abridge.h
	$(Q)install -m 644 doc/abridge.1 $(at)share/man/man1/abridge.1
	$(Q)sed -e '1s|.*|#!/usr/bin/env $(strip $(LUA))|' -e 's|prefix .. "/lib/lua/"|$(core_place)|' \
		-e 's|^local compiled =.*|local compiled = $(core_place) .. version .. "/abridge/compiled"|' \
		lua/abridge/bin/abridge > $(at)bin/abridge
	$(Q)chmod 755 $(at)bin/abridge
	$(Q)set -e; for shell in $(shells); do \
		install -d "$(at)$$(dirname "$${shell#*:}")"; \
		build/bin/abridge completion "$${shell%%:*}" > "$(at)$${shell#*:}"; done

uninstall: ## remove what `make install` put there, with the same PREFIX, LIBDIR, DESTDIR and LUA
	$(Q)rm -rf "$(at)share/lua/$(lua_version)/abridge" "$(lib_at)lua/$(lua_version)/abridge"
	$(Q)rm -f $(at)bin/abridge $(at)include/abridge.h $(at)share/man/man1/abridge.1 $(lib_at)pkgconfig/abridge.pc \
		$(lib_at)libabridge.a $(lib_at)libabridge.so $(lib_at)libabridge.so.[0-9]*
	$(Q)rm -f $(foreach shell,$(shells),$(at)$(lastword $(subst :, ,$(shell))))
