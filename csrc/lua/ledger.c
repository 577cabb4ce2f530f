/* The ledger of a cut as a Lua table. Its keys are upvalues: making the strings each time takes longer than
 * all the rest. */
#include "lua/ledger.h"
#include "abridge.h"
#include "lua/compat.h"
#include "text/scan.h"

#define AS_TEXT(word) #word,
static const char *const ledger_words[] = {LEDGER_WORDS(AS_TEXT)};

/* ---- words and fields ---- */

void abr_push_words(lua_State *L)
{
    enum { FEW = 8 };
    /* with room to make them upvalues; Lua's own check has another message */
    if (!lua_checkstack(L, 2 * WORDS + FEW))
        luaL_error(L, "not enough memory");
    for (int i = 0; i < WORDS; i++)
        lua_pushstring(L, ledger_words[i]);
}

static void push_word(lua_State *L, abr_ledger_word word)
{
    lua_pushvalue(L, lua_upvalueindex((int)word + 2));
}

void abr_put_count(lua_State *L, abr_ledger_word name, uint64_t count)
{
    push_word(L, name);
    abr_push_count(L, count);
    lua_rawset(L, -3);
}

void abr_put_boolean(lua_State *L, abr_ledger_word name, bool value)
{
    push_word(L, name);
    lua_pushboolean(L, value);
    lua_rawset(L, -3);
}

void abr_put_text(lua_State *L, abr_ledger_word name, const char *text)
{
    push_word(L, name);
    lua_pushstring(L, text);
    lua_rawset(L, -3);
}

static void set_word(lua_State *L, abr_ledger_word name, abr_ledger_word value)
{
    push_word(L, name);
    push_word(L, value);
    lua_rawset(L, -3);
}

static void put_budget(lua_State *L, abr_ledger_word name, uint64_t budget)
{
    if (budget != ABR_UNLIMITED)
        abr_put_count(L, name, budget);
}

/* ---- the ledger ---- */

/* Does a piece continue the one before it in the source? Then they are one range. */
static bool goes_on(const abr_piece *piece, const abr_piece *before)
{
    return before && piece->first_byte == before->last_byte + 1;
}

static void push_kept(lua_State *L, const abr_cut *cut)
{
    const abr_piece *before = NULL;
    int ranges = 0;
    lua_createtable(L, (int)cut->piece_count, 0);
    for (size_t i = 0; i < cut->piece_count; i++) {
        const abr_piece *piece = &cut->pieces[i];
        if (!piece->source)
            continue;
        if (goes_on(piece, before)) {
            lua_rawgeti(L, -1, ranges);
        } else {
            lua_createtable(L, 0, 4);
            abr_put_count(L, WORD_first_byte, piece->first_byte);
            abr_put_count(L, WORD_first_line, piece->first_line);
            lua_pushvalue(L, -1);
            lua_rawseti(L, -3, ++ranges);
        }
        abr_put_count(L, WORD_last_byte, piece->last_byte);
        abr_put_count(L, WORD_last_line, piece->last_line);
        lua_pop(L, 1);
        before = piece;
    }
}

/* Bytes outside well-formed UTF-8 in the content: each made it longer when it was replaced. */
static uint64_t invalid_bytes(const abr_cut *cut)
{
    size_t before = 0;
    for (size_t i = 0; i < cut->piece_count; i++)
        before += cut->pieces[i].n;
    return (cut->content_bytes - before) / (ABR_REPLACEMENT_SIZE - 1);
}

/* Bytes that a piece takes in the content. */
static size_t shown_bytes(const abr_cut *cut, const abr_piece *piece)
{
    uint64_t invalid = 0;
    if (cut->utf8_replace)
        abr_count_chars(piece->p, piece->n, &invalid);
    return piece->n + (size_t)invalid * (ABR_REPLACEMENT_SIZE - 1);
}

/* Bytes of the content outside markers. */
static uint64_t source_bytes(const abr_cut *cut)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < cut->piece_count; i++)
        bytes += cut->pieces[i].source ? cut->pieces[i].n : 0;
    return bytes;
}

static int count_markers(const abr_cut *cut)
{
    int markers = 0;
    for (size_t i = 0; i < cut->piece_count; i++)
        markers += !cut->pieces[i].source;
    return markers;
}

/* Push the places of the markers in the content. */
static void push_markers(lua_State *L, const abr_cut *cut, int markers)
{
    size_t end = 0;
    lua_createtable(L, markers, 0);
    markers = 0;
    for (size_t i = 0; i < cut->piece_count; i++) {
        size_t first = end + 1;
        end += shown_bytes(cut, &cut->pieces[i]);
        if (cut->pieces[i].source)
            continue;
        lua_createtable(L, 0, 2);
        abr_put_count(L, WORD_first_byte, first);
        abr_put_count(L, WORD_last_byte, end);
        lua_rawseti(L, -2, ++markers);
    }
}

/* Put { found =, kept = }. */
static void put_found(lua_State *L, abr_ledger_word word, uint64_t found, uint64_t kept)
{
    push_word(L, word);
    lua_createtable(L, 0, 2);
    abr_put_count(L, WORD_found, found);
    abr_put_count(L, WORD_kept, kept);
    lua_rawset(L, -3);
}

