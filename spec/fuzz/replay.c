/* Gives the files of spec/fuzz/corpus/TARGET to a fuzz target as a plain test; the program is named test_fuzz_TARGET. */
#include <dirent.h>

#include "input.h"

enum { INPUT_MOST = 64 * 1024 };

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
    fprintf(stderr, "%s\r", path); /* the one that breaks a rule is the last one named */
    LLVMFuzzerTestOneInput(exact, n);
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
