/* Memory of whole pages, some of which must not be touched. */
#ifndef GUARDED_H
#define GUARDED_H

#include <stdlib.h>

#ifdef _WIN32
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#include <windows.h>
#undef near /* words of 16 bits */
#undef FAR
#else
#include <sys/mman.h>
#include <unistd.h>
#endif

static inline size_t page_bytes(void)
{
#ifdef _WIN32
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return info.dwPageSize;
#else
    return (size_t)sysconf(_SC_PAGESIZE);
#endif
}

/* n bytes of zeros, from the start of a page on. */
static inline char *map_pages(size_t n)
{
#ifdef _WIN32
    char *p = VirtualAlloc(NULL, n, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
    if (!p)
        exit(2);
#else
    char *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        exit(2);
#endif
    return p;
}

/* From here on, touching one of these pages ends the test. */
static inline void forbid_pages(char *p, size_t n)
{
#ifdef _WIN32
    DWORD before;
    if (!VirtualProtect(p, n, PAGE_NOACCESS, &before))
        exit(2);
#else
    if (mprotect(p, n, PROT_NONE) != 0)
        exit(2);
#endif
}

static inline void unmap_pages(char *p, size_t n)
{
#ifdef _WIN32
    (void)n;
    VirtualFree(p, 0, MEM_RELEASE);
#else
    munmap(p, n);
#endif
}

#endif
