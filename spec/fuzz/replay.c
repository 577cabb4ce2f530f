/* Gives the files of spec/fuzz/corpus/TARGET to a fuzz target as a plain test; the program is named test_fuzz_TARGET. An
 * input that breaks a rule, or at which a sanitizer or valgrind has something to say, is named. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <signal.h>
#include <unistd.h>

#include "input.h"

#if defined __has_include
#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#endif
#endif
#ifndef VALGRIND_COUNT_ERRORS
#define VALGRIND_COUNT_ERRORS 0
#endif

enum { INPUT_MOST = 64 * 1024 };

static char at_hand[600]; /* the line that names the input which runs; empty between inputs */

/* Sanitizers ask for these, and so end by SIGABRT too. */
const char *__asan_default_options(void) __attribute__((visibility("default")));
const char *__ubsan_default_options(void) __attribute__((visibility("default")));

const char *__asan_default_options(void)
{
    return "abort_on_error=1";
}

const char *__ubsan_default_options(void)
{
    return "abort_on_error=1";
}

static void name_input(void)
{
    if (write(STDERR_FILENO, at_hand, strlen(at_hand)) < 0)
        return;
}

static void dies(int signal_number)
{
    name_input();
    raise(signal_number);
}

/* What a sanitizer handles stays with it; SIGTERM comes when it takes too long. */
static void name_input_at_death(void)
{
    static const int deadly[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTERM};
    struct sigaction action = {.sa_handler = dies, .sa_flags = (int)SA_RESETHAND};
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++) {
        struct sigaction before;
        if (sigaction(deadly[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(deadly[i], &action, NULL);
    }
}

static void replay(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *all = need(malloc(INPUT_MOST));
    if (!file)
        exit(2);
    size_t n = fread(all, 1, INPUT_MOST, file);
    fclose(file);
    uint8_t *exact = need(malloc(n > 0 ? n : 1));
    memcpy(exact, all, n);
    free(all);
    snprintf(at_hand, sizeof at_hand, "the input was %s\n", path);
    unsigned errors = VALGRIND_COUNT_ERRORS;
    LLVMFuzzerTestOneInput(exact, n);
    if (VALGRIND_COUNT_ERRORS != errors)
        name_input();
    at_hand[0] = '\0';
    free(exact);
}

int main(int count, char **args)
{
    char path[512];
    unsigned inputs = 0;
    const char *target = count > 0 ? strstr(args[0], "test_fuzz_") : NULL;
    if (!target)
        return 2;
    target += strlen("test_fuzz_");
    snprintf(path, sizeof path, "spec/fuzz/corpus/%s", target);
    DIR *folder = opendir(path);
    if (!folder)
        return 2;
    name_input_at_death();
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "spec/fuzz/corpus/%s/%s", target, entry->d_name);
        replay(path);
        inputs++;
    }
    closedir(folder);
    fprintf(stderr, "%u inputs of %s replayed\n", inputs, target);
    printf("%u passed, %u failed\n", inputs > 0, inputs == 0);
    return inputs > 0 ? 0 : 1;
}
