# What is released. mk/dist/dist.sh packs it, from a folder with the sources of HEAD alone, where it calls `dist-cores`.

dist_luas := 5.1 5.2 5.3 5.4 5.5
dist_machines := x86_64 aarch64
dist_cc_x86_64 := x86_64-linux-gnu-gcc
dist_cc_aarch64 := $(arm64_cc)

.PHONY: version dist dist-cores

version: ## write the version of csrc/abridge.h to the other files that have it: after a change of it there
	@sed -i.old 's/^return ".*"/return "$(version)"/' lua/abridge/base/version.lua
	@sed -i.old 's/abridge-[0-9.]*-1\.rockspec/abridge-$(version)-1.rockspec/' doc/lua.md
	@rm -f lua/abridge/base/version.lua.old doc/lua.md.old rockspec/abridge-[0-9]*.rockspec
	@awk '{ sub(/^version = "scm-1"/, "version = \"$(version)-1\""); print } \
		/^  url = / { print "  tag = \"v$(version)\"," }' \
		rockspec/abridge-scm-1.rockspec > rockspec/abridge-$(version)-1.rockspec
	@$(MAKE) --no-print-directory doc

ONE_MACHINES ?= $(or $(MACHINES),$(dist_machines))# for which the one file is built
# for which the core for Windows is built, where there is a cross compiler
WINDOWS_LUAS ?= $(if $(shell command -v $(windows_prefix)gcc),$(filter $(windows_luas),$(or $(LUAS),$(dist_luas))))
dist: $(if $(ONE_MACHINES),one-sources) ## build all that is released of HEAD into DIST=build/dist; LUAS=5.4 MACHINES=x86_64 is a part
	$(foreach v,$(filter-out 5.1 $(luas),$(or $(LUAS),$(dist_luas))),$(error no headers of Lua $(v) found: \
		run 'make setup' or set LUA_INCDIR_$(subst .,_,$(v))))
	@VERSION=$(version) LUAS="$(or $(LUAS),$(dist_luas))" MACHINES="$(or $(MACHINES),$(dist_machines))" \
		COMPLETIONS="$(shells)" WINDOWS_LUAS="$(WINDOWS_LUAS)" ONE_MACHINES="$(ONE_MACHINES)" ONE_SOURCES=$(abspath $(one_src)) \
		mk/dist/dist.sh "$(abspath $(or $(DIST),build/dist))" \
		$(foreach v,$(luas),LUA_INCDIR_$(subst .,_,$(v))=$(abspath $(incdir_$(v))))

# The cores of a machine, as build/cores/MACHINE/5.4.so. That of 5.1 is Neovim's and LuaJIT's too, and wants no headers.
# Debian's lua.h wants a header from beside the libraries of its own machine; this machine's does no harm.
DIST_CFLAGS ?= -O2
dist_flags = $(DIST_CFLAGS) -DABR_HIDDEN -DABR_OLD_GLIBC -ffile-prefix-map=$(CURDIR)=. \
	-idirafter /usr/include/$(shell gcc -print-multiarch)
dist-cores:
	@$(foreach machine,$(MACHINES),$(MAKE) --no-print-directory $(LUAS:%=build/cores/$(machine)/%.so) \
		JOINED=1 CC=$(dist_cc_$(machine)) OBJ=build/obj/$(machine) CFLAGS="$(dist_flags)" &&) :

dist_core_obj = $(core_obj) $(OBJ)/c/mk/dist/stat.o
$(foreach v,$(dist_luas),$(foreach m,$(dist_machines),$(eval build/cores/$(m)/$(v).so: \
	$(call binding_for,$(if $(filter 5.1,$(v)),nvim,$(v))))))
build/cores/%.so: $(dist_core_obj)
	$(call link,$(module_ldflags) -s -Wl$(comma)--build-id=none)
