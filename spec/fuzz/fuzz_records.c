/* Cuts of records: whole, in order, gaps exact, the same for any chunking and a budget lowered later. */
#include "base/memory.h"
#include "input.h"
#include "record_rules.h"

enum { TEXT_MOST = 4096, BUDGET_MOST = 1024 };

static const abr_telling kinds[] = {
    {.kind = ABR_KIND_JSON_LINES},
    {.kind = ABR_KIND_TABLE, .delimiter = ','},
    {.kind = ABR_KIND_TABLE, .delimiter = '|'},
    {.kind = ABR_KIND_TABLE, .header_lines = 1},
    {.kind = ABR_KIND_TABLE, .header_lines = 2, .drawn = {.bar = "|", .width = 5}},
    {.kind = ABR_KIND_TABLE, .header_lines = 1, .drawn = {.bar = "|", .frame = 2, .rows = ABR_ROWS_RULED}},
    {.kind = ABR_KIND_TABLE, .drawn = {.bar = "|", .rows = ABR_ROWS_EXPANDED, .heading = '-'}},
};

static void check_way(const char *p, size_t n, const record_way *way, const abr_cut *want)
{
    abr_cut cut;
    RULE(cut_records(p, n, way, &cut) == ABR_OK);
    RULE(cut.content_bytes == want->content_bytes && cut.items[0].kept == want->items[0].kept);
    char *a = need(malloc(cut.content_bytes + 1));
    char *b = need(malloc(cut.content_bytes + 1));
    abr_cut_write(&cut, a);
    abr_cut_write(want, b);
    RULE(memcmp(a, b, cut.content_bytes) == 0);
    free(a);
    free(b);
    abr_cut_free(&cut);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = {data, size};
    abr_opts o = ABR_OPTS_INIT;
    abr_cut cut;
    size_t n;
    const abr_telling told = kinds[take_below(&in, sizeof kinds / sizeof *kinds)];
    o.max.bytes = take_number(&in, 2) % BUDGET_MOST;
    o.marker = take_flag(&in) ? ABR_MARKER_INSIDE : take_flag(&in) ? ABR_MARKER_NONE : ABR_MARKER_OUTSIDE;
    o.alloc = abr_allocator(NULL);
    const size_t chunk = 1 + take_byte(&in);
    const size_t more = take_number(&in, 2);
    const bool looks = take_flag(&in);
    char *text = take_text(&in, TEXT_MOST, &n);
    const size_t keep = (size_t)o.max.bytes + 8;
    const record_way once = {told, &o, keep, keep, n + 1, false, false};
    if (n > o.max.bytes) {
        const bool table = told.kind == ABR_KIND_TABLE;
        const all_records all = read_naively(text, n, table, told.delimiter, told.header_lines);
        RULE(cut_records(text, n, &once, &cut) == ABR_OK);
        const char *broken = told.drawn.bar ? NULL : broken_record_rule(text, n, &all, table, &o, &cut);
        RULE(o.marker == ABR_MARKER_OUTSIDE || cut.content_bytes <= o.max.bytes);
        if (broken)
            rule_holds(false, broken, __FILE__, __LINE__);
        check_way(text, n, &(record_way){told, &o, keep, keep, chunk, true, looks}, &cut);
        check_way(text, n, &(record_way){told, &o, keep + more, keep, chunk, true, false}, &cut);
        abr_cut_free(&cut);
        free(all.records);
    }
    free(text);
    return 0;
}
