/* What one line says, read alone. */
#include "check.h"
#include "priority/command.h"
#include "priority/line_score.h"

static abr_reading read_of(const char *line)
{
    static abr_lexicon lexicon;
    static const abr_patterns none;
    abr_lexicon_open(&lexicon, 0);
    size_t n = strlen(line);
    char *copy = calloc(1, n + ABR_PADDING);
    memcpy(copy, line, n);
    abr_reading r;
    abr_read_line(&lexicon, &none, copy, n, &r);
    free(copy);
    return r;
}

static void expect_command(const char *line, abr_command want)
{
    if (!CHECK(read_of(line).command == want))
        fprintf(stderr, "%s\n", line);
}

static const char *const ends[] = {
    "Process exited with code 1",
    "make: *** [Makefile:3: all] Error 1",
    "make: *** [Makefile:3: all] Fehler 2",
    "make[2]: *** No rule to make target 'x'.  Stop.",
    "The command \"bundle exec rake\" exited with 1.",
    "##[error]Process completed with exit code 2.",
    "2026-03-01T10:00:00.1234567Z ##[error]Unable to find the package",
    "npm ERR! code ELIFECYCLE",
    "error Command failed with exit code 1.",
    "ERROR: Job failed: exit code 1",
    "Build step 'Execute shell' marked build as failure",
    "Exited with code exit status 1",
    "rake aborted!",
    "Error: Process completed with exit code 2.",
    "BUILD FAILED",
    "[INFO] BUILD FAILURE",
    "ninja: build stopped: subcommand failed.",
    "ERROR: InvocationError for command /x/bin/pytest (exited with code 1)",
    "Command exited with non-zero status 1",
    "script returned exit code 1",
    "FAILURE: Build failed with an exception.",
    "collect2: error: ld returned 1 exit status",
    "error: command 'gcc' failed with exit status 1",
    "The command '/bin/sh -c make' returned a non-zero code: 2",
    "exit status 1",
    " ELIFECYCLE  Command failed with exit code 1.",
    "** BUILD FAILED **",
    "Finished: FAILURE",
    "subprocess.CalledProcessError: Command '['make']' returned non-zero exit status 2.",
    "npm ERR! Exit status 1",
    "Error: failed to solve: process \"/bin/sh -c make\" did not complete successfully: exit code: 2",
    "Nonzero exit code: 1",
    "[error] Nonzero exit value: 2",
    "error: Process didn't exit successfully: `target/debug/x` (exit status: 101)",
    "lerna ERR! yarn run build exited 1 in 'core'",
};

static const char *const starts[] = {
    "$ cmd x",
    "+ make all",
    "++ dirname x",
    "##[group]Run make",
    "2026-03-01T10:00:00.1234567Z ##[group]Run make",
    "build\tstep\t2026-03-01T10:00:00.1234567Z ##[group]Run make",
    "travis_fold:start:x",
    "> Task :compileJava",
    "[Pipeline] sh",
    "==> default: Running",
    "Step 3/9 : RUN make",
    "::group::Building",
    "section_start:1700000000:build",
    "section_end:1700000009:build",
    "\033[0Ksection_end:1700000009:build\r\033[0K",
    "\033[32;1m$ make all\033[0;m",
    "##[section]Starting: Publish",
    "#7 [2/5] RUN make",
    "TASK [web : install] *****",
    "PS C:\\src> ./build.ps1",
    "C:\\src>nmake",
    "> mocha --reporter spec",
    "[INFO] --- maven-compiler-plugin:3.1:compile (default) @ x ---",
};

static const char *const neither[] = {
    "    exit 1",
    "+  where 3 = f()",
    "+++ b/src/a.c",
    "[INFO] ------------------------------------------------------------------------",
    "> 12 |   code",
    "exit code 0",
    "Process exited with code 0",
    "exited with code 0",
    "Request failed with status code 404",
};

static void a_command_that_failed_is_seen_in_its_last_line(void)
{
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        expect_command(ends[i], ABR_COMMAND_FAILED);
        CHECK(read_of(ends[i]).hit);
    }
}

static void a_command_starts_where_it_is_echoed_or_a_section_is_named(void)
{
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        expect_command(starts[i], ABR_COMMAND_STARTS);
}

static void other_lines_neither_start_nor_end_one(void)
{
    for (size_t i = 0; i < sizeof neither / sizeof *neither; i++)
        expect_command(neither[i], ABR_COMMAND_NONE);
}

int main(void)
{
    RUN(a_command_that_failed_is_seen_in_its_last_line);
    RUN(a_command_starts_where_it_is_echoed_or_a_section_is_named);
    RUN(other_lines_neither_start_nor_end_one);
    return check_end();
}
