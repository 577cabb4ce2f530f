--- Programs of ours that go wrong while they run: sanitizers, valgrind, assertions, tests in TAP.

local ASAN = [[
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *keep(const char *name)
{
    char *copy = malloc(strlen(name));
    strcpy(copy, name);
    return copy;
}

int main(void)
{
    setvbuf(stdout, 0, _IOLBF, 0);
    for (int i = 1; i <= 1800; i++)
        printf("[worker %d] request %d: GET /orders/%d 200 OK\n", i % 8, i, i * 31);
    char *name = keep("customer-profile");
    printf("name %s\n", name);
    return 0;
}
]]

local UBSAN = [[
#include <limits.h>
#include <stdio.h>

static int rate(int price, int amount)
{
    return price * amount;
}

int main(void)
{
    int wrong = 0;
    setvbuf(stdout, 0, _IOLBF, 0);
    for (int i = 1; i <= 2000; i++) {
        int got = rate(i == 1100 ? INT_MAX : i, 3);
        wrong += got / 3 != i;
        printf("order %d: rated, %d lines, nothing left over\n", i, i % 7);
    }
    printf("rated 2000 orders, %d wrong\n", wrong);
    return wrong;
}
]]

local VALGRIND = [[
#include <stdio.h>
#include <stdlib.h>

struct slot { int id, *values; };

static void fill_slot(struct slot *slot, int id)
{
    slot->id = id;
    slot->values = malloc(4 * sizeof *slot->values);
    for (int i = 0; i <= (id == 333 ? 4 : 3); i++)
        slot->values[i] = id;
}

int main(void)
{
    setvbuf(stdout, 0, _IOLBF, 0);
    for (int i = 1; i <= 1500; i++) {
        struct slot slot;
        fill_slot(&slot, i);
        printf("slot %d filled and checked, no errors so far\n", slot.id);
        if (i != 600)
            free(slot.values);
    }
    return 0;
}
]]

local ASSERT = [[
#include <assert.h>
#include <stdio.h>

static int depth_of(int node) { return node == 3234 ? -1 : node % 11; }

int main(void)
{
    setvbuf(stdout, 0, _IOLBF, 0);
    for (int node = 1; node <= 4000; node++) {
        int depth = depth_of(node);
        assert(depth >= 0 && "a node has a depth");
        printf("visit node %d at depth %d\n", node, depth);
    }
    return 0;
}
]]

local CHECKS = [[
#include <stdio.h>

int main(void)
{
    int failed = 0;
    printf("1..2500\n");
    for (int i = 1; i <= 2500; i++) {
        int want = i * 3, got = i == 1577 ? want + 1 : want;
        failed += got != want;
        printf("%sok %d - error_handler_%d tells failures apart\n", got == want ? "" : "not ", i, i % 50);
        if (got != want)
            printf("# at checks.c:%d\n#   expected: %d\n#        got: %d\n", __LINE__, want, got);
    }
    printf("# %d of 2500 checks failed\n", failed);
    return failed;
}
]]

return {
  {
    name = "asan-overflow",
    tools = { "gcc" },
    family = "c-runtime",
    write = function(dir)
      dir:write("orders.c", ASAN)
    end,
    command = "gcc -g -O0 -fsanitize=address orders.c -o orders 2>/dev/null && ./orders",
    needles = {
      { "root cause", "ERROR: AddressSanitizer: heap-buffer-overflow on address" },
      { "location", like = "#%d+ 0x%x+ in keep .*orders%.c:8", pick = "first" },
      { "detail", "0 bytes to the right of 16-byte region" },
      { "summary", "SUMMARY: AddressSanitizer: heap-buffer-overflow" },
    },
  },
  {
    name = "ubsan-overflow",
    tools = { "gcc" },
    family = "c-runtime",
    write = function(dir)
      dir:write("rate.c", UBSAN)
    end,
    command = "gcc -g -O0 -fsanitize=undefined rate.c -o rate && ./rate",
    needles = {
      { "root cause", "rate.c:6:18: runtime error: signed integer overflow: 2147483647 * 3" },
      { "summary", "rated 2000 orders, 1 wrong" },
    },
    exits = 1,
  },
  {
    name = "valgrind-write",
    tools = { "gcc", "valgrind" },
    family = "c-runtime",
    write = function(dir)
      dir:write("slots.c", VALGRIND)
    end,
    command = "gcc -g -O0 slots.c -o slots && valgrind --leak-check=full --error-exitcode=9 ./slots",
    exits = 9,
    needles = {
      { "root cause", "Invalid write of size 4" },
      { "location", "fill_slot (slots.c:11)" },
      { "detail", "16 bytes in 1 blocks are definitely lost in loss record" },
      { "summary", "ERROR SUMMARY: 2 errors from 2 contexts" },
    },
  },
  {
    name = "assert-abort",
    tools = { "gcc", "sh" },
    family = "c-runtime",
    write = function(dir)
      dir:write("tree.c", ASSERT)
    end,
    command = 'gcc -g -O0 tree.c -o tree && ./tree; code=$?; echo "tree ended with $code"; exit $code',
    needles = {
      { "root cause", 'tree.c:11: main: Assertion `depth >= 0 && "a node has a depth"\' failed.' },
      { "summary", "tree ended with 134" },
    },
  },
  {
    name = "tap-in-c",
    tools = { "gcc" },
    family = "c-runtime",
    write = function(dir)
      dir:write("checks.c", CHECKS)
    end,
    command = "gcc -O0 checks.c -o checks && ./checks",
    exits = 1,
    needles = {
      { "root cause", "not ok 1577 - error_handler_27 tells failures apart" },
      { "detail", "#   expected: 4731" },
      { "detail", "#        got: 4732" },
      { "summary", "# 1 of 2500 checks failed" },
    },
  },
  {
    name = "prove-verbose",
    tools = { "prove", "gcc", "perl" },
    family = "script-test",
    write = function(dir)
      dir:write("checks.c", CHECKS)
      for i = 1, 5 do
        local lines = { "1..150" }
        for j = 1, 150 do
          lines[#lines + 1] = ("ok %d - parses header %d of part %d"):format(j, j * 7, i)
        end
        dir:write(("t/%d_parts.t"):format(i), "print <<'END';\n" .. table.concat(lines, "\n") .. "\nEND\n")
      end
      dir:write(
        "t/3_fault.t",
        [[
use Test::More;
for my $n (1 .. 400) { is($n == 301 ? 'utf8' : 'utf-8', 'utf-8', "charset of failure report $n"); }
done_testing();
]]
      )
    end,
    command = "prove -v --merge t",
    exits = 1,
    needles = {
      { "root cause", "not ok 301 - charset of failure report 301" },
      { "detail", "#          got: 'utf8'" },
      { "detail", "#     expected: 'utf-8'" },
      { "summary", like = "^  Failed test:  301" },
      { "summary", "Result: FAIL" },
    },
  },
}
