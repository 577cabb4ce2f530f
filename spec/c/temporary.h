/* A folder of a test's own, and what a test does to files in it, by each system; and an environment variable. */
#ifndef TEMPORARY_H
#define TEMPORARY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef _WIN32
#include <direct.h>
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#include <windows.h>
#undef near /* words of 16 bits */
#undef FAR

#define A_DEVICE "NUL"

static inline bool make_folder(char *folder, size_t n, const char *name)
{
    const char *tmp = getenv("TEMP");
    const unsigned long process = GetCurrentProcessId();
    snprintf(folder, n, "%s\\abridge-%s-%lu", tmp ? tmp : ".", name, process);
    return _mkdir(folder) == 0;
}

static inline void remove_folder(const char *folder)
{
    _rmdir(folder);
}

/* Change the file's times, or its size, with a handle of our own. */
static inline HANDLE open_to_change(const char *path)
{
    return CreateFileA(path, GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                       OPEN_EXISTING, 0, NULL);
}

/* Say when the file was last changed: seconds of 1970, and nanoseconds, of which hundreds count. */
static inline bool set_changed(const char *path, int64_t seconds, long nanoseconds)
{
    const int64_t since_1601 = 11644473600;
    const uint64_t ticks = (uint64_t)(seconds + since_1601) * 10000000 + (uint64_t)nanoseconds / 100;
    const FILETIME time = {(DWORD)ticks, (DWORD)(ticks >> 32)};
    HANDLE file = open_to_change(path);
    const bool done = file != INVALID_HANDLE_VALUE && SetFileTime(file, NULL, NULL, &time);
    CloseHandle(file);
    return done;
}

static inline bool set_changed_now(const char *path)
{
    FILETIME now;
    GetSystemTimeAsFileTime(&now);
    HANDLE file = open_to_change(path);
    const bool done = file != INVALID_HANDLE_VALUE && SetFileTime(file, NULL, NULL, &now);
    CloseHandle(file);
    return done;
}

static inline bool set_variable(const char *name, const char *value)
{
    return _putenv_s(name, value) == 0;
}

static inline bool cut_file(const char *path, long size)
{
    HANDLE file = open_to_change(path);
    const bool done = file != INVALID_HANDLE_VALUE &&
                      SetFilePointer(file, size, NULL, FILE_BEGIN) == (DWORD)size && SetEndOfFile(file);
    CloseHandle(file);
    return done;
}
#else
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define A_DEVICE "/dev/null"

static inline bool make_folder(char *folder, size_t n, const char *name)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(folder, n, "%s/abridge-%s-XXXXXX", tmp && tmp[0] != '\0' ? tmp : "/tmp", name);
    return mkdtemp(folder) != NULL;
}

static inline void remove_folder(const char *folder)
{
    rmdir(folder);
}

static inline bool set_changed(const char *path, int64_t seconds, long nanoseconds)
{
    const struct timespec at[2] = {{(time_t)seconds, nanoseconds}, {(time_t)seconds, nanoseconds}};
    return utimensat(AT_FDCWD, path, at, 0) == 0;
}

static inline bool set_changed_now(const char *path)
{
    return utimensat(AT_FDCWD, path, NULL, 0) == 0;
}

static inline bool set_variable(const char *name, const char *value)
{
    return setenv(name, value, 1) == 0;
}

static inline bool cut_file(const char *path, long size)
{
    return truncate(path, size) == 0;
}
#endif

#endif
