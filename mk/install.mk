# The man page, and `make install`.

PREFIX ?= /usr/local
# Where it goes; DESTDIR is a folder for packagers, in front of it all.
at = $(DESTDIR)$(PREFIX)/
lua_version = $(shell $(LUA) -e 'print(_VERSION:match "%d+%.%d+")')
shells := bash:share/bash-completion/completions/abridge zsh:share/zsh/site-functions/_abridge \
	fish:share/fish/vendor_completions.d/abridge.fish

.PHONY: install doc/abridge.1

doc: doc/abridge.1
doc/abridge.1: build/5.4/abridge/core.so
	@$(with_paths) $(LUA) doc/man.lua > $@~ || { rm -f $@~; exit 1; }
	@mv $@~ $@

install: build lib ## copy all but what is for Neovim below PREFIX (/usr/local): command, man page, completions, modules
	$(Q)cd lua && find abridge -name '*.lua' | while read -r file; do \
		install -d "$(at)share/lua/$(lua_version)/$${file%/*}" && \
		install -m 644 "$$file" "$(at)share/lua/$(lua_version)/$$file" || exit 1; done
	$(Q)install -d $(at:%=%bin) $(at:%=%lib/lua/$(lua_version)/abridge) $(at:%=%include) $(at:%=%share/man/man1)
	$(Q)install -m 755 build/$(lua_version)/abridge/core.so $(at)lib/lua/$(lua_version)/abridge/core.so
	$(Q)install -m 644 build/libabridge.a $(at)lib/libabridge.a
	$(Q)install -m 755 build/libabridge.so $(at)lib/libabridge.so
	$(Q)install -m 644 build/include/abridge.h $(at)include/abridge.h
	$(Q)install -m 644 doc/abridge.1 $(at)share/man/man1/abridge.1
	$(Q)sed '1s|.*|#!/usr/bin/env $(strip $(LUA))|' lua/abridge/bin/abridge > $(at)bin/abridge
	$(Q)chmod 755 $(at)bin/abridge
	$(Q)set -e; for shell in $(shells); do \
		install -d "$(at)$$(dirname "$${shell#*:}")"; \
		build/bin/abridge completion "$${shell%%:*}" > "$(at)$${shell#*:}"; done
