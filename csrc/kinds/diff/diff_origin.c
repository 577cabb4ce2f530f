/*
 * Did a person write the file that a diff changes? Its path tells, or a generator's note in it.
 */
#include "kinds/diff/diff_origin.h"
#include "abridge.h"
#include "line/lines.h"

typedef enum { ENDING, MIDDLE, FOLDER } path_part;

static bool is_part(abr_text_line name, path_part part, const char *text, size_t n)
{
    if (part == FOLDER)
        return name.n == n && memcmp(name.p, text, n) == 0;
    if (part == ENDING)
        return name.n >= n && abr_has_at(name, name.n - n, text, n);
    return name.n > 2 && abr_contains((abr_text_line){name.p + 1, name.n - 2}, text, n);
}

/* Is it the name of such a file, or of a folder on the way to it? */
static bool is_machines_name(abr_text_line name, bool is_folder)
{
    static const struct {
        const char *text;
        uint8_t n;
        uint8_t part;
    } rows[] = {
#define ORIGIN(part, text, path) {text, sizeof(text) - 1, part},
#include "kinds/diff/diff_origin.def"
#undef ORIGIN
    };
    if (name.n == 0 || (!is_folder && !memchr(name.p, '.', name.n))) /* each file has one in its name */
        return false;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (is_folder == (rows[i].part == FOLDER) &&
            is_part(name, (path_part)rows[i].part, rows[i].text, rows[i].n))
            return true;
    return false;
}

bool abr_names_machine_made(abr_text_line header)
{
    size_t from = 0;
    for (size_t i = 0; i <= header.n; i++) {
        const char c = (char)(i < header.n ? header.p[i] : ' ');
        if (c != '/' && c != ' ' && c != '\t' && c != '"')
            continue;
        const abr_text_line part = {header.p + from, i - from};
        if (is_machines_name(part, c == '/'))
            return true;
        from = i + 1;
    }
    return false;
}

bool abr_says_generated(abr_text_line line)
{
    return line.n <= ABR_COMMENT_MOST &&
           (ABR_CONTAINS(line, "@generated") || ABR_CONTAINS(line, "DO NOT EDIT") ||
            ABR_CONTAINS(line, "do not edit"));
}
