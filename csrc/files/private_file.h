/* Private files: full outputs and logs. */
#ifndef ABR_FILES_PRIVATE_FILE_H
#define ABR_FILES_PRIVATE_FILE_H

#include "abridge.h"
#include "base/private.h"

ABR_PRIVATE_BEGIN

enum { ABR_PATH_MOST = 4096 }; /* bytes of any path here, including its NUL */

typedef struct abr_file abr_file;

/* Make a folder of mode 0700, and its missing parents. 0 or an errno: EPERM if it has another owner or a
 * wider mode, or is a link. */
int abr_private_folder(const char *dir);

typedef enum {
    ABR_FILE_NEW,    /* the file must not exist */
    ABR_FILE_LOG,    /* a log, created if missing */
    ABR_FILE_OLD_LOG /* an existing log; neither it nor its folder is created */
} abr_file_kind;

/* Open dir/name, mode 0600. A log may be held by one process at a time (EBUSY), and loses a torn last line.
 * 0 or an errno. */
int abr_file_open(const char *dir, const char *name, abr_file_kind kind, const abr_alloc *alloc,
                  abr_file **out);

/* Write, buffered. 0 or the errno that ended the writing: everything written before it stays. */
int abr_file_write(abr_file *file, const char *p, size_t n);
int abr_file_flush(abr_file *file);

/* Flush and close the descriptor; path, size and error can still be queried. 0 or the errno that ended the
 * writing. */
int abr_file_finish(abr_file *file);

/* Add a record to a log at once, whole or not at all; half a record that cannot be taken back becomes a line
 * of its own. 0 or an errno, after which other records may be tried; ENOENT: the log was deleted. */
int abr_file_append(abr_file *file, const char *p, size_t n);

int abr_file_error(const abr_file *file);     /* errno of the write that failed, or 0 */
uint64_t abr_file_size(const abr_file *file); /* bytes in the file, without those in the buffer */
const char *abr_file_path(const abr_file *file);
int abr_file_close(abr_file *file);   /* flushes; NULL is fine. 0 or an errno */
void abr_file_remove(abr_file *file); /* closes and deletes; NULL is fine */

ABR_PRIVATE_END

#endif
