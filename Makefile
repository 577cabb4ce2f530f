# abridge: `make help` lists the targets. Those of installing, tests, checks and so on are in mk/*.mk.
#
#   make test HOST=luajit SPEC=spec/core/cut_spec.lua   one host (of those in spec/run_suite.sh), some spec files
#   make test HOST=c C_TESTS="reading cut"              some tests in C
#   make V=1                                            the commands whole
.DEFAULT_GOAL := build
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

# As many jobs as processors, unless the caller said how many.
parallel = $(if $(findstring --jobserver,$(MAKEFLAGS)),,-j$(or $(1),$(processors)))
# _NPROCESSORS_ONLN on Linux and macOS, without the first letter on the BSDs
processors = $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || getconf NPROCESSORS_ONLN 2>/dev/null || echo 1)

ifneq ($(filter setup,$(MAKECMDGOALS)),)

# Headers are looked for while a makefile is read, too early for what setup installs: in `make setup test`
# the goals after setup get a make of their own.
goals := $(filter-out setup,$(MAKECMDGOALS))
.NOTPARALLEL:
.PHONY: setup $(goals)
setup:
	@.ci/setup.sh
$(goals): setup
	+@$(MAKE) --no-print-directory $(parallel) $@

else

# ------------------------------------------------------------------ what is built, with what

LUA ?= lua5.4 # runs the demo, the benchmark and build/bin/abridge
CFLAGS ?= -O2
WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla
FLAGS = -std=c11 $(CFLAGS) $(CPPFLAGS) -fPIC -fvisibility=hidden $(WARNINGS) -Icsrc -MMD -MP
OBJ := build/obj# the variants (sanitizers, linters) build in folders of their own
BIN := build/test/plain
Q := $(if $(V),,@)
say = @$(if $(V)$(QUIET),:,echo "  $(1) $(if $(2),$(2),$@)")

ifeq ($(shell uname -s),Darwin)
module_ldflags = -bundle -undefined dynamic_lookup -Wl,-exported_symbol,_luaopen_abridge_core
lib_ldflags = -dynamiclib -install_name @rpath/$(soname)
else
# Only luaopen_abridge_core leaves the module: a program that also links libabridge keeps its own.
module_ldflags = -shared -Wl,--exclude-libs,ALL
lib_ldflags = -shared -Wl,-soname,$(soname)
endif

ifneq ($(MAKECMDGOALS),nvim)# which wants no headers of Lua
include $(wildcard mk/headers.mk)
endif
binding := $(wildcard csrc/lua/*.c)
core_src := $(filter-out $(binding),$(wildcard csrc/*/*.c csrc/*/*/*.c))
amalgam_c := build/amalgamation/abridge.c
# JOINED=1 compiles the core as that one file: half the work, where all of it is to be compiled.
core_obj = $(if $(JOINED),$(OBJ)/c/$(amalgam_c:.c=.o),$(core_src:%.c=$(OBJ)/c/%.o))
binding_for = $(binding:%.c=$(OBJ)/$(1)/%.o)# its objects for a Lua, or for Neovim

# ------------------------------------------------------------------ what people call

parts := $(filter-out mk/headers.mk,$(wildcard mk/*.mk))
fuzz_src := $(wildcard spec/fuzz/fuzz_*.c)

.PHONY: help setup build nvim lib demo agent test rock clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "%-18s %s\n", $$1, $$2 }' Makefile $(parts)

setup: ## install what building, the demo and the suite need (Debian packages)

build: $(luas:%=build/%/abridge/core.so) build/5.4/abridge/core.so build/bin/abridge ## build the module for every Lua found, and the command

nvim: lua/abridge/core.so ## build the module for Neovim where it finds it; wants a C compiler alone, no Lua

lib: build/libabridge.a build/libabridge.so build/include/abridge.h ## build the C library alone, static and shared

demo: build ## see what a model would see of a listing, a log, a diff, JSON and a big file
	@$(with_paths) $(LUA) examples/demo.lua

agent: build ## see an agent mend a failing project, with a scripted model, and what that saves
	@$(with_paths) $(LUA) spec/support/agent_scene.lua

test: test-tools ## run the C tests under sanitizers and the suite on every host
	@HOST="$(HOST)" SPEC="$(SPEC)" C_TESTS="$(C_TESTS)" spec/run_suite.sh build/test/asan

rock: ## pack the release for luarocks into build/rock
	@spec/support/rock.sh build/rock $(or $(LUA_VERSION),5.4) rockspec/abridge-$(version)-1.rockspec

clean: ## remove build/ and lua/abridge/core.so
	rm -rf build lua/abridge/core.so

with_paths = LUA_PATH="lua/?.lua;lua/?/init.lua;spec/?.lua;;" LUA_CPATH="build/5.4/?.so;;"
version = $(shell sed -n 's/^.define ABR_VERSION "\(.*\)"/\1/p' csrc/abridge.h)

# ------------------------------------------------------------------ how it is built

# $(call compile,FOLDER,FLAGS): how the objects in that folder of $(OBJ) are made, each below the path of its source.
define compile
$(OBJ)/$(1)/%.o: %.c Makefile
	@mkdir -p $$(@D)
	$$(call say,cc,$$<$(if $(filter-out c,$(1)), for $(patsubst 5.%,Lua 5.%,$(1))))
	$$(Q)$$(CC) $$(FLAGS) $(2) -c -o $$@ $$<
endef
$(eval $(call compile,c))
$(eval $(call compile,nvim,-DABR_LUA51))
$(foreach v,$(luas),$(eval $(call compile,$(v),-isystem $(incdir_$(v)))))

# $(call link,FLAGS,LIBRARIES,FILE): a program, module or library of all that it depends on.
define link
	@mkdir -p $(@D)
	$(call say,link)
	$(Q)$(CC) $(1) $(CFLAGS) $(LDFLAGS) -o $(or $(3),$@) $^ $(2)
endef

$(foreach v,$(luas),$(eval build/$(v)/abridge/core.so: $(call binding_for,$(v)) build/libabridge.a))
$(luas:%=build/%/abridge/core.so):
	$(call link,$(module_ldflags))

# Plugin managers show what is printed: a line when it is done, and what a compiler says without being asked.
# It is renamed into its place: a Neovim that runs this may have the one before mapped.
lua/abridge/core.so: QUIET := 1
lua/abridge/core.so: WARNINGS := -Werror=implicit-function-declaration
lua/abridge/core.so: $(call binding_for,nvim) build/libabridge.a
	$(call link,$(module_ldflags),,$(<D)/core.so)
	$(Q)mv -f $(<D)/core.so $@
	@echo "abridge: built $@"

build/libabridge.a: $(core_obj)
	$(call say,ar)
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

build/libabridge.so: $(core_obj)
	$(call link,$(lib_ldflags))

build/include/abridge.h: csrc/abridge.h
	@mkdir -p $(@D)
	$(Q)cp $< $@

# The launcher stays where it is and finds lua/ and build/ from there; this only starts it, through symlinks too.
build/bin/abridge: mk/launcher.sh Makefile
	@mkdir -p $(@D)
	@sed 's|@LUA@|$(strip $(LUA))|' $< > $@
	@chmod +x $@

include $(parts)
-include $(wildcard $(OBJ)/*/*/*.d $(OBJ)/*/*/*/*.d $(OBJ)/*/*/*/*/*.d)

endif
