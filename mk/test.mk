# The tests in C, and what the suite preloads.

test_src := $(wildcard spec/c/test_*.c)
test_bin = $(test_src:spec/c/%.c=$(BIN)/%)
replay_bin = $(fuzz_src:spec/fuzz/%.c=$(BIN)/test_%)# the fuzzers' corpora as plain tests
sanitizers := -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all

# Tests that embed Lua 5.4, with the library that its headers belong to.
lua_lib := $(if $(incdir_5.4),$(or $(shell pkg-config --libs lua5.4 2>/dev/null),-llua5.4))
lua_test_bin = $(if $(lua_lib),$(if $(filter Darwin,$(shell uname -s)),,$(BIN)/test_lua_memory))

# Faults are injected by what only Linux preloads.
shim := $(if $(filter Linux,$(shell uname -s)),build/test/shim.so)

.PHONY: test-tools c-tests msan tsan

# What `make test` builds for the hosts it was asked for: for one of them its own core and two that specs load besides.
test_luas = $(sort 5.1 5.4 $(patsubst lua%,%,$(filter lua5.%,$(HOST))))
test: $(if $(HOST),$(if $(filter-out c,$(HOST)),lib build/bin/abridge \
	$(patsubst %,build/%/abridge/core.so,$(filter $(luas) 5.4,$(test_luas)))),build lib)

# What it needs beside the build.
test-tools: $(shim)
	@$(if $(SPEC),,$(if $(filter c,$(or $(HOST),c)),$(MAKE) --no-print-directory $(parallel) c-tests OBJ=build/obj/asan \
		BIN=build/test/asan CFLAGS="-O1 $(sanitizers)"))

msan: ## MemorySanitizer on the C tests
	@$(MAKE) --no-print-directory c-tests CC=clang OBJ=build/obj/msan BIN=build/test/msan lua_test_bin= \
		CFLAGS="-O1 -g -fno-omit-frame-pointer -fsanitize=memory -fno-sanitize-recover=all"
	@HOST=c spec/run_suite.sh build/test/msan

tsan: ## ThreadSanitizer on two Lua states in two threads
	@$(MAKE) --no-print-directory build/test/tsan/lua_threads OBJ=build/obj/tsan BIN=build/test/tsan \
		CFLAGS="-O1 -g -fsanitize=thread"
	@echo "== tsan" && build/test/tsan/lua_threads

.SECONDARY:
c-tests: $(or $(C_TESTS:%=$(BIN)/test_%),$(test_bin) $(lua_test_bin) $(replay_bin))

$(test_bin): $(BIN)/%: $(OBJ)/c/spec/c/%.o $(core_obj)
	$(call link)

$(BIN)/digests: $(OBJ)/c/spec/c/digests.o $(core_obj)
	$(call link)

$(replay_bin): $(BIN)/test_%: $(OBJ)/c/spec/fuzz/%.o $(OBJ)/c/spec/fuzz/replay.o $(core_obj)
	$(call link)

comma := ,
wrapped := malloc realloc free read pread
$(BIN)/test_lua_memory: $(OBJ)/5.4/spec/c/lua_memory.o $(call binding_for,5.4) $(core_obj)
	$(call link,$(wrapped:%=-Wl$(comma)--wrap=%),$(lua_lib))

$(BIN)/lua_threads: $(OBJ)/5.4/spec/c/lua_threads.o $(call binding_for,5.4) $(core_obj)
	$(call link,,$(lua_lib) -lpthread)

build/test/shim.so: $(OBJ)/c/spec/faults/shim.o
	$(call link,-shared,-ldl)

$(OBJ)/c/spec/faults/shim.o: FLAGS += -fvisibility=default

# What the rows of csrc/line/*.def change in spec/data and in the files below RULES_CORPUS.
.PHONY: rules
rules: $(BIN)/rules ## how many lines each word, phrase and stem changes, with those below RULES_CORPUS=FOLDER; RULE=word shows them
	@{ cut -f 2- spec/data/*.tsv; $(if $(RULES_CORPUS),find $(RULES_CORPUS) -type f -exec zcat -f {} + 2>/dev/null;) } | \
		$(BIN)/rules $(if $(RULE),"$(RULE)")

$(BIN)/rules: $(OBJ)/c/spec/c/rules.o $(core_obj)
	$(call link)
