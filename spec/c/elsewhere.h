/* Included before a source, with a compiler whose target is macOS or a BSD: the headers of this machine as those
 * systems have them, as far as the sources go. What only glibc and Linux have is not declared. */
#undef __nonnull /* a keyword for some targets, a macro of these headers */
#define _DEFAULT_SOURCE
#include <features.h>
#undef __GLIBC__
#ifdef __APPLE__
#define st_mtim st_mtimespec
#endif
#include <sys/stat.h>
#undef st_mtim
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define EFTYPE 79
