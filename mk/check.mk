# What is looked at before a change goes in: linters, compilers with -Werror, and the checks of the other files.

all_src := $(wildcard csrc/*/*.c csrc/*/*/*.c mk/dist/*.c spec/c/*.c spec/faults/*.c spec/fuzz/*.c examples/*.c bench/*.c bench/check/*.c)
all_c := $(all_src) mk/one/main.c $(wildcard csrc/*.h csrc/*/*.h csrc/*/*/*.h spec/*/*.h bench/check/*.h)
lua_dirs := $(wildcard lua plugin spec bench examples doc)
embedding := bench/limit.c $(if $(lua_lib),spec/c/lua_memory.c spec/c/lua_threads.c)# built with Lua 5.4
plain_src := $(filter-out $(binding) bench/limit.c spec/c/lua_% $(if $(shim),,spec/faults/% mk/dist/%),$(all_src))

lints := lint-lua lint-stylua lint-names lint-format lint-gcc lint-clang lint-macos lint-bsd lint-tidy lint-cppcheck

.PHONY: names doc check lint check-tools check-suite check-cases objects check-arm64 check-fuzz check-memory $(lints)

names: build/5.4/abridge/core.so ## write doc/names.txt, every public name with its signature, from the sources
	@LUA_PATH="doc/?.lua;lua/?.lua;lua/?/init.lua;;" LUA_CPATH="build/5.4/?.so;;" $(LUA) doc/names.lua > doc/names.txt~ || \
		{ rm -f doc/names.txt~; exit 1; }
	@mv doc/names.txt~ doc/names.txt

doc: ## write tables and signatures into doc/lua.md, from it and doc/neovim.md the help of Neovim, and the man page
	@LUA_PATH="doc/?.lua;lua/?.lua;lua/?/init.lua;;" LUA_CPATH="build/5.4/?.so;;" $(LUA) doc/reference.lua
	@cat doc/neovim.md doc/lua.md | LUA_PATH="doc/?.lua;;" $(LUA) doc/help.lua > doc/abridge.txt~ || { rm -f doc/abridge.txt~; exit 1; }
	@mv doc/abridge.txt~ doc/abridge.txt

# Two parts at a time, what takes longest first, what each prints kept together. CASES_TRIED=1: the suite
# has run with ALL_CASES=1.
longest := $(if $(CASES_TRIED),,check-cases) msan check-fuzz test-windows lint-tidy check-memory bench-check
check: check-tools ## lint, tests that want more tools, msan, tsan, bench-check, other systems, each fuzzer for 20 seconds
	@$(MAKE) --no-print-directory $(call parallel,2) --output-sync=recurse --keep-going \
		$(longest) check-portable check-suite check-arm64 test-amalgamation check-x87 tsan $(filter-out $(longest),$(lints))

check-tools:
	@.ci/setup.sh check

# The tests with the tag #check.
check-suite: build
	@HOST=check spec/run_suite.sh

# All cases of each property.
check-cases: build
	@ABRIDGE_CASES=1 HOST=lua5.4 SPEC="$$(grep -rl --include='*_spec.lua' 'require "support.random"' spec | sort | xargs)" \
		spec/run_suite.sh

check-arm64:
	@$(MAKE) --no-print-directory test-arm64 C_TESTS="kernels scan"

check-fuzz: fuzz-build
	@CC="$(CC)" LUA="$(strip $(LUA))" spec/fuzz/run.sh check

# Every family with budgets up to 1 MiB, each allocation of a call from Lua, and every text of the small world.
memory_tests := memory lua_memory small_world
check-memory: $(memory_tests:%=build/test/plain/test_%)
	@for test in $(memory_tests); do echo "== $$test" && ABRIDGE_CASES=10 build/test/plain/test_$$test || exit 1; done

lint: $(lints) ## luacheck, StyLua, names that clash, clang-format, clang-tidy, cppcheck, gcc and clang -Werror, macOS, BSD

lint-lua:
	@luacheck --quiet --no-cache $(lua_dirs) mk/amalgamation.lua mk/compile.lua lua/abridge/bin/abridge .busted .luacheckrc

lint-stylua:
	@node mk/stylua.cjs $(lua_dirs) mk

lint-format:
	@clang-format --dry-run --Werror $(all_c)
	@echo "clang-format: nothing to change"

lint-gcc: optimized := -O2
lint-clang: optimized := -O0# what it warns of, it sees before it optimizes
lint-gcc lint-clang: lint-%:
	@$(MAKE) --no-print-directory objects QUIET=1 CC=$* OBJ=build/obj/lint/$* CFLAGS="$(optimized) -Werror"
	@echo "$*: no warnings"

objects: $(plain_src:%.c=$(OBJ)/c/%.o) $(call binding_for,nvim) \
	$(foreach v,$(luas),$(call binding_for,$(v))) $(if $(filter 5.4,$(luas)),$(embedding:%.c=$(OBJ)/5.4/%.o))

# The analyzer looks at a third of the states of a function that it would by itself, in a third of the time.
lint-tidy:
	@mkdir -p build/obj/lint
	@printf '%s\n' $(core_src) $(binding) | \
		xargs -P 4 -I SRC clang-tidy --quiet SRC -- -std=c11 -Icsrc -isystem $(incdir_5.4) \
		-Xclang -analyzer-config -Xclang max-nodes=75000 2> build/obj/lint/tidy.log || { grep -v 'warnings* generated' build/obj/lint/tidy.log >&2; exit 1; }
	@echo "clang-tidy: no warnings"

# It reads each source once more for each macro that a header asks for; those of attributes and pragmas alone give it
# the code that it has checked already. One of csrc/line/char_set.h, at full length, takes it six minutes.
no_code := __clang__ __i386__ __BYTE_ORDER__ __FP_FAST_FMAF __STRICT_ANSI__ ABR_HIDDEN
lint-cppcheck:
	@cppcheck --quiet --max-configs=12 --error-exitcode=1 --std=c11 --enable=warning,performance,portability --inline-suppr \
		--suppress=missingIncludeSystem $(no_code:%=-U%) '-DABR_EACH(literal,bit)=1' -Icsrc $(core_src) $(binding)
	@echo "cppcheck: no warnings"
