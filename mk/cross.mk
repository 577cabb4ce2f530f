# Other machines: 64-bit ARM by a cross compiler and an emulator, macOS and the BSDs by their targets of clang.

arm64_cc := aarch64-linux-gnu-gcc

.PHONY: digest test-arm64 test-arm64-lua test-portable check-portable check-x87 lint-macos lint-bsd

digest: build ## print a hash of the cuts of 3,600 generated texts: the same on every system and Lua; LUA=luajit
	@LUA_PATH="lua/?.lua;lua/?/init.lua;spec/?.lua;;" \
		LUA_CPATH="build/$$($(LUA) -e 'io.write(_VERSION:sub(5))')/?.so;;" $(LUA) spec/support/digest.lua

# The binding is compiled, not run. Debian's lua.h wants a header from beside the libraries of its own machine: here from
# those of this one, where it does no harm.
test-arm64: ## build for 64-bit ARM and run the C tests under qemu; C_TESTS="kernels scan" runs these alone
	@for tool in $(arm64_cc) qemu-aarch64; do command -v $$tool > /dev/null || { \
		echo "test-arm64: no $$tool here: install gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user" >&2; exit 1; }; done
	@$(MAKE) --no-print-directory objects c-tests CC=$(arm64_cc) OBJ=build/obj/arm64 BIN=build/test/arm64 \
		CFLAGS="-O2 -Werror -idirafter /usr/include/$$(gcc -print-multiarch)" LDFLAGS=-static luas="5.4 5.1" lua_lib=
	@EMULATOR=qemu-aarch64 HOST=c C_TESTS="$(C_TESTS)" spec/run_suite.sh build/test/arm64

# Both build for Lua 5.1 too: a spec tries the core of another Lua. $(call copy_tree,FOLDER): the sources in a folder of their own, so that the command and all else that the specs start is
# of the build there.
define copy_tree
	@mkdir -p $(1) && cd $(1) && rm -rf $(filter-out build,$(wildcard *))
	@cp -Rp .busted .ci $(filter-out build,$(wildcard *)) $(1)/
endef

test-arm64-lua: ## build for 64-bit ARM and run the suite on Lua 5.4 under qemu; SPEC as in test
	@.ci/arm64.sh build/arm64-lua
	$(call copy_tree,build/arm64)
	@PATH="$(CURDIR)/build/arm64-lua/bin:$$PATH" ABRIDGE_CASES="$${ABRIDGE_CASES:-0.1}" HOST_TIMEOUT="$${HOST_TIMEOUT:-3600}" \
		$(MAKE) --no-print-directory -C build/arm64 test HOST=lua5.4 SPEC="$(SPEC)" luas="5.4 5.1" lua_lib= \
		CC=$(arm64_cc) CFLAGS="-O2 -idirafter /usr/include/$$(gcc -print-multiarch)"

# What other systems run, on Linux: built without what Linux or glibc alone has.
test-portable: ## build without what Linux alone has, and run the C tests and the suite on Lua 5.4; SPEC as in test
	$(call copy_tree,build/portable)
	@$(MAKE) --no-print-directory -C build/portable test HOST="$(or $(HOST),c lua5.4)" SPEC="$(SPEC)" luas="5.4 5.1" \
		CC="$(CC) -DABR_PORTABLE"

# Of these, what asks the system for something: little enough for each check.
portable_tests := private_file page reading stream kernels
portable_specs := spec/tools/process_spec.lua spec/tools/run_command_spec.lua spec/core/read_fd_spec.lua \
	spec/core/private_file_spec.lua spec/run/artifact_spec.lua spec/run/run_folder_spec.lua spec/hosts/cli_spec.lua
check-portable:
	$(call copy_tree,build/portable)
	@$(MAKE) --no-print-directory -C build/portable build $(portable_tests:%=build/test/plain/test_%) luas=5.4 \
		CC="$(CC) -DABR_PORTABLE" CFLAGS="-O2 -Werror"
	@cd build/portable && HOST="c lua5.4" C_TESTS="$(portable_tests)" SPEC="$(portable_specs)" \
		spec/run_suite.sh build/test/plain

# 32-bit x86 computes in the x87, which gives floats and doubles more bits, if nothing says otherwise
# (csrc/base/private.h); an x86-64 can be told to. So it can to fuse a product and a sum, as arm64 does.
rounding_x87 := -mfpmath=387
rounding_fused := -mfma
roundings = x87 $(shell grep -qsw fma /proc/cpuinfo && echo fused)
check-x87:
ifneq ($(filter x86_64 amd64,$(shell uname -m)),)
	@$(MAKE) --no-print-directory build/test/plain/digests CFLAGS=-O2
	@build/test/plain/digests 8000 > build/test/plain/roundings.txt
	@$(foreach b,$(roundings),$(MAKE) --no-print-directory build/test/$b/digests OBJ=build/obj/$b BIN=build/test/$b \
		CC=gcc CFLAGS="-O2 -std=gnu11 $(rounding_$b)" && build/test/$b/digests 8000 > build/test/$b/roundings.txt && \
		cmp build/test/plain/roundings.txt build/test/$b/roundings.txt &&) echo "$(roundings): the same cuts"
else
	@echo "x87: not on this machine"
endif

# Without the headers of those systems: those of Linux, made to look like theirs as far as the sources go
# (spec/c/elsewhere.h). For x86-64 they are those of this machine, for ARM those of the cross compiler.
elsewhere_headers := -isystem $(or $(incdir_5.1),/usr/include/lua5.1) -isystem /usr/include/x86_64-linux-gnu -isystem /usr/include
elsewhere_flags = -std=c11 -Werror $(WARNINGS) -Icsrc -include spec/c/elsewhere.h -fsyntax-only
lint-macos:
	@printf '%s\n' $(core_src) $(binding) | xargs -P 4 -I SRC sh -c '\
		clang --target=x86_64-apple-macos11 $(elsewhere_headers) $(elsewhere_flags) SRC && \
		clang --target=arm64-apple-macos11 -isystem /usr/aarch64-linux-gnu/include $(elsewhere_headers) $(elsewhere_flags) SRC'
	@echo "macOS: no warnings"

lint-bsd:
	@printf '%s\n' $(core_src) $(binding) | xargs -P 4 -I SRC \
		clang --target=x86_64-unknown-freebsd14 $(elsewhere_headers) $(elsewhere_flags) SRC
	@echo "BSD: no warnings"
