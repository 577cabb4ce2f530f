/*
 * Did the people at work write a file? Its path tells, or a generator's note in it.
 */
#include "line/origin.h"
#include "abridge.h"
#include "line/lines.h"

typedef enum { ENDING, MIDDLE, FOLDER, PACKAGES, INSTALLED } path_part;

static const struct {
    const char *text;
    uint8_t n;
    uint8_t part;
} origins[] = {
#define ORIGIN(part, text, path) {text, sizeof(text) - 1, part},
#include "line/origin.def"
#undef ORIGIN
};

enum { ORIGINS = sizeof origins / sizeof *origins };

static bool has_origin(abr_text_line name, path_part part, const char *text, size_t n)
{
    if (part == FOLDER || part == PACKAGES)
        return name.n == n && memcmp(name.p, text, n) == 0;
    if (part == ENDING)
        return name.n >= n && abr_has_at(name, name.n - n, text, n);
    return name.n > 2 && abr_contains((abr_text_line){name.p + 1, name.n - 2}, text, n);
}

/* Has the name of a file, or of a folder on the way to it, a part from `from` to `to`? */
static bool has_origin_of(abr_text_line name, path_part from, path_part to)
{
    for (size_t i = 0; i < ORIGINS; i++)
        if (origins[i].part >= from && origins[i].part <= to &&
            has_origin(name, (path_part)origins[i].part, origins[i].text, origins[i].n))
            return true;
    return false;
}

/* Has a path in the line such a folder, or its file such a name? */
static bool has_path_of(abr_text_line line, path_part folders, bool files)
{
    size_t from = 0;
    for (size_t i = 0; i <= line.n; i++) {
        const char c = (char)(i < line.n ? line.p[i] : ' ');
        if (c != '/' && c != ' ' && c != '\t' && c != '"' && c != '(')
            continue;
        const abr_text_line part = {line.p + from, i - from};
        const bool is_file = files && memchr(part.p, '.', part.n); /* each file has one in its name */
        if (part.n > 0 && (c == '/'  ? has_origin_of(part, folders, PACKAGES)
                           : is_file ? has_origin_of(part, ENDING, MIDDLE)
                                     : false))
            return true;
        from = i + 1;
    }
    return false;
}

bool abr_names_machine_made(abr_text_line header)
{
    return has_path_of(header, FOLDER, true);
}

bool abr_is_frame_elsewhere(abr_text_line frame)
{
    return has_path_of(frame, PACKAGES, false) || has_origin_of(frame, INSTALLED, INSTALLED);
}

bool abr_says_generated(abr_text_line line)
{
    return line.n <= ABR_COMMENT_MOST &&
           (ABR_CONTAINS(line, "@generated") || ABR_CONTAINS(line, "DO NOT EDIT") ||
            ABR_CONTAINS(line, "do not edit"));
}
