# abridge: `make help` lists the targets.
#
#   make test HOST=luajit SPEC=spec/core/cut_spec.lua   one host (c, lua5.5 ... lua5.1, luajit, nvim0.12 ...), some spec files
#   make LUA_INCDIR_5_4=/opt/lua/include           headers of a Lua that is not found by itself
.DEFAULT_GOAL := build
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

ifneq ($(filter setup,$(MAKECMDGOALS)),)

# Headers are looked for while a makefile is read, too early for what setup installs: in `make setup test`
# the goals after setup get a make of their own.
goals := $(filter-out setup,$(MAKECMDGOALS))
.NOTPARALLEL:
.PHONY: setup $(goals)
setup:
	@.ci/setup.sh
$(goals): setup
	+@$(MAKE) --no-print-directory $@

else

# ------------------------------------------------------------------ what is built, with what

tokenizer_version := 3.4.0# of gpt-tokenizer, for bench-tokens alone
pi_version := 0.73.1# of @mariozechner/pi-coding-agent, for bench alone
NPM ?= npm
LUA ?= lua5.4 # runs the demo, the benchmark and build/bin/abridge
CFLAGS ?= -O2
WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla
FLAGS = -std=c11 $(CFLAGS) -fPIC -fvisibility=hidden $(WARNINGS) -Icsrc -MMD -MP

# `make V=1` shows the commands whole.
Q := $(if $(V),,@)
say = @$(if $(V)$(QUIET),:,echo "  $(1) $(if $(2),$(2),$@)")

OBJ := build/obj# the variants (sanitizers, linters) build in folders of their own
BIN := build/test/plain

arm64_cc := aarch64-linux-gnu-gcc

ifeq ($(shell uname -s),Darwin)
module_ldflags = -bundle -undefined dynamic_lookup -Wl,-exported_symbol,_luaopen_abridge_core
lib_ldflags = -dynamiclib -install_name @rpath/libabridge.so
else
# Only luaopen_abridge_core leaves the module: a program that also links libabridge keeps its own.
module_ldflags = -shared -Wl,--exclude-libs,ALL
lib_ldflags = -shared -Wl,-soname,libabridge.so
endif

