/*
 * The functions of portable.h by Windows. Private files and pipes, which have modes, owners and
 * descriptors, are refused.
 */
#include "files/portable.h"

#ifdef _WIN32
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#include <wchar.h>
#include <windows.h>

#include "files/private_file.h"

/* Chars of a path with its NUL. "\\?\UNC" stands before those of "\\server\share", less one slash. */
enum { WIDE_MOST = ABR_PATH_MOST, PREFIX_MOST = 6 };

static int errno_of(DWORD number)
{
    switch (number) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_DRIVE:
    case ERROR_INVALID_NAME:
    case ERROR_BAD_PATHNAME:
    case ERROR_BAD_NETPATH:
    case ERROR_BAD_NET_NAME:
    case ERROR_NO_UNICODE_TRANSLATION:
        return ENOENT;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION:
        return EACCES;
    case ERROR_INSUFFICIENT_BUFFER:
    case ERROR_FILENAME_EXCED_RANGE:
        return ENAMETOOLONG;
    case ERROR_TOO_MANY_OPEN_FILES:
        return EMFILE;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
        return ENOMEM;
    case ERROR_CANT_RESOLVE_FILENAME:
        return ELOOP;
    default:
        return EIO;
    }
}

static int last_errno(void)
{
    return errno_of(GetLastError());
}

/* Does an absolute path lead past the names of files: \\.\COM1, or a device of \\?\ ? */
static bool names_device(const wchar_t *full)
{
    if (wcsncmp(full, L"\\\\.\\", 4) == 0)
        return true;
    return wcsncmp(full, L"\\\\?\\", 4) == 0 && full[4] != 0 && full[5] != L':' &&
           _wcsnicmp(full + 4, L"UNC\\", 4) != 0;
}

/* Convert a UTF-8 path into `room`, made absolute and in the form without a length limit; *wide is its start.
 * 0, an errno, or ABR_NOT_REGULAR for the name of a device, such as NUL, which is not opened. */
static int wide_path(const char *path, wchar_t room[PREFIX_MOST + WIDE_MOST], const wchar_t **wide)
{
    static const wchar_t unc[] = L"\\\\?\\UNC";
    static const wchar_t drive[] = L"\\\\?\\";
    wchar_t given[WIDE_MOST];
    wchar_t *full = room + PREFIX_MOST;
    if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, given, WIDE_MOST) == 0)
        return last_errno();
    const DWORD n = GetFullPathNameW(given, WIDE_MOST, full, NULL);
    if (n == 0 || n >= WIDE_MOST)
        return n == 0 ? last_errno() : ENAMETOOLONG;
    if (names_device(full))
        return ABR_NOT_REGULAR;
    *wide = full;
    if (wcsncmp(full, drive, 4) == 0)
        return 0;
    const bool remote = full[0] == L'\\' && full[1] == L'\\';
    const wchar_t *prefix = remote ? unc : drive;
    const size_t prefix_n = wcslen(prefix);
    wchar_t *start = full + remote - prefix_n;
    memcpy(start, prefix, prefix_n * sizeof *prefix);
    *wide = start;
    return 0;
}

/* ---- files that are only read ---- */

static uint64_t joined(DWORD high, DWORD low)
{
    return (uint64_t)high << 32 | low;
}

enum { TICKS = 10 * 1000 * 1000, NANOSECONDS = 100 /* of a FILETIME: a second, and in each */ };
static const int64_t since_1601 = 11644473600; /* seconds, of 1970 */

static uint64_t ticks_of(const FILETIME *time)
{
    return joined(time->dwHighDateTime, time->dwLowDateTime);
}

