/* Gives the inputs of spec/fuzz/corpus/TARGET.txt (corpus.sh says how they are written) to a fuzz target
 * as a plain test; the program is named test_fuzz_TARGET. An input that breaks a rule, or at which a
 * sanitizer complains, is named by its line. */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <unistd.h>

#include "input.h"

static char running[600]; /* names the input that runs; empty between inputs */

/* Sanitizers ask for these, and so end by SIGABRT too. */
const char *__asan_default_options(void) __attribute__((visibility("default")));
const char *__msan_default_options(void) __attribute__((visibility("default")));
const char *__ubsan_default_options(void) __attribute__((visibility("default")));

const char *__asan_default_options(void)
{
    return "abort_on_error=1";
}

const char *__msan_default_options(void)
{
    return "abort_on_error=1";
}

const char *__ubsan_default_options(void)
{
    return "abort_on_error=1";
}

static void name_input(void)
{
    if (write(STDERR_FILENO, running, strlen(running)) < 0)
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

/* Write the bytes that a line stands for to dst; returns their number. */
static size_t unescape(const char *line, uint8_t *dst)
{
    size_t n = 0;
    while (*line && *line != '\n') {
        unsigned value = (unsigned char)*line++;
        if (value == '\\') {
            char kind = *line++;
            value = kind == 'n' ? '\n' : (unsigned char)kind;
            if (kind == 'x' && sscanf(line, "%2x", &value) == 1)
                line += 2;
        }
        dst[n++] = (uint8_t)value;
    }
    return n;
}

static void replay(const char *line)
{
    uint8_t *roomy = need(malloc(strlen(line) + 1));
    size_t n = unescape(line, roomy);
    uint8_t *exact = need(malloc(n > 0 ? n : 1));
    memcpy(exact, roomy, n);
    free(roomy);
    LLVMFuzzerTestOneInput(exact, n);
    free(exact);
}

int main(int count, char **args)
{
    char path[512];
    char *line = NULL;
    size_t room = 0;
    unsigned inputs = 0;
    const char *target = count > 0 ? strstr(args[0], "test_fuzz_") : NULL;
    if (!target)
        return 2;
    target += strlen("test_fuzz_");
    snprintf(path, sizeof path, "spec/fuzz/corpus/%s.txt", target);
    FILE *corpus = fopen(path, "r");
    if (!corpus)
        return 2;
    name_input_at_death();
    for (unsigned at = 1; getline(&line, &room, corpus) >= 0; at++) {
        if (*line == '#' || *line == '\n')
            continue;
        snprintf(running, sizeof running, "the input was %s:%u\n", path, at);
        replay(line);
        running[0] = '\0';
        inputs++;
    }
    free(line);
    fclose(corpus);
    fprintf(stderr, "%u inputs of %s replayed\n", inputs, target);
    printf("%u passed, %u failed\n", inputs > 0, inputs == 0);
    return inputs > 0 ? 0 : 1;
}