binding := $(wildcard csrc/lua/*.c)
core_src := $(filter-out $(binding),$(wildcard csrc/*/*.c))
test_src := $(wildcard spec/c/test_*.c)
example_src := $(wildcard examples/*.c)
bench_src := $(filter-out bench/limit.c,$(wildcard bench/*.c bench/check/*.c))
fuzz_src := $(wildcard spec/fuzz/*.c)
all_c := $(wildcard csrc/*.h csrc/*/*.[ch] spec/c/*.[ch] spec/faults/*.[ch] spec/fuzz/*.[ch] examples/*.[ch] bench/*.[ch] \
	bench/check/*.[ch])
lua_dirs := $(wildcard lua plugin spec bench examples doc)

core_obj = $(core_src:csrc/%.c=$(OBJ)/core/%.o)
test_obj = $(test_src:spec/c/%.c=$(OBJ)/test/%.o)
test_bin = $(test_src:spec/c/%.c=$(BIN)/%) $(lua_test_bin)
example_obj = $(example_src:examples/%.c=$(OBJ)/examples/%.o)
limit_obj = $(if $(incdir_5.4),$(OBJ)/bench/limit.o)
bench_obj = $(bench_src:bench/%.c=$(OBJ)/bench/%.o) $(limit_obj)
fuzz_obj = $(fuzz_src:spec/fuzz/%.c=$(OBJ)/fuzz/%.o)
fuzz_bin = $(patsubst spec/fuzz/%.c,build/fuzz/%,$(filter spec/fuzz/fuzz_%,$(fuzz_src)))
replay_bin = $(fuzz_bin:build/fuzz/%=$(BIN)/test_%)# the targets' corpora as plain tests

# The folder of the headers of Lua $(1): as told, else the first usual one whose lua.h says so. LuaJIT's
# headers are passed over: a module built against PUC 5.1 loads in LuaJIT, the reverse does not hold. Those of 5.5 tell
# the version in its parts.
find_incdir = $(or $(LUA_INCDIR_$(subst .,_,$(1))),$(shell \
	for dir in build/hosts/include/lua$(1) /usr/include/lua$(1) /usr/include/lua$(subst .,,$(1)) /usr/include/lua-$(1) \
		/usr/local/include/lua$(1) /usr/local/include/lua$(subst .,,$(1)) /opt/homebrew/include/lua$(1) \
		`pkg-config --variable=includedir lua$(1) 2>/dev/null` /usr/local/include /usr/include; do \
		if grep -qs -e 'define[[:space:]]*LUA_VERSION_NUM[[:space:]]*$(subst .,0,$(1))' \
			-e 'define[[:space:]]*LUA_VERSION_MINOR_N[[:space:]]*$(patsubst 5.%,%,$(1))' $$dir/lua.h \
			&& ! test -f $$dir/luajit.h; then echo $$dir; break; fi; done))
ifneq ($(MAKECMDGOALS),nvim)# which wants none
incdir_5.5 := $(call find_incdir,5.5)
incdir_5.4 := $(call find_incdir,5.4)
incdir_5.3 := $(call find_incdir,5.3)
incdir_5.2 := $(call find_incdir,5.2)
incdir_5.1 := $(call find_incdir,5.1)
endif
luas := $(foreach v,5.5 5.4 5.3 5.2 5.1,$(if $(incdir_$(v)),$(v)))
binding_for = $(binding:csrc/%.c=$(OBJ)/$(1)/%.o)# its objects for a Lua
binding_obj = $(foreach lua,$(luas),$(call binding_for,$(lua)))
nvim_obj = $(call binding_for,nvim)

# Tests that embed Lua 5.4, with the library that its headers belong to.
lua_lib := $(if $(incdir_5.4),$(or $(shell pkg-config --libs lua5.4 2>/dev/null),-llua5.4))
lua_test_obj = $(if $(lua_lib),$(OBJ)/test/lua_memory.o $(OBJ)/test/lua_threads.o)
lua_test_bin = $(if $(lua_lib),$(if $(filter Darwin,$(shell uname -s)),,$(BIN)/test_lua_memory))

# Faults are injected by what only Linux preloads.
shim := $(if $(filter Linux,$(shell uname -s)),build/test/shim.so)
shim_obj = $(if $(shim),$(OBJ)/faults/shim.o)

# ------------------------------------------------------------------ for everyone

.PHONY: help setup build lib demo agent test test-arm64 check lint memcheck tsan fuzz fuzz-api bench bench-check \
	bench-pause bench-tokens score soak rock clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "%-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

setup: ## install what building and testing need (Debian packages)

build: $(luas:%=build/%/abridge/core.so) build/5.4/abridge/core.so build/bin/abridge ## build the module for every Lua found, and the command

.PHONY: nvim
nvim: lua/abridge/core.so ## build the module for Neovim where it finds it; wants a C compiler alone, no Lua

lib: build/libabridge.a build/libabridge.so build/include/abridge.h ## build the C library alone, static and shared

demo: build ## see what a model would see of a noisy command and of a big file
	@$(with_paths) $(LUA) examples/demo.lua

.PHONY: doc
doc: ## write doc/abridge.txt, the help of Neovim, from doc/lua.md
	@LUA_PATH="doc/?.lua;;" $(LUA) doc/help.lua < doc/lua.md > doc/abridge.txt~ || { rm -f doc/abridge.txt~; exit 1; }
	@mv doc/abridge.txt~ doc/abridge.txt

agent: build ## see an agent mend a failing project, with a scripted model, and what that saves
	@$(with_paths) $(LUA) spec/support/agent_scene.lua

test: build lib $(shim) ## run the C tests under sanitizers and the suite on every host
	@$(if $(SPEC),,$(if $(filter c,$(or $(HOST),c)),$(MAKE) --no-print-directory c-tests OBJ=build/obj/asan \
		BIN=build/test/asan CFLAGS="-O1 $(sanitizers)"))
	@HOST="$(HOST)" SPEC="$(SPEC)" spec/run_suite.sh build/test/asan

# On any machine, by a cross compiler and an emulator; the binding is compiled, not run. What Debian's lua.h wants from
# beside the libraries of this machine is the path of these, of no use here.
test-arm64: ## build for 64-bit ARM and run the C tests under qemu; C_TESTS="kernels scan" runs these alone
	@for tool in $(arm64_cc) qemu-aarch64; do command -v $$tool > /dev/null || { \
		echo "test-arm64: no $$tool here: install gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user" >&2; exit 1; }; done
	@$(MAKE) --no-print-directory objects c-tests CC=$(arm64_cc) OBJ=build/obj/arm64 BIN=build/test/arm64 \
		CFLAGS="-O2 -Werror -idirafter /usr/include/$$(gcc -print-multiarch)" LDFLAGS=-static luas=5.1 lua_lib=
	@EMULATOR=qemu-aarch64 HOST=c C_TESTS="$(C_TESTS)" spec/run_suite.sh build/test/arm64

check: lint memcheck tsan bench-check ## lint, memcheck, tsan, bench-check, the scanner on 64-bit ARM, each fuzzer for 20 seconds
	@$(MAKE) --no-print-directory test-arm64 C_TESTS="kernels scan"
	@$(MAKE) --no-print-directory fuzz SECONDS=20

lint: lint-lua lint-format lint-gcc lint-clang lint-macos lint-tidy lint-cppcheck ## luacheck, clang-format, clang-tidy, cppcheck, gcc and clang -Werror, macOS

memcheck: ## valgrind on the C tests
	@$(MAKE) --no-print-directory c-tests OBJ=build/obj/plain BIN=build/test/plain CFLAGS="-O1 -g" lua_test_bin=
	@VALGRIND=1 HOST=c spec/run_suite.sh build/test/plain

fuzz: fuzz-build ## run the fuzzers, each for SECONDS=60, two at a time
	@CC="$(CC)" LUA="$(strip $(LUA))" spec/fuzz/run.sh $(or $(SECONDS),60)

# A case that the fuzzer of the Lua API printed.
fuzz-api: fuzz-build
	@ABRIDGE_SEED=$(SEED) CASE=$(CASE) CC="$(CC)" LUA="$(strip $(LUA))" spec/fuzz/run.sh 1 api

tsan: ## ThreadSanitizer on two Lua states in two threads
	@$(MAKE) --no-print-directory build/test/tsan/lua_threads OBJ=build/obj/tsan BIN=build/test/tsan \
		CFLAGS="-O1 -g -fsanitize=thread"
	@echo "== tsan" && build/test/tsan/lua_threads

bench: build build/bench/pipe build/bench/limit.so build/bench/pi.txt ## measure ours, rivals and limits in one run, 4 minutes; BENCH="cuts pages" is a part
	@LUA_PATH="lua/?.lua;lua/?/init.lua;bench/?.lua;;" LUA_CPATH="build/5.4/?.so;build/bench/?.so;;" $(LUA) bench/run.lua $(BENCH)

# A rival. Where it cannot be had the benchmark says why and goes on; what was tried is tried again the next time.
.PHONY: build/bench/pi.txt
build/bench/pi.txt:
	@mkdir -p $(@D)
	@bench/run/pi.sh $(@D)/pi "$(NPM)" $(pi_version) > $@

bench-check: build/libabridge.a ## fail where calls of a fixed set take 5 % more instructions than before this branch
	@CC="$(CC)" bench/check/compare.sh

bench-pause: build ## measure how long our callbacks run, and Neovim's main loop stands still, while each tool does something big
	@LUA_PATH="lua/?.lua;lua/?/init.lua;spec/?.lua;;" LUA_CPATH="build/5.1/?.so;;" nvim --headless -u NONE -i NONE -n \
		--cmd 'set shada=' -c 'luafile bench/pause.lua'

# The corpus and its counts are made once; `rm -r build/tokens` has them made anew.
bench-tokens: build build/tokens/samples.tsv ## measure the token estimate against o200k_base (wants node and npm)
	@$(with_paths) $(LUA) bench/tokens.lua build/tokens

build/tokens/samples.tsv: bench/tokens.mjs
	@mkdir -p $(@D)
	@for tool in node npm; do command -v $$tool > /dev/null || { \
		echo "bench-tokens: no $$tool here: install nodejs and npm (apt-get install nodejs npm)" >&2; exit 1; }; done
	@cd $(@D) && { test -d node_modules/gpt-tokenizer || npm install --silent --no-audit --no-fund --no-save \
		gpt-tokenizer@$(tokenizer_version); } || { echo "bench-tokens: npm could not install gpt-tokenizer" >&2; exit 1; }
	@echo "  counting tokens of what this machine has"
	@node bench/tokens.mjs $(@D)

score: build ## make labelled logs with this machine's tools, score our cut and the usual ones on them
	@$(with_paths) $(LUA) bench/score.lua

soak: build ## gigabytes, on one line too, 100,000 calls, 1,000 runs, a million blocks, kills: memory flat, totals exact (SOAK=0.01: less)
	@$(with_paths) $(LUA) spec/soak/soak.lua

rock: ## pack the release for luarocks into build/rock
	@spec/support/rock.sh build/rock pack $(or $(LUA_VERSION),5.4) rockspec/abridge-$(version)-1.rockspec

clean: ## remove build/ and lua/abridge/core.so
	rm -rf build lua/abridge/core.so

with_paths = LUA_PATH="lua/?.lua;lua/?/init.lua;spec/?.lua;;" LUA_CPATH="build/5.4/?.so;;"
version = $(shell sed -n 's/^.define ABR_VERSION "\(.*\)"/\1/p' csrc/abridge.h)

# ------------------------------------------------------------------ how it is built

ifeq ($(incdir_5.4),)
build/5.4/abridge/core.so:
	@echo "abridge: no headers of Lua 5.4 found: run 'make setup' or set LUA_INCDIR_5_4" >&2; exit 1
endif

# Plugin managers show what is printed: a line when it is done, and what a compiler says without being asked.
# It is renamed into its place: a Neovim that runs this may have the one before mapped.
lua/abridge/core.so: QUIET := 1
lua/abridge/core.so: WARNINGS := -Werror=implicit-function-declaration
lua/abridge/core.so: $(nvim_obj) build/libabridge.a
	$(Q)$(CC) $(module_ldflags) $(LDFLAGS) -o $(<D)/core.so $^
	$(Q)mv -f $(<D)/core.so $@
	@echo "abridge: built $@"

build/libabridge.a: $(core_obj)
	$(call say,ar)
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

build/libabridge.so: $(core_obj)
	@mkdir -p $(@D)
	$(call say,link)
	$(Q)$(CC) $(lib_ldflags) $(LDFLAGS) -o $@ $^

build/include/abridge.h: csrc/abridge.h
	@mkdir -p $(@D)
	$(Q)cp $< $@

# The launcher stays where it is and finds lua/ and build/ from there; this only starts it, through symlinks too.
build/bin/abridge: Makefile
	@mkdir -p $(@D)
	@printf '%s\n' '#!/bin/sh' 'root=$$(dirname "$$(readlink -f "$$0")")/../..' \
		'exec $(strip $(LUA)) "$$root/lua/abridge/bin/abridge" "$$@"' > $@
	@chmod +x $@

$(OBJ)/core/%.o: csrc/%.c Makefile
	@mkdir -p $(@D)
	$(call say,cc,$<)
	$(Q)$(CC) $(FLAGS) -c -o $@ $<

define binding_rules
$(call binding_for,$(1)): $$(OBJ)/$(1)/%.o: csrc/%.c Makefile
	@mkdir -p $$(@D)
	$$(call say,cc,$$< for Lua $(1))
	$$(Q)$$(CC) $$(FLAGS) -isystem $$(incdir_$(1)) -c -o $$@ $$<

build/$(1)/abridge/core.so: $(binding:csrc/%.c=build/obj/$(1)/%.o) build/libabridge.a
	@mkdir -p $$(@D)
	$$(call say,link)
	$$(Q)$$(CC) $$(module_ldflags) $$(LDFLAGS) -o $$@ $$^
endef
$(foreach lua,$(luas),$(eval $(call binding_rules,$(lua))))

$(nvim_obj): $(OBJ)/nvim/%.o: csrc/%.c Makefile
	@mkdir -p $(@D)
	$(call say,cc,$< for Neovim)
	$(Q)$(CC) $(FLAGS) -DABR_LUA51 -c -o $@ $<

$(OBJ)/test/%.o: spec/c/%.c Makefile
	@mkdir -p $(@D)
	$(call say,cc,$<)
	$(Q)$(CC) $(FLAGS) -c -o $@ $<

$(OBJ)/faults/%.o: spec/faults/%.c Makefile
	@mkdir -p $(@D)
	$(call say,cc,$<)
	$(Q)$(CC) $(FLAGS) -fvisibility=default -c -o $@ $<

build/test/shim.so: build/obj/faults/shim.o
	@mkdir -p $(@D)
	$(call say,link)
	$(Q)$(CC) -shared $(LDFLAGS) -o $@ $^ -ldl

$(OBJ)/examples/%.o: examples/%.c Makefile
	@mkdir -p $(@D)
	$(call say,cc,$<)
	$(Q)$(CC) $(FLAGS) -c -o $@ $<

$(OBJ)/bench/%.o: bench/%.c Makefile
	@mkdir -p $(@D)
	$(call say,cc,$<)
	$(Q)$(CC) $(FLAGS) -c -o $@ $<

build/bench/limit.so: build/obj/bench/limit.o build/libabridge.a
	@mkdir -p $(@D)
	$(call say,link)
	$(Q)$(CC) $(if $(filter Darwin,$(shell uname -s)),-bundle -undefined dynamic_lookup,-shared) $(LDFLAGS) -o $@ $^

$(OBJ)/bench/limit.o: FLAGS += -isystem $(incdir_5.4)

build/bench/%: build/obj/bench/%.o build/libabridge.a
	@mkdir -p $(@D)
	$(call say,link)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

$(OBJ)/fuzz/%.o: spec/fuzz/%.c Makefile
	@mkdir -p $(@D)
	$(call say,cc,$<)
	$(Q)$(CC) $(FLAGS) -c -o $@ $<

$(replay_bin): $(BIN)/test_%: $(OBJ)/fuzz/%.o $(OBJ)/fuzz/replay.o $(core_obj)
	@mkdir -p $(@D)
	$(call say,link)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

# Narrow indexes, so that small files reach all of them; the module for Lua has sanitizers too.
sanitizers = -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
.PHONY: fuzz-build fuzz-targets fuzz-module
fuzz-build:
	@$(MAKE) --no-print-directory fuzz-targets CC=clang OBJ=build/obj/fuzz CFLAGS="-O1 $(sanitizers) \
		-fsanitize=fuzzer-no-link -DINDEX_STRIDE=16 -DINDEX_ENTRIES=8 -DINDEXED_FROM=1 \
		-DCOLUMNS_STEP=32"
	@$(MAKE) --no-print-directory fuzz-module OBJ=build/obj/asan CFLAGS="-O1 $(sanitizers)"
fuzz-targets: $(fuzz_bin)
	@:
fuzz-module: build/fuzz/lua/abridge/core.so
	@:

$(fuzz_bin): build/fuzz/%: $(OBJ)/fuzz/%.o $(core_obj)
	@mkdir -p $(@D)
	$(call say,link)
	$(Q)$(CC) -fsanitize=fuzzer,address,undefined $(LDFLAGS) -o $@ $^

build/fuzz/lua/abridge/core.so: $(call binding_for,5.4) $(core_obj)
	@mkdir -p $(@D)
	$(call say,link)
	$(Q)$(CC) $(CFLAGS) $(module_ldflags) $(LDFLAGS) -o $@ $^

$(BIN)/test_lua_memory: $(OBJ)/test/lua_memory.o $(call binding_for,5.4) $(core_obj)
	@mkdir -p $(@D)
	$(call say,link)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -Wl,--wrap=malloc,--wrap=realloc,--wrap=free,--wrap=read,--wrap=pread -o $@ $^ $(lua_lib)

$(BIN)/lua_threads: $(OBJ)/test/lua_threads.o $(call binding_for,5.4) $(core_obj)
	@mkdir -p $(@D)
	$(call say,link)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(lua_lib) -lpthread

$(lua_test_obj): FLAGS += -isystem $(incdir_5.4)

$(filter-out $(lua_test_bin),$(test_bin)): $(BIN)/%: $(OBJ)/test/%.o $(core_obj)
	@mkdir -p $(@D)
	$(call say,link)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

.PHONY: c-tests objects
.SECONDARY:
objects: $(nvim_obj)
c-tests: $(test_bin) $(replay_bin)
objects: $(core_obj) $(binding_obj) $(test_obj) $(lua_test_obj) $(fuzz_obj) $(example_obj) $(bench_obj) $(shim_obj)

-include $(wildcard $(OBJ)/*/*.d $(OBJ)/*/*/*.d $(OBJ)/*/*/*/*.d)

# ------------------------------------------------------------------ checks

.PHONY: lint-lua lint-format lint-gcc lint-clang lint-macos lint-tidy lint-cppcheck

lint-lua:
	@luacheck --quiet --no-cache $(lua_dirs) lua/abridge/bin/abridge .busted .luacheckrc

lint-format:
	@clang-format --dry-run --Werror $(all_c)
	@echo "clang-format: nothing to change"

lint-gcc lint-clang: lint-%:
	@$(MAKE) --no-print-directory objects QUIET=1 CC=$* OBJ=build/obj/lint/$* CFLAGS="-O2 -Werror"
	@echo "$*: no warnings"

# Without the headers of macOS: those of Linux, made to look like them as far as the sources go (spec/c/macos.h). For
# x86-64 they are those of this machine, for ARM those of the cross compiler.
macos_headers := -isystem $(or $(incdir_5.1),/usr/include/lua5.1) -isystem /usr/include/x86_64-linux-gnu -isystem /usr/include
lint-macos:
	@printf '%s\n' $(core_src) $(binding) | xargs -P 4 -I SRC sh -c '\
		clang --target=x86_64-apple-macos11 $(macos_headers) $(macos_flags) SRC && \
		clang --target=arm64-apple-macos11 -isystem /usr/aarch64-linux-gnu/include $(macos_headers) $(macos_flags) SRC'
	@echo "macOS: no warnings"
macos_flags = -std=c11 -Werror $(WARNINGS) -Icsrc -include spec/c/macos.h -fsyntax-only

lint-tidy:
	@mkdir -p build/obj/lint
	@printf '%s\n' $(core_src) $(binding) | \
		xargs -P 4 -I SRC clang-tidy --quiet SRC -- -std=c11 -Icsrc -isystem $(incdir_5.4) \
		2> build/obj/lint/tidy.log || { grep -v 'warnings* generated' build/obj/lint/tidy.log >&2; exit 1; }
	@echo "clang-tidy: no warnings"

lint-cppcheck:
	@cppcheck --quiet --error-exitcode=1 --std=c11 --enable=warning,performance,portability --inline-suppr \
		--suppress=missingIncludeSystem -Icsrc $(core_src) $(binding)
	@echo "cppcheck: no warnings"

endif
