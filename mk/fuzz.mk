# The fuzzers: targets of libFuzzer for the C functions, and the Lua API with a module under sanitizers.

fuzz_bin = $(fuzz_src:spec/fuzz/%.c=build/fuzz/%)

.PHONY: fuzz fuzz-api fuzz-build fuzz-targets fuzz-module

fuzz: fuzz-build ## run the fuzzers, each for SECONDS=60, two at a time
	@CC="$(CC)" LUA="$(strip $(LUA))" spec/fuzz/run.sh $(or $(SECONDS),60)

# A case that the fuzzer of the Lua API printed.
fuzz-api: fuzz-build
	@ABRIDGE_SEED=$(SEED) CASE=$(CASE) CC="$(CC)" LUA="$(strip $(LUA))" spec/fuzz/run.sh 1 $(or $(TARGET),api)

# Buffers, windows and caps of a few bytes, so that small inputs reach the ends of all of them.
fuzz-build:
	@$(MAKE) --no-print-directory fuzz-targets CC=clang OBJ=build/obj/fuzz CFLAGS="-O1 $(sanitizers) \
		-fsanitize=fuzzer-no-link -DABR_TINY"
	@$(MAKE) --no-print-directory fuzz-module OBJ=build/obj/asan CFLAGS="-O1 $(sanitizers)"
fuzz-targets: $(fuzz_bin)
	@:
fuzz-module: build/fuzz/lua/abridge/core.so
	@:

$(fuzz_bin): build/fuzz/%: $(OBJ)/c/spec/fuzz/%.o $(core_obj)
	$(call link,-fsanitize=fuzzer)

build/fuzz/lua/abridge/core.so: $(call binding_for,5.4) $(core_obj)
	$(call link,$(module_ldflags))
