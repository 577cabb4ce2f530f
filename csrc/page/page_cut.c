/* Cuts of an open page, in positions of the whole source, and the start of the next page. */
#include <string.h>

#include "page/page_state.h"
#include "abridge.h"
#include "budget/options.h"
#include "cut/cut.h"
#include "files/file_index.h"
#include "files/line_index.h"
#include "page/element_cut.h"
#include "text/scan.h"

/* The first part of the source that a cut keeps, or NULL. */
static const abr_piece *first_range(const abr_cut *cut)
{
    for (size_t i = 0; i < cut->piece_count; i++)
        if (cut->pieces[i].source)
            return &cut->pieces[i];
    return NULL;
}

/* Number of the char after a range that starts with the page. */
static uint64_t column_after(const abr_page *page, const abr_piece *range)
{
    const char *newline = abr_find_last_newline(range->p, range->n);
    const char *line = newline ? newline + 1 : range->p;
    uint64_t before = newline || page->opts.column == 0 ? 1 : page->opts.column;
    return before + abr_count_chars(line, (size_t)(range->p + range->n - line), NULL);
}

/* The lines of a cut that is still in positions of the view. There is no next page if only text before the
 * kept part was left out, or if not even a char fitted. */
static abr_page_lines lines_of(const abr_page *page, const abr_cut *cut)
{
    const uint64_t offset = page->opts.offset;
    const abr_piece *range = first_range(cut);
    abr_page_lines lines = {offset, offset + (cut->output_lines > 0 ? cut->output_lines : 1) - 1, 0, 0,
                            page->opts.column > 1 ? page->opts.column : 0};
    if (range) {
        uint64_t last = cut->pieces[cut->piece_count - 1].last_line;
        if (offset - 1 + last > lines.last_line)
            lines.last_line = offset - 1 + last;
        if (range->first_byte > 1) {
            lines.first_line = offset - 1 + range->first_line;
            lines.column = 0;
            return lines;
        }
    }
    if (!cut->truncated)
        return lines;
    if (cut->first_line_exceeds_limit) {
        lines.next_offset = offset;
        lines.next_column = 1;
    } else if (!range) {
        lines.next_offset = cut->output_lines > 0 ? offset + cut->output_lines : 0;
    } else {
        uint64_t line = offset - 1 + range->last_line;
        bool at_end =
            range->p[range->n - 1] == '\n' || range->n == page->view.front.n || range->p[range->n] == '\n';
        lines.next_offset = at_end ? line + 1 : line;
        lines.next_column = at_end ? 0 : column_after(page, range);
    }
    return lines;
}

/* Turn positions in the view into positions in the source. */
static void tell_source(const abr_page *page, abr_cut *cut)
{
    uint64_t bytes = page->info.first_byte - 1;
    uint64_t lines = page->opts.offset - 1;
    abr_piece *pieces = cut->block;
    for (size_t i = 0; i < cut->piece_count; i++) {
        if (!pieces[i].source)
            continue;
        pieces[i].first_byte += bytes;
        pieces[i].last_byte += bytes;
        pieces[i].first_line += lines;
        pieces[i].last_line += lines;
    }
    cut->total_lines = page->info.total_lines;
    cut->total_bytes = page->info.total_bytes;
    cut->total_chars = page->info.total_chars;
    if (page->info.first_char > 0 && first_range(cut))
        cut->chars_before += page->info.first_char - 1;
    cut->omitted_lines = cut->total_lines - cut->output_lines;
    cut->omitted_bytes = cut->total_bytes - cut->output_bytes;
}

/* A page whose lines all fit ends as a head does: without the newline before the next line. */
static void end_at_limit(const abr_page *page, abr_cut *cut, abr_page_lines *lines)
{
    cut->truncated = true;
    cut->truncated_by = ABR_BY_LINES;
    cut->max.lines = page->opts.limit;
    lines->next_offset = page->opts.limit > 0 ? page->opts.offset + page->opts.limit : 0;
    if (cut->final_newline || cut->piece_count == 0) {
        cut->final_newline = false; /* already dropped */
        return;
    }
    abr_piece *last = (abr_piece *)cut->block + cut->piece_count - 1;
    last->last_byte--;
    if (--last->n == 0)
        cut->piece_count--;
    cut->content_bytes--;
    cut->output_bytes--;
    cut->output_chars -= cut->output_chars > 0;
}

abr_code abr_page_cut(abr_page *page, const abr_narrow *narrow, abr_cut *cut, abr_page_lines *lines,
                      abr_error *error)
{
    abr_opts opts;
    memset(cut, 0, sizeof *cut);
    memset(lines, 0, sizeof *lines);
    if (page->opts.pointer)
        return abr_cut_elements(page, narrow, cut, lines, error);
    abr_code code = abr_narrowed(&page->cut, narrow, &opts, error);
    if (code == ABR_OK)
        code = abr_cut_view(&page->view, &opts, cut, error);
    if (code != ABR_OK)
        return code;
    *lines = lines_of(page, cut);
    if (page->limited && !cut->truncated)
        end_at_limit(page, cut, lines);
    tell_source(page, cut);
    if (lines->next_column > 1 && page->opts.index)
        abr_index_place(page->opts.index, &page->of,
                        &(abr_place_at){lines->next_offset, lines->next_column, first_range(cut)->last_byte});
    return ABR_OK;
}
