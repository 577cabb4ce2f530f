--- Whole failures of compilers, linkers, test runners and debuggers for C, C++ and Objective-C.

local text = require "score.text"
local each, fill = text.each, text.fill

local GTEST = [[
#include <gtest/gtest.h>
#include <vector>

static std::vector<int> spread(int total, int ways)
{
    return std::vector<int>(ways, total / ways);
}

static int sum(const std::vector<int> &parts)
{
    int total = 0;
    for (int part : parts)
        total += part;
    return total;
}

]]

local GTEST_CASE = [[
TEST(Spread$group, KeepsTheErrorBelowOneFor$i)
{
    EXPECT_EQ($i * 4, sum(spread($i * 4, 4)));
}

]]

local GTEST_FAULT = [[
TEST(Spread7, GivesTheRestToTheFirst)
{
    EXPECT_EQ(10, sum(spread(10, 4)));
    EXPECT_EQ((std::vector<int>{4, 2, 2, 2}), spread(10, 4)) << "the rest is lost";
}

]]

local SHOP = [[
#include <algorithm>
#include <map>
#include <string>
#include <vector>
struct item { std::string name; int price; };
int total_$i(const std::vector<item> &items);
int total_$i(const std::vector<item> &items)
{
    unsigned limit = $i;
    int total = 0;
    for (int n = 0; n < items.size() && n < limit; n++)
        total += items[n].price;
    return total;
}
]]

local SHOP_FAULT = [[
void order_by_price(std::vector<item> &items, std::map<std::string, item> &by_name)
{
    std::sort(by_name.begin(), by_name.end());
    items.push_back("apple");
}
]]

local SHOP_SLIP = [[
int cheapest(const std::vector<item> &items)
{
    auto found = std::min_element(items.begin(), items.end(),
                                  [](const item &a, const item &b) { return a.prize < b.price; });
    return found->price;
}
]]

