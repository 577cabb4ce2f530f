# The core as one file, for programs that drop it in: abridge.c, with abridge.h.

.PHONY: amalgamation amalgamation-object lint-names test-amalgamation bench-amalgamation

amalgamation: $(amalgam_c) ## make build/amalgamation/abridge.c and abridge.h, the core as one file for any compiler

$(amalgam_c): mk/amalgamation.lua LICENSE $(core_src) $(wildcard csrc/*.h csrc/*/*.h csrc/*/*/*.h csrc/*/*.def csrc/*/*/*.def)
	@mkdir -p $(@D)
	$(call say,join)
	$(Q)$(LUA) mk/amalgamation.lua $(@D) $(version) $(core_src)

# In one file no two sources may define one name. Warnings that want optimizing are asked of gcc; the sets of
# instructions of 64-bit ARM and the functions of Windows where this machine has a compiler for them.
amalgam_warnings := -Wall -Wextra -Werror
$(OBJ)/c/$(amalgam_c:.c=.o): WARNINGS := -Wall -Wextra# a local may have the name of another source's type
lint-names: $(amalgam_c) amalgamation-object
	@for std in c11 c17 c2x gnu11; do for cc in gcc clang; do $$cc -std=$$std $(amalgam_warnings) -fsyntax-only $< || exit 1; done; done
	@for cc in $(arm64_cc) $(windows_prefix)gcc; do \
		if command -v $$cc > /dev/null; then $$cc $(amalgam_warnings) -fsyntax-only $< || exit 1; fi; done
	@echo "amalgamation: no warnings"

amalgam_make = $(MAKE) --no-print-directory OBJ=build/obj/amalgamation JOINED=1 WARNINGS="$(amalgam_warnings)"
amalgamation-object: $(amalgam_c)
	@$(amalgam_make) CC=gcc build/obj/amalgamation/c/$(amalgam_c:.c=.o)

test-amalgamation: amalgamation-object build/test/plain/digests ## run the C tests on the amalgamation, and compare 3,000 cuts with the library's
	@$(amalgam_make) $(call parallel,2) c-tests build/test/amalgamation/digests BIN=build/test/amalgamation lua_test_bin=
	@HOST=c spec/run_suite.sh build/test/amalgamation
	@for b in plain amalgamation; do build/test/$$b/digests 3000 > build/test/$$b/digests.txt || exit 1; done
	@cmp build/test/plain/digests.txt build/test/amalgamation/digests.txt
	@echo "amalgamation: 3,000 cuts as the library's"

bench-amalgamation: amalgamation-object build/libabridge.a ## fail where calls of a fixed set take 3 % more instructions in the amalgamation than in the library
	@CC="$(CC)" AMALGAMATION=build/obj/amalgamation/c/$(amalgam_c:.c=.o) bench/check/compare.sh