static int identify(HANDLE file, abr_identity *of, bool *folder)
{
    BY_HANDLE_FILE_INFORMATION info;
    if (!GetFileInformationByHandle(file, &info))
        return last_errno();
    const uint64_t changed = ticks_of(&info.ftLastWriteTime);
    *folder = (info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
    of->device = info.dwVolumeSerialNumber;
    of->inode = joined(info.nFileIndexHigh, info.nFileIndexLow);
    of->size = joined(info.nFileSizeHigh, info.nFileSizeLow);
    of->seconds = (int64_t)(changed / TICKS) - since_1601;
    of->nanoseconds = (long)(changed % TICKS) * NANOSECONDS;
    return 0;
}

/* A device is refused by its name. A pipe of another machine can be recognized only once it is open, so it is
 * opened anonymously. Folders open too, to tell them from files. */
int abr_open_regular(const char *path, abr_handle *file, abr_identity *of, const char **other)
{
    wchar_t room[PREFIX_MOST + WIDE_MOST];
    const wchar_t *wide = room;
    *other = "device";
    int failed = wide_path(path, room, &wide);
    if (failed != 0)
        return failed;
    HANDLE opened = CreateFileW(
        wide, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, OPEN_EXISTING,
        FILE_FLAG_BACKUP_SEMANTICS | SECURITY_SQOS_PRESENT | SECURITY_ANONYMOUS, NULL);
    if (opened == INVALID_HANDLE_VALUE)
        return last_errno();
    bool folder = false;
    const DWORD type = GetFileType(opened);
    if (type == FILE_TYPE_PIPE)
        *other = "fifo";
    failed = type == FILE_TYPE_DISK ? identify(opened, of, &folder) : ABR_NOT_REGULAR;
    if (failed == 0 && folder)
        failed = EISDIR;
    if (failed == 0)
        *file = (abr_handle)opened;
    else
        CloseHandle(opened);
    return failed;
}

int abr_identify(abr_handle file, abr_identity *of)
{
    bool folder;
    return identify((HANDLE)file, of, &folder);
}

double abr_age(const abr_identity *of)
{
    FILETIME time;
    GetSystemTimeAsFileTime(&time);
    const uint64_t now = ticks_of(&time);
    return (double)((int64_t)(now / TICKS) - since_1601 - of->seconds) +
           (double)((long)(now % TICKS) * NANOSECONDS - of->nanoseconds) / 1e9;
}

int abr_read_once(abr_handle file, char *dst, size_t n, uint64_t at, size_t *got)
{
    OVERLAPPED place = {.Offset = (DWORD)at, .OffsetHigh = (DWORD)(at >> 32)};
    DWORD came = 0;
    const bool fine = ReadFile((HANDLE)file, dst, (DWORD)abr_io_size(n), &came, &place);
    *got = came;
    return fine || GetLastError() == ERROR_HANDLE_EOF ? 0 : last_errno();
}

void abr_close_handle(abr_handle file)
{
    CloseHandle((HANDLE)file);
}

/* ---- not supported on Windows ---- */

int abr_read_some(int fd, char *block, size_t size, size_t *got, bool *ended)
{
    (void)fd;
    (void)block;
    (void)size;
    *got = 0;
    *ended = false;
    return ENOTSUP;
}

bool abr_widen_pipe(int fd)
{
    (void)fd;
    return false;
}

bool abr_has_unread(int fd)
{
    (void)fd;
    return false;
}

bool abr_has_no_reader(int fd)
{
    (void)fd;
    return false;
}

int abr_private_folder(const char *dir)
{
    (void)dir;
    return ENOTSUP;
}

int abr_file_open(const char *dir, const char *name, abr_file_kind kind, const abr_alloc *alloc,
                  abr_file **out)
{
    (void)dir;
    (void)name;
    (void)kind;
    (void)alloc;
    *out = NULL;
    return ENOTSUP;
}

/* No file is ever open: functions that take one get NULL, if anything. */

int abr_file_write(abr_file *file, const char *p, size_t n)
{
    (void)file;
    (void)p;
    (void)n;
    return ENOTSUP;
}

int abr_file_append(abr_file *file, const char *p, size_t n)
{
    return abr_file_write(file, p, n);
}

int abr_file_flush(abr_file *file)
{
    (void)file;
    return ENOTSUP;
}

int abr_file_finish(abr_file *file)
{
    (void)file;
    return ENOTSUP;
}

int abr_file_error(const abr_file *file)
{
    (void)file;
    return ENOTSUP;
}

uint64_t abr_file_size(const abr_file *file)
{
    (void)file;
    return 0;
}

const char *abr_file_path(const abr_file *file)
{
    (void)file;
    return "";
}

int abr_file_close(abr_file *file)
{
    (void)file;
    return 0;
}

void abr_file_remove(abr_file *file)
{
    (void)file;
}

#endif