local SHOP_CMAKE = [[
cmake_minimum_required(VERSION 3.10)
project(shop CXX)
set(CMAKE_CXX_FLAGS "-std=c++17 -O0 -Wall -Wextra -fno-strict-aliasing")
file(GLOB sources src/*.cpp)
add_library(shop ${sources})
]]

--- A CMake project of n files of C++, with a fault in one of them.
local function shop(dir, n, broken, fault)
  dir:write("CMakeLists.txt", SHOP_CMAKE)
  for i = 1, n do
    dir:write(("src/total_%02d.cpp"):format(i), fill(SHOP, { i = i }) .. (i == broken and fault or ""))
  end
end

local CTEST = [[
#include <stdio.h>
#include <string.h>

static int checked(const char *name)
{
    printf("reading config/%s.ini\n", name);
    printf("open(config/%s.ini): 14 keys, 0 errors\n", name);
    if (strcmp(name, "currency-061") != 0)
        return 0;
    printf("key    rounding\n");
    printf("wanted half-even\n");
    printf("have   half-up (config/%s.ini, line 9)\n", name);
    printf("3 keys later: precision 2, wanted 4\n");
    return 1;
}

int main(int argc, char **argv) { return argc > 1 ? checked(argv[1]) : 2; }
]]

local QUEUE = [[
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node { struct node *next; char name[24]; };

static struct node *add(struct node *list, int i)
{
    struct node *node = malloc(sizeof *node);
    node->next = list;
    snprintf(node->name, sizeof node->name, "job-%d", i);
    return node;
}

static void drop(struct node *node) { free(node); }

static int run(struct node *list)
{
    int done = 0;
    for (struct node *node = list; node; node = node->next) {
        printf("%s: done, status 0\n", node->name);
        if (++done == 700)
            drop(node);
    }
    return done;
}

int main(void)
{
    struct node *list = NULL;
    setvbuf(stdout, 0, _IOLBF, 0);
    for (int i = 0; i < 1200; i++)
        list = add(list, i);
    run(list);
    drop(list);
    return 0;
}
]]

local CRASH = [[
#include <stdio.h>
#include <stdlib.h>

struct leaf { int id; const char *label; };

static char first_letter(const struct leaf *leaf) { return leaf->label[0]; }

static int visit(const struct leaf *leaf, int depth)
{
    if (depth > 0)
        return visit(leaf, depth - 1);
    printf("leaf %d begins with %c\n", leaf->id, first_letter(leaf));
    return 0;
}

int main(void)
{
    setvbuf(stdout, 0, _IOLBF, 0);
    for (int i = 0; i < 1500; i++) {
        struct leaf leaf = { i, i == 1100 ? NULL : "oak" };
        visit(&leaf, i % 5);
    }
    return 0;
}
]]

local RACE = [[
#include <pthread.h>
#include <stdio.h>

static int served;

static void *serve(void *name)
{
    for (int i = 0; i < 3; i++)
        served++;
    return name;
}

int main(void)
{
    setvbuf(stdout, 0, _IOLBF, 0);
    for (int i = 0; i < 900; i++)
        printf("listener %d is ready on port %d\n", i, 20000 + i);
    pthread_t one, two;
    pthread_create(&one, NULL, serve, NULL);
    pthread_create(&two, NULL, serve, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    for (int i = 0; i < 300; i++)
        printf("listener %d is closed\n", i);
    return 0;
}
]]

local CHECK = [[
#include <check.h>
#include <stdlib.h>

static int days(int month, int leap) { return month == 2 ? 28 : 30 + (leap + month + month / 8) % 2; }

START_TEST(is_as_long_as_it_should_be)
{
    int want[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    ck_assert_int_eq(days(_i % 12 + 1, 0), want[_i % 12]);
}
END_TEST

START_TEST(february_is_longer_in_a_leap_year)
{
    ck_assert_int_eq(days(2, 1), 29);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("calendar");
    TCase *months = tcase_create("months"), *leap = tcase_create("leap years");
    tcase_add_loop_test(months, is_as_long_as_it_should_be, 0, 480);
    tcase_add_test(leap, february_is_longer_in_a_leap_year);
    suite_add_tcase(suite, leap);
    suite_add_tcase(suite, months);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_VERBOSE);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed > 0;
}
]]

local OBJC = [[
#import <Foundation/Foundation.h>

@interface Cart : NSObject
- (int)total;
@end

@implementation Cart
- (int)total { return 12; }
@end

int main(void)
{
    setvbuf(stdout, 0, _IOLBF, 0);
    for (int i = 0; i < 900; i++)
        printf("cart %d: error handler set, total %d\n", i, i * 12);
    id cart = [Cart new];
    printf("tax %d\n", (int)[cart tax]);
    return 0;
}
]]

local OBJC_UNIT = [[
#import <Foundation/Foundation.h>
@interface Unit$i : NSObject
- (int)count;
@end
@implementation Unit$i
- (int)count { NSUInteger spare = $i; return $body; }
@end
]]

return {
  {
    name = "gtest",
    language = "C++",
    tool = "googletest",
    tools = { "g++", "/usr/include/gtest/gtest.h" },
    family = "test",
    ci = "gitlab",
    write = function(dir)
      dir:write("spread_test.cc", GTEST .. each(240, function(i)
        return (i == 170 and GTEST_FAULT or "") .. fill(GTEST_CASE, { i = i, group = math.floor(i / 25) })
      end))
    end,
    command = "g++ -O0 spread_test.cc -o spread_test -lgtest -lgtest_main -lpthread && ./spread_test",
    block = { { from = "spread_test.cc:864: Failure", to = "[  FAILED  ] Spread7.GivesTheRestToTheFirst" } },
  },
  {
    name = "cmake-make",
    language = "C++",
    tool = "g++",
    tools = { "g++", "cmake", "make" },
    family = "c-build",
    ci = "travis",
    write = function(dir)
      shop(dir, 14, 6, SHOP_FAULT)
    end,
    command = "cmake -S . -B out && make -C out VERBOSE=1",
    block = { { from = "In function ‘void order_by_price(", before = "make[2]: ***" } },
  },
  {
    name = "cmake-ninja",
    language = "C++",
    tool = "ninja",
    tools = { "g++", "cmake", "ninja" },
    family = "c-build",
    ci = "github",
    write = function(dir)
      shop(dir, 12, 5, SHOP_SLIP)
    end,
    command = "cmake -G Ninja -S . -B out && ninja -C out -v -j1 -k 0",
    block = { { from = "FAILED: CMakeFiles/shop.dir/src/total_05.cpp.o", before = "[6/13] " } },
  },
  {
    name = "clang-template",
    language = "C++",
    tool = "clang++",
    tools = { "clang++" },
    family = "c-build",
    ci = "jenkins",
    write = function(dir)
      shop(dir, 24, 17, SHOP_FAULT)
    end,
    command = 'for f in src/*.cpp; do echo "CXX $f"; clang++ -std=c++17 -Wall -Wextra -c $f -o out.o || exit 1; done',
    block = { { from = "error: no matching member function for call to 'push_back'", before = "errors generated" } },
  },
  {
    name = "ctest",
    language = "C",
    tool = "ctest",
    tools = { "cc", "cmake", "make", "ctest" },
    family = "test",
    ci = "github",
    write = function(dir)
      dir:write("checked.c", CTEST)
      dir:write(
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.10)\nproject(shop C)\nenable_testing()\n"
          .. "add_executable(checked checked.c)\nforeach(n RANGE 100 260)\nstring(SUBSTRING ${n} 1 2 d)\n"
          .. "add_test(NAME config-error-${n} COMMAND checked currency-0${d})\nendforeach()\n"
      )
    end,
    command = "cmake -S . -B out && make -C out && cd out && ctest -V",
    exits = 8,
    block = { { from = "62: key ", to = "config-error-161 ." } },
  },
  {
    name = "ld-undefined",
    language = "C",
    tool = "ld",
    tools = { "gcc" },
    family = "c-build",
    ci = "gitlab",
    write = function(dir)
      dir:write(
        "build.sh",
        'set -e\nfor f in part_*.c; do echo "  CC      $f"; gcc -Wall -Wextra -c $f; done\n'
          .. "echo '  LD      shop'\ngcc part_*.o -o shop\n"
      )
      for i = 100, 160 do
        local call = (i == 122 or i == 140) and "price_of(name) + tax_of(name)" or "0"
        dir:write(
          "part_" .. i .. ".c",
          fill(
            "int price_of(const char *); int tax_of(const char *); int part_$i(const "
              .. "char *, unsigned);\nint part_$i(const char *name, unsigned n)\n{\n    int spare = n > $i;\n"
              .. "    return name ? $call : -1;\n}\n",
            { i = i, call = call }
          )
        )
      end
      dir:write("part_main.c", "int main(void) { return 0; }\n")
    end,
    command = "sh build.sh",
    block = { { from = "in function `part_122'", to = "collect2: error: ld returned 1 exit status" } },
  },
  {
    name = "asan-use-after-free",
    language = "C",
    tool = "AddressSanitizer",
    tools = { "gcc" },
    family = "c-runtime",
    ci = "travis",
    write = function(dir)
      dir:write("queue.c", QUEUE)
    end,
    command = "gcc -g -O0 -fsanitize=address queue.c -o queue && ./queue",
    block = { { from = "ERROR: AddressSanitizer: heap-use-after-free", to = "SUMMARY: AddressSanitizer" } },
  },
  {
    name = "tsan",
    language = "C",
    tool = "ThreadSanitizer",
    tools = { "gcc", "setarch" },
    family = "c-runtime",
    ci = "github",
    write = function(dir)
      dir:write("serve.c", RACE)
    end,
    command = "gcc -g -O0 -fsanitize=thread serve.c -o serve && setarch -R ./serve",
    block = { { from = "WARNING: ThreadSanitizer: data race", to = "SUMMARY: ThreadSanitizer" } },
  },
  {
    name = "glibc-abort",
    language = "C",
    tool = "glibc",
    tools = { "gcc", "bash" },
    family = "c-runtime",
    ci = "gitlab",
    write = function(dir)
      dir:write(
        "queue.c",
        (
          QUEUE:gsub("drop%(list%);", 'drop(list); puts("all jobs are done"); drop(list);')
            :gsub("if %(%+%+done == 700%)", "if (++done < 0)")
        )
      )
      dir:write(
        "run.sh",
        "gcc -O0 -Wno-use-after-free queue.c -o queue && ./queue\nstatus=$?\n"
          .. 'for i in $(seq 80); do echo "removing spool/job-$i"; done\nexit $status\n'
      )
    end,
    command = "bash run.sh",
    exits = 134,
    block = { { from = "free(): double free detected", to = "Aborted" } },
  },
  {
    name = "gdb-backtrace",
    language = "C",
    tool = "gdb",
    tools = { "gcc", "gdb" },
    family = "c-runtime",
    ci = "jenkins",
    write = function(dir)
      dir:write("leaf.c", CRASH)
    end,
    command = "gcc -g -O0 leaf.c -o leaf && gdb -batch -nx -ex 'set confirm off' -ex run -ex bt -ex 'info registers' "
      .. "-ex 'quit 3' ./leaf",
    exits = 3,
    block = { { from = "Program received signal SIGSEGV", to = " in main () at leaf.c:" } },
  },
  {
    name = "libcheck",
    language = "C",
    tool = "check",
    tools = { "gcc", "/usr/include/check.h" },
    family = "test",
    ci = "travis",
    write = function(dir)
      dir:write("calendar.c", CHECK)
    end,
    command = "gcc calendar.c -o calendar -lcheck -lsubunit -lm -lrt -lpthread && ./calendar",
    block = { { from = "calendar.c:15:F:leap years" } },
  },
  {
    name = "make-recipe",
    language = "C",
    tool = "make",
    tools = { "make", "awk", "cc" },
    family = "c-build",
    ci = "jenkins",
    write = function(dir)
      dir:write(
        "Makefile",
        "parts := $(shell seq 100 280)\nall: $(parts:%=out/%.tab) last\n"
          .. "out/%.tab: in/%.csv\n\t@mkdir -p out\n\tawk -F, -f table.awk $< > $@\n"
          .. "last:\n\t@echo all tables are made\n"
      )
      dir:write(
        "table.awk",
        'NF != 4 { printf "%s row %d: 3 of 4 columns: %s\\n", FILENAME, FNR, $0 > '
          .. '"/dev/stderr"; bad = 1 }\n{ print $2 }\nEND { exit bad }\n'
      )
      for i = 100, 280 do
        dir:write("in/" .. i .. ".csv", i == 213 and "7,oak,3\n8,elm,4,5\n9,fir\n" or "1,ash,2,3\n")
      end
    end,
    command = "make -k",
    exits = 2,
    block = { { from = "in/213.csv row 1:", to = "out/213.tab] Error 1" } },
  },
  {
    name = "objc-compile",
    language = "Objective-C",
    tool = "gcc",
    tools = { "gcc", "gnustep-config" },
    family = "c-build",
    ci = "travis",
    write = function(dir)
      for i = 10, 90 do
        local body = i == 37 and "[self cuont] + total" or "spare > 3"
        dir:write("Unit" .. i .. ".m", fill(OBJC_UNIT, { i = i, body = body }))
      end
    end,
    command = 'for f in *.m; do echo "Compiling $f"; '
      .. "gcc $(gnustep-config --objc-flags) -Wno-expansion-to-defined -c $f -o out.o || exit 1; done",
    block = { { from = "Unit37.m: In function", to = "reported only once" } },
  },
  {
    name = "objc-exception",
    language = "Objective-C",
    tool = "GNUstep",
    tools = { "gcc", "gnustep-config" },
    family = "c-runtime",
    ci = "github",
    write = function(dir)
      dir:write("cart.m", OBJC)
    end,
    command = "gcc -w -std=gnu11 $(gnustep-config --objc-flags) cart.m -o cart $(gnustep-config --base-libs) && ./cart",
    block = { { from = "Uncaught exception NSInvalidArgumentException" } },
  },
}
