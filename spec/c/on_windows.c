/* What Windows does not have is refused there, before anything is done: `make test-windows`. */
#include "files/errno_text.h"
#include "files/portable.h"
#include "files/private_file.h"

#ifdef _WIN32
#include <fcntl.h>
#include <io.h>

#include "check.h"
#include "temporary.h"

static char folder[256];

static bool is_there(const char *path)
{
    return GetFileAttributesA(path) != INVALID_FILE_ATTRIBUTES;
}

static void the_reason_is_told(void)
{
    CHECK_TEXT("ENOTSUP", abr_errno_name(ENOTSUP), strlen(abr_errno_name(ENOTSUP)));
    CHECK_TEXT("not supported on Windows", abr_errno_text(ENOTSUP), strlen(abr_errno_text(ENOTSUP)));
}

static void private_folders_and_files_are_not_made(void)
{
    char inner[sizeof folder + 16];
    snprintf(inner, sizeof inner, "%s\\inner", folder);
    CHECK(abr_private_folder(inner) == ENOTSUP);
    CHECK(!is_there(inner));
    static const abr_file_kind kinds[] = {ABR_FILE_NEW, ABR_FILE_LOG};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        abr_file *file = NULL;
        CHECK(abr_file_open(folder, "inner", kinds[i], NULL, &file) == ENOTSUP && !file);
        CHECK(!is_there(inner));
    }
}

/* The stream goes on, and says what is missing. */
static void a_stream_keeps_no_full_output(void)
{
    abr_opts o = ABR_OPTS_INIT;
    abr_stream *stream;
    abr_cut cut;
    o.max.bytes = 3;
    CHECK(abr_stream_open(&o, folder, "full.log", &stream, NULL) == ABR_OK);
    for (int i = 0; i < 1000; i++)
        CHECK(abr_stream_write(stream, "a line\n", 7) == ABR_OK);
    CHECK(abr_stream_finish(stream, NULL, &cut, NULL) == ABR_OK);
    CHECK_COUNT(7000, cut.total_bytes);
    abr_cut_free(&cut);
    const abr_full_output full = abr_stream_full_output(stream);
    CHECK(!full.path && full.bytes == 0);
    CHECK_TEXT("not supported on Windows", full.error, strlen(full.error));
    abr_stream_close(stream);
}

static void a_pipe_is_not_read(void)
{
    int ends[2];
    char block[8];
    size_t got = 1;
    bool ended = true;
    CHECK(_pipe(ends, sizeof block, _O_BINARY) == 0);
    CHECK(_write(ends[1], "text", 4) == 4);
    CHECK(abr_read_some(ends[0], block, sizeof block, &got, &ended) == ENOTSUP);
    CHECK(got == 0 && !ended);
    CHECK(!abr_widen_pipe(ends[0]) && !abr_has_unread(ends[0]) && !abr_has_no_reader(ends[1]));
    CHECK(_read(ends[0], block, sizeof block) == 4); /* all is there still */
    _close(ends[0]);
    _close(ends[1]);
}

int main(void)
{
    if (!make_folder(folder, sizeof folder, "refused"))
        return 2;
    RUN(the_reason_is_told);
    RUN(private_folders_and_files_are_not_made);
    RUN(a_stream_keeps_no_full_output);
    RUN(a_pipe_is_not_read);
    remove_folder(folder);
    return check_end();
}
#endif