/* Fields that every ledger has, except `kept`. */
static void put_totals(lua_State *L, const abr_cut *cut)
{
    if (cut->kind != ABR_KIND_TOLD)
        abr_put_text(L, WORD_kind, abr_kind_name(cut->kind));
    set_word(L, WORD_strategy, WORD_head + (abr_ledger_word)cut->strategy);
    abr_put_boolean(L, WORD_truncated, cut->truncated);
    abr_put_count(L, WORD_total_lines, cut->total_lines);
    abr_put_count(L, WORD_total_bytes, cut->total_bytes);
    abr_put_count(L, WORD_output_lines, cut->output_lines);
    abr_put_count(L, WORD_output_bytes, cut->output_bytes);
    abr_put_count(L, WORD_omitted_lines, cut->omitted_lines);
    abr_put_count(L, WORD_omitted_bytes, cut->omitted_bytes);
    abr_put_boolean(L, WORD_last_line_partial, cut->last_line_partial);
    abr_put_boolean(L, WORD_first_line_exceeds_limit, cut->first_line_exceeds_limit);
}

static void put_chars(lua_State *L, const abr_cut *cut)
{
    abr_put_count(L, WORD_total_chars, cut->total_chars);
    abr_put_count(L, WORD_output_chars, cut->output_chars);
    if (cut->chars_before > 0)
        abr_put_count(L, WORD_chars_before, cut->chars_before);
}

/* Push a list of { unit =, of =, total =, kept = }. */
static void push_items(lua_State *L, const abr_cut *cut)
{
    lua_createtable(L, (int)cut->item_count, 0);
    for (size_t i = 0; i < cut->item_count; i++) {
        const abr_item *item = &cut->items[i];
        lua_createtable(L, 0, 4);
        lua_pushstring(L, abr_item_name(item->unit));
        lua_setfield(L, -2, "unit");
        if (item->of) {
            lua_pushlstring(L, item->of, item->of_len);
            lua_setfield(L, -2, "of");
        }
        abr_push_count(L, item->total);
        lua_setfield(L, -2, "total");
        abr_put_count(L, WORD_kept, item->kept);
        lua_rawseti(L, -2, (int)i + 1);
    }
}

/* Push a list of { kind =, first_line =, last_line =, output_lines = }. */
static void push_parts(lua_State *L, const abr_cut *cut)
{
    lua_createtable(L, (int)cut->part_count, 0);
    for (size_t i = 0; i < cut->part_count; i++) {
        const abr_part *part = &cut->parts[i];
        lua_createtable(L, 0, 4);
        abr_put_text(L, WORD_kind, abr_kind_name(part->kind));
        abr_put_count(L, WORD_first_line, part->first_line);
        abr_put_count(L, WORD_last_line, part->last_line);
        abr_put_count(L, WORD_output_lines, part->output_lines);
        lua_rawseti(L, -2, (int)i + 1);
    }
}

void abr_push_ledger(lua_State *L, const abr_cut *cut, int more)
{
    enum { ALWAYS = 11 };
    const uint64_t invalid = invalid_bytes(cut);
    const bool chars = cut->max.chars != ABR_UNLIMITED;
    const int markers = count_markers(cut);
    const bool hits =
        cut->strategy == ABR_PRIORITY || cut->kind == ABR_KIND_LOG || cut->kind == ABR_KIND_MIXED;
    const int fields = ALWAYS + more + cut->truncated + (3 + (cut->chars_before > 0)) * chars +
                       cut->final_newline + 2 * cut->compact + (cut->line_bytes > 0) + (invalid > 0) +
                       (cut->max.lines != ABR_UNLIMITED) + (cut->max.bytes != ABR_UNLIMITED) +
                       (cut->max.tokens != ABR_UNLIMITED) + 2 * hits + (markers > 0) +
                       (cut->kind != ABR_KIND_TOLD) + (cut->item_count > 0) + (cut->part_count > 0);
    lua_createtable(L, 0, fields);
    put_totals(L, cut);
    if (cut->truncated_by != ABR_BY_NONE)
        set_word(L, WORD_truncated_by, WORD_lines + (abr_ledger_word)cut->truncated_by - ABR_BY_LINES);
    if (chars)
        put_chars(L, cut);
    if (cut->final_newline)
        abr_put_boolean(L, WORD_final_newline, true);
    if (cut->compact) {
        abr_put_boolean(L, WORD_compact, true);
        abr_put_count(L, WORD_shown_bytes, source_bytes(cut));
    }
    if (cut->line_bytes > 0)
        abr_put_count(L, WORD_line_bytes, cut->line_bytes);
    if (invalid > 0)
        abr_put_count(L, WORD_invalid_bytes, invalid);
    put_budget(L, WORD_max_lines, cut->max.lines);
    put_budget(L, WORD_max_bytes, cut->max.bytes);
    put_budget(L, WORD_max_chars, cut->max.chars);
    put_budget(L, WORD_max_tokens, cut->max.tokens);
    if (hits) {
        put_found(L, WORD_hits, cut->hits_found, cut->hits_kept);
        put_found(L, WORD_failures, cut->failures_found, cut->failures_kept);
    }
    if (cut->item_count > 0) {
        push_word(L, WORD_items);
        push_items(L, cut);
        lua_rawset(L, -3);
    }
    if (cut->part_count > 0) {
        push_word(L, WORD_parts);
        push_parts(L, cut);
        lua_rawset(L, -3);
    }
    push_word(L, WORD_kept);
    push_kept(L, cut);
    lua_rawset(L, -3);
    if (markers > 0) {
        push_word(L, WORD_markers);
        push_markers(L, cut, markers);
        lua_rawset(L, -3);
    }
}
