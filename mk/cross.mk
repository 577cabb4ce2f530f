# Other machines: 64-bit ARM by a cross compiler and an emulator, macOS and the BSDs by their targets of clang.

arm64_cc := aarch64-linux-gnu-gcc

.PHONY: test-arm64 test-portable lint-macos lint-bsd

# The binding is compiled, not run. Debian's lua.h wants a header from beside the libraries of its own machine: here from
# those of this one, where it does no harm.
test-arm64: ## build for 64-bit ARM and run the C tests under qemu; C_TESTS="kernels scan" runs these alone
	@for tool in $(arm64_cc) qemu-aarch64; do command -v $$tool > /dev/null || { \
		echo "test-arm64: no $$tool here: install gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user" >&2; exit 1; }; done
	@$(MAKE) --no-print-directory objects c-tests CC=$(arm64_cc) OBJ=build/obj/arm64 BIN=build/test/arm64 \
		CFLAGS="-O2 -Werror -idirafter /usr/include/$$(gcc -print-multiarch)" LDFLAGS=-static luas="5.4 5.1" lua_lib=
	@EMULATOR=qemu-aarch64 HOST=c C_TESTS="$(C_TESTS)" spec/run_suite.sh build/test/arm64

# What other systems run, on Linux: a copy of the tree, built without what Linux or glibc alone has, so that the command
# and all else that the specs start is that build too.
portable := build/portable
test-portable: ## build without what Linux alone has, and run the C tests and the suite on Lua 5.4; SPEC as in test
	@mkdir -p $(portable) && cd $(portable) && rm -rf $(filter-out build,$(wildcard *))
	@cp -Rp .busted .ci $(filter-out build,$(wildcard *)) $(portable)/
	@$(MAKE) --no-print-directory -C $(portable) test HOST="$(or $(HOST),c lua5.4)" SPEC="$(SPEC)" luas=5.4 \
		CC="$(CC) -DABR_PORTABLE"

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
