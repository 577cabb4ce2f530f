/* What Windows alone has, paths as it writes them; and what it does not have, which is refused before anything
 * is done: `make test-windows`. */
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

/* ---- paths ---- */

enum { NAME_CHARS = 200, PATH_CHARS = sizeof folder + 3 * NAME_CHARS };

/* Is there a page of one line there? */
static void check_page(const char *path)
{
    abr_page_opts o = ABR_PAGE_OPTS_INIT;
    abr_page *page;
    if (!CHECK(abr_page_open(path, &o, &page, NULL) == ABR_OK))
        return;
    CHECK_COUNT(4, abr_page_about(page).total_bytes);
    abr_page_close(page);
}

static void make_file(const wchar_t *path)
{
    DWORD written = 0;
    HANDLE file = CreateFileW(path, GENERIC_WRITE, 0, NULL, CREATE_ALWAYS, 0, NULL);
    CHECK(file != INVALID_HANDLE_VALUE && WriteFile(file, "one\n", 4, &written, NULL));
    CloseHandle(file);
}

static void a_path_is_of_utf8(void)
{
    wchar_t wide[PATH_CHARS];
    char path[PATH_CHARS];
    swprintf(wide, PATH_CHARS, L"%hs\\\u00e9\u20ac.txt", folder);
    snprintf(path, sizeof path, "%s\\\xC3\xA9\xE2\x82\xAC.txt", folder);
    make_file(wide);
    check_page(path);
    CHECK(DeleteFileW(wide));
    abr_page *page;
    snprintf(path, sizeof path, "%s\\\xE9.txt", folder); /* of a code page */
    CHECK(abr_page_open(path, &(abr_page_opts)ABR_PAGE_OPTS_INIT, &page, NULL) == ABR_ENOENT);
}

static void a_path_may_be_longer_than_260_chars(void)
{
    wchar_t outer[PATH_CHARS], inner[PATH_CHARS];
    char name[NAME_CHARS + 1], path[PATH_CHARS];
    memset(name, 'n', NAME_CHARS);
    name[NAME_CHARS] = '\0';
    swprintf(outer, PATH_CHARS, L"\\\\?\\%hs\\%hs", folder, name);
    swprintf(inner, PATH_CHARS, L"%ls\\%hs", outer, name);
    CHECK(CreateDirectoryW(outer, NULL));
    make_file(inner);
    snprintf(path, sizeof path, "%s\\%s\\%s", folder, name, name);
    check_page(path);
    snprintf(path, sizeof path, "%s/%s/.././%s\\%s", folder, name, name, name);
    check_page(path);
    snprintf(path, sizeof path, "\\\\?\\%s\\%s\\%s", folder, name, name);
    check_page(path);
    CHECK(DeleteFileW(inner) && RemoveDirectoryW(outer));
}

/* ---- what is refused ---- */

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
    RUN(a_path_is_of_utf8);
    RUN(a_path_may_be_longer_than_260_chars);
    RUN(the_reason_is_told);
    RUN(private_folders_and_files_are_not_made);
    RUN(a_stream_keeps_no_full_output);
    RUN(a_pipe_is_not_read);
    remove_folder(folder);
    return check_end();
}
#endif
