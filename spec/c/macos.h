/* Included before a source, with a compiler whose target is macOS: the headers of this machine as macOS
 * has them, as far as the sources go. What only glibc and Linux have is not declared. */
#undef __nonnull /* a keyword for this target, a macro of these headers */
#define _DEFAULT_SOURCE
#include <features.h>
#undef __GLIBC__
#define st_mtim st_mtimespec
#include <sys/stat.h>
#undef st_mtim
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
