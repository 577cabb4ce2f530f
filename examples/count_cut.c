/* A C host's use of the library: keep the end of a text within a budget, and tell what was left out.
 *   make lib && cc -Ibuild/include examples/count_cut.c build/libabridge.a -o count_cut && seq 1000 | ./count_cut */
#include <abridge.h>
#include <inttypes.h>
#include <stdio.h>

int main(void)
{
    static char text[1 << 20];
    size_t n = fread(text, 1, sizeof text, stdin);

    abr_opts opts = ABR_OPTS_INIT;
    opts.strategy = ABR_TAIL;
    opts.max.lines = 3;
    opts.max.bytes = 1024;
    char shown[1024]; /* budgets are hard: this is always room enough */

    abr_cut cut;
    abr_error error;
    if (abr_cut_text(text, n, &opts, &cut, &error) != ABR_OK) {
        fprintf(stderr, "count_cut: %s\n", error.message);
        return 1;
    }
    abr_cut_write(&cut, shown);
    fwrite(shown, 1, cut.content_bytes, stdout);
    printf("[%" PRIu64 " of %" PRIu64 " lines, %" PRIu64 " of %" PRIu64 " bytes]\n", cut.output_lines,
           cut.total_lines, cut.output_bytes, cut.total_bytes);
    abr_cut_free(&cut);
    return 0;
}
