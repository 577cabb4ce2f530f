/*
 * Clean-up: turn output written for a terminal into the text that the terminal would finally show.
 *
 * A state machine parses the bytes, and the screen holds the lines. Runs of plain text are found many bytes
 * at a time and go to the screen whole; only control bytes, escape sequences and bytes outside UTF-8 are
 * looked at one by one. A sequence or char that may have been cut in two by the end of a chunk is kept in the
 * state.
 *
 * A cleaner that only strips has no screen: text and movements go to the sink in their order.
 *
 * Before all that a text in UTF-16 becomes UTF-8.
 */
#include <string.h>

#include "abridge.h"
#include "base/ascii.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/tiny.h"
#include "clean/invisible.h"
#include "clean/screen.h"
#include "clean/screen_erase.h"
#include "clean/strip.h"
#include "text/utf16.h"
#include "text/scan.h"
#include "text/utf8.h"

enum {
    SWALLOW_MOST = ABR_OR_TINY(4096, 24), /* bytes of a sequence, from its ESC on */
    MENDED_BYTES = ABR_OR_TINY(4096, 5),  /* of text put at once */
    HELD_MOST = 4,                        /* bytes of a char */
    PARAMETERS = 4,                       /* of a sequence; those we act on have two at most */
    PARAMETER_MOST = 1 << 20
};

typedef enum {
    GROUND = 0,
    AFTER_ESC,      /* after ESC */
    DESIGNATE,      /* after ESC and an intermediate byte */
    CSI,            /* after ESC [ */
    CONTROL_STRING, /* within OSC, DCS, APC, PM, SOS */
    STRING_END,     /* after ESC in a string */
} parse_state;

struct abr_cleaner {
    const abr_alloc *alloc;
    unsigned keep;
    bool filters; /* take chars that hide text out of the screen's output */
    bool strips;  /* there is no screen */
    bool decodes; /* text goes to the sink as it is */
    parse_state state;
    size_t swallowed; /* bytes of the sequence so far */
    size_t parameters[PARAMETERS];
    size_t parameter_count; /* parameters begun, less 1 */
    char prefix;            /* '?', '<', '=', '>' before the parameters, or an intermediate byte, or 0 */
    char held[HELD_MOST];   /* the start of a char that the next chunk may end */
    size_t held_n;
    uint64_t raw_bytes;
    uint64_t count[ABR_CLEAN_KINDS];
    bool finished;
    abr_utf16 encoded;
    abr_invisible seen;
    abr_strip strip;
    char sequence[SWALLOW_MOST]; /* the sequence so far, if sequences may be kept */
    abr_screen screen;
};

/* ---- kinds ---- */

static bool is_kept(const abr_cleaner *c, abr_clean_kind kind)
{
    return (c->keep & 1u << kind) != 0;
}

static void put_text(abr_cleaner *c, const char *p, size_t n)
{
    if (c->strips)
        abr_strip_text(&c->strip, p, n);
    else
        abr_screen_text(&c->screen, p, n);
}

/* Put bytes of a kept kind into the text. */
static void put_kept(abr_cleaner *c, const char *p, size_t n)
{
    if (c->strips)
        abr_strip_text(&c->strip, p, n);
    else
        abr_screen_mark(&c->screen, p, n);
}

/* Does a kind change text elsewhere, or the place of the next text? */
static bool is_movement(abr_clean_kind kind)
{
    return kind == ABR_CLEAN_RETURN || kind == ABR_CLEAN_BACKSPACE || kind == ABR_CLEAN_ERASE ||
           kind == ABR_CLEAN_CURSOR;
}

/* Count something dropped. */
static void drop(abr_cleaner *c, abr_clean_kind kind)
{
    c->count[kind]++;
    c->strip.gap = c->strip.gap || !is_movement(kind);
}

/* Count a control byte or char. True: act on it; false: it was kept and put into the text. */
static bool count_control(abr_cleaner *c, abr_clean_kind kind, const char *p, size_t n)
{
    if (is_kept(c, kind)) {
        put_kept(c, p, n);
        return false;
    }
    drop(c, kind);
    return true;
}

/* Leave the sequence that has ended in the text. */
static void leave_movement(abr_cleaner *c)
{
    const char final = c->sequence[c->swallowed - 1];
    if (c->sequence[1] == '[')
        abr_strip_control(&c->strip, c->parameters[0], c->parameters[1], final);
    else
        abr_strip_escape(&c->strip, final);
}

/* The sequence has ended, and its kind is known. */
static bool take_sequence(abr_cleaner *c, abr_clean_kind kind)
{
    c->state = GROUND;
    if (!is_kept(c, kind)) {
        drop(c, kind);
        if (c->strips && is_movement(kind))
            leave_movement(c);
        return !c->strips;
    }
    uint64_t invalid;
    abr_count_chars(c->sequence, c->swallowed, &invalid);
    if (invalid == 0 || is_kept(c, ABR_CLEAN_INVALID))
        put_kept(c, c->sequence, c->swallowed);
    else
        drop(c, kind); /* kept, it would break the text */
    return false;
}

/* The sequence breaks off, or never ends. */
static void give_up(abr_cleaner *c)
{
    c->state = GROUND;
    drop(c, ABR_CLEAN_ESCAPE);
}

static void put_invalid(abr_cleaner *c, char byte)
{
    if (is_kept(c, ABR_CLEAN_INVALID)) {
        put_text(c, &byte, 1);
        return;
    }
    c->count[ABR_CLEAN_INVALID]++;
    put_text(c, ABR_REPLACEMENT, ABR_REPLACEMENT_SIZE);
}

/* ---- sequences ---- */

/* A parameter as a count: 1 if it is 0 or missing. */
static size_t repeat_count(const abr_cleaner *c, size_t which)
{
    size_t value = c->parameters[which];
    return value > 0 ? value : 1;
}

static void move_cursor(abr_cleaner *c, char final)
{
    abr_screen *s = &c->screen;
    size_t n = repeat_count(c, 0);
    switch (final) {
    case 'A':
    case 'F':
        abr_screen_up(s, n);
        break;
    case 'B':
    case 'E':
    case 'e':
        abr_screen_down(s, n);
        break;
    case 'C':
    case 'a':
        abr_screen_right(s, n);
        break;
    case 'D':
        abr_screen_left(s, n);
        break;
    case 'G':
    case '`':
        abr_screen_column(s, n - 1);
        break;
    case 'd':
        abr_screen_row(s, n - 1);
        break;
    case 's':
        abr_screen_save(s);
        break;
    case 'u':
        abr_screen_restore(s);
        break;
    default: /* H, f */
        abr_screen_row(s, n - 1);
        abr_screen_column(s, repeat_count(c, 1) - 1);
    }
    if (final == 'E' || final == 'F')
        abr_screen_return(s);
}

static void erase(abr_cleaner *c, char final)
{
    abr_screen *s = &c->screen;
    size_t what = c->parameters[0];
    if (final == 'J' && what <= ABR_ERASE_ALL)
        abr_screen_erase_all(s, (abr_erase)what);
    else if (final == 'K' && what <= ABR_ERASE_ALL)
        abr_screen_erase_line(s, (abr_erase)what);
    else if (final == '@')
        abr_screen_insert(s, repeat_count(c, 0));
    else if (final == 'P')
        abr_screen_delete(s, repeat_count(c, 0));
    else if (final == 'X')
        abr_screen_blank(s, repeat_count(c, 0));
}

/* ESC [ ... final. */
static void end_control(abr_cleaner *c, char final)
{
    bool plain = c->prefix == 0;
    if (final == 'm' && plain) {
        take_sequence(c, ABR_CLEAN_COLOR);
    } else if (strchr("JK@PX", final) && (plain || c->prefix == '?')) {
        if (take_sequence(c, ABR_CLEAN_ERASE))
            erase(c, final);
    } else if (strchr("ABCDEFGH`adefsu", final) && plain) {
        if (take_sequence(c, ABR_CLEAN_CURSOR))
            move_cursor(c, final);
    } else {
        take_sequence(c, ABR_CLEAN_ESCAPE);
    }
}

/* ESC and a final byte. */
static void end_escape(abr_cleaner *c, char final)
{
    abr_screen *s = &c->screen;
    if (final == 'c') { /* reset */
        if (take_sequence(c, ABR_CLEAN_ERASE)) {
            abr_screen_erase_all(s, ABR_ERASE_ALL);
            abr_screen_row(s, 0);
            abr_screen_column(s, 0);
        }
    } else if (strchr("78DEM", final)) {
        if (!take_sequence(c, ABR_CLEAN_CURSOR))
            return;
        if (final == '7')
            abr_screen_save(s);
        else if (final == '8')
            abr_screen_restore(s);
        else if (final == 'M')
            abr_screen_up(s, 1);
        else if (final == 'D')
            abr_screen_down(s, 1);
        else
            abr_screen_text(s, "\n", 1);
    } else {
        take_sequence(c, ABR_CLEAN_ESCAPE);
    }
}

static void start_sequence(abr_cleaner *c)
{
    c->state = AFTER_ESC;
    c->sequence[0] = ABR_ESC;
    c->swallowed = 1;
    c->parameter_count = 0;
    c->prefix = 0;
    memset(c->parameters, 0, sizeof c->parameters);
}

static void escape_byte(abr_cleaner *c, char byte)
{
    if (byte == '[')
        c->state = CSI;
    else if (byte == ']' || byte == 'P' || byte == 'X' || byte == '^' || byte == '_')
        c->state = CONTROL_STRING;
    else if (byte < 0x30)
        c->state = DESIGNATE;
    else
        end_escape(c, byte);
}

static void control_byte(abr_cleaner *c, char byte)
{
    size_t last = c->parameter_count;
    if (byte >= '0' && byte <= '9') {
        if (last < PARAMETERS && c->parameters[last] < PARAMETER_MOST)
            c->parameters[last] = c->parameters[last] * 10 + (size_t)(byte - '0');
    } else if (byte == ';') {
        c->parameter_count += last < PARAMETERS;
    } else if (byte < 0x40) {
        if (byte != ':') /* parts of a color */
            c->prefix = byte;
    } else {
        end_control(c, byte);
    }
}

/* ---- bytes ---- */

static void go_to_start(abr_cleaner *c)
{
    if (c->strips)
        abr_strip_return(&c->strip);
    else
        abr_screen_return(&c->screen);
}

static void take_back(abr_cleaner *c)
{
    if (c->strips)
        abr_strip_text(&c->strip, "\b", 1);
    else
        abr_screen_back(&c->screen);
}

/* A control byte that starts no sequence. */
static void act_on(abr_cleaner *c, char byte)
{
    if (byte == '\n' || byte == '\t') {
        put_text(c, &byte, 1);
    } else if (byte == '\r') {
        if (count_control(c, ABR_CLEAN_RETURN, &byte, 1))
            go_to_start(c);
    } else if (byte == ABR_BS) {
        if (count_control(c, ABR_CLEAN_BACKSPACE, &byte, 1))
            take_back(c);
    } else {
        count_control(c, ABR_CLEAN_CONTROL, &byte, 1);
    }
}

/* A byte that belongs to the sequence. */
static void add_to_sequence(abr_cleaner *c, char byte)
{
    c->sequence[c->swallowed++] = byte;
    switch (c->state) {
    case AFTER_ESC:
        escape_byte(c, byte);
        break;
    case DESIGNATE:
        if (byte >= 0x30)
            take_sequence(c, ABR_CLEAN_CHARSET);
        break;
    case CSI:
        control_byte(c, byte);
        break;
    case CONTROL_STRING:
        if (byte == ABR_BEL)
            take_sequence(c, ABR_CLEAN_STRING);
        else if (byte == ABR_ESC)
            c->state = STRING_END;
        break;
    default: /* STRING_END; only '\\' gets here */
        take_sequence(c, ABR_CLEAN_STRING);
    }
    if (c->state != GROUND && c->swallowed == SWALLOW_MOST)
        give_up(c);
}

/* Take a byte within a sequence; false: it breaks the sequence off, and must be looked at again. */
static bool sequence_byte(abr_cleaner *c, char byte)
{
    bool in_string = c->state == CONTROL_STRING;
    if (byte == ABR_CAN || byte == ABR_SUB) {
        give_up(c);
        return true;
    }
    if (c->state == STRING_END && byte != '\\') {
        give_up(c);
        start_sequence(c);
    }
    if (byte == ABR_ESC && !in_string) {
        give_up(c);
        start_sequence(c);
        return true;
    }
    if (!in_string && (unsigned char)byte >= 0x80) {
        give_up(c);
        return false;
    }
    if (!in_string && ((unsigned char)byte < 0x20 || byte == ABR_DEL))
        act_on(c, byte);
    else
        add_to_sequence(c, byte);
    return true;
}

/* Is the byte at p no part of a char, whatever follows (p, n)? */
static bool is_invalid(const char *p, size_t n)
{
    return (unsigned char)*p >= 0x80 && abr_char_size(p, n) == 1 &&
           (n >= HELD_MOST || abr_open_sequence(p, n) < n);
}

/* Put text with U+FFFD for the bytes outside UTF-8, and without the CR before each newline, which returns
 * anyway. Short runs go to the screen many at a time. Returns the bytes taken, 0 if (p, n) starts with
 * neither. */
static size_t put_mended(abr_cleaner *c, const char *p, size_t n)
{
    char text[MENDED_BYTES];
    size_t used = 0;
    size_t at = 0;
    const bool keeps_returns = is_kept(c, ABR_CLEAN_RETURN);
    const bool keeps_invalid = is_kept(c, ABR_CLEAN_INVALID);
    while (at < n && sizeof text - used >= ABR_REPLACEMENT_SIZE) {
        if (!keeps_returns && p[at] == '\r' && n - at > 1 && p[at + 1] == '\n') {
            c->count[ABR_CLEAN_RETURN]++;
            text[used++] = '\n';
            at += 2;
        } else if (!keeps_invalid && is_invalid(p + at, n - at)) {
            c->count[ABR_CLEAN_INVALID]++;
            memcpy(text + used, ABR_REPLACEMENT, ABR_REPLACEMENT_SIZE);
            used += ABR_REPLACEMENT_SIZE;
            at++;
        } else {
            break;
        }
        if (at < n && p[at] != '\r' && (unsigned char)p[at] < 0x80) {
            const size_t most = n - at < sizeof text - used ? n - at : sizeof text - used;
            const size_t run = abr_plain_run(p + at, most);
            memcpy(text + used, p + at, run);
            used += run;
            at += run;
        }
    }
    if (used > 0)
        put_text(c, text, used);
    return at;
}

/* Take the start of (p, n), which is not plain text; returns the bytes taken. */
static size_t special(abr_cleaner *c, const char *p, size_t n)
{
    if (*p == ABR_ESC) {
        start_sequence(c);
        return 1;
    }
    const size_t mended = put_mended(c, p, n);
    if (mended > 0)
        return mended;
    if ((unsigned char)*p < 0x80) {
        act_on(c, *p);
        return 1;
    }
    size_t size = abr_char_size(p, n);
    if (size > 1) {
        count_control(c, ABR_CLEAN_C1, p, size);
        return size;
    }
    if (n < sizeof c->held && abr_open_sequence(p, n) == n) {
        memcpy(c->held, p, n);
        c->held_n = n;
        return n;
    }
    put_invalid(c, *p);
    return 1;
}

static void process(abr_cleaner *c, const char *p, size_t n)
{
    for (size_t i = 0; i < n;) {
        if (c->state != GROUND) {
            i += sequence_byte(c, p[i]);
            continue;
        }
        size_t run = abr_plain_run(p + i, n - i);
        if (run > 0)
            put_text(c, p + i, run);
        i += run;
        if (i < n)
            i += special(c, p + i, n - i);
    }
}

/* Take the next bytes of the text, decoded. */
static void take_decoded(void *ctx, const char *p, size_t n)
{
    abr_cleaner *c = ctx;
    if (c->decodes) {
        abr_strip_text(&c->strip, p, n);
        return;
    }
    while (c->held_n > 0 && n > 0) {
        c->held[c->held_n++] = *p++;
        n--;
        size_t size = c->held_n;
        if (abr_open_sequence(c->held, size) == size)
            continue;
        char bytes[sizeof c->held];
        memcpy(bytes, c->held, size);
        c->held_n = 0;
        process(c, bytes, size);
    }
    process(c, p, n);
}

/* ---- the public functions ---- */

abr_code abr_cleaner_open(const abr_clean_opts *opts, abr_sink_fn sink, void *sink_ctx, abr_cleaner **out,
                          abr_error *error)
{
    *out = NULL;
    if (opts->keep >> ABR_CLEAN_KINDS != 0)
        return abr_fail(error, ABR_EINVAL, "unknown kinds to keep");
    const abr_alloc *alloc = abr_allocator(opts->alloc);
    abr_cleaner *c = alloc->malloc(alloc->ctx, sizeof *c);
    if (!c)
        return abr_no_memory(error);
    memset(c, 0, offsetof(abr_cleaner, sequence));
    c->alloc = alloc;
    c->keep = opts->keep;
    c->decodes = opts->decode;
    c->strips = opts->strip || opts->decode;
    c->filters = opts->invisible && !c->strips;
    abr_utf16_start(&c->encoded, take_decoded, c);
    abr_invisible_start(&c->seen, sink, sink_ctx);
    abr_strip_start(&c->strip, sink, sink_ctx, is_kept(c, ABR_CLEAN_CONTROL));
    if (c->filters)
        abr_screen_start(&c->screen, abr_invisible_write, &c->seen, c->keep);
    else
        abr_screen_start(&c->screen, sink, sink_ctx, c->keep);
    *out = c;
    return ABR_OK;
}

/* Did the sink take all it was given since the last call? */
static abr_code sink_outcome(abr_cleaner *c)
{
    bool failed = c->screen.failed || c->strip.failed;
    c->screen.failed = c->strip.failed = false;
    return failed ? ABR_ENOMEM : ABR_OK;
}

abr_code abr_cleaner_write(abr_cleaner *c, const char *p, size_t n)
{
    c->raw_bytes += n;
    abr_utf16_write(&c->encoded, p, n);
    if (!c->strips)
        abr_screen_flush(&c->screen);
    return sink_outcome(c);
}

/* Copy to *ctx, unless that is NULL, and advance it. */
static bool copy_on(void *ctx, const char *p, size_t n)
{
    char **dst = ctx;
    if (*dst) {
        memcpy(*dst, p, n);
        *dst += n;
    }
    return true;
}

/* Put how a first byte shows that is held back, since it may begin a byte order mark; returns its bytes, 0 if
 * there is none. */
static size_t put_held(const abr_cleaner *c, char shown[ABR_REPLACEMENT_SIZE])
{
    if (c->encoded.order != ABR_UTF16_OPEN || c->encoded.held_n == 0)
        return 0;
    const bool kept = is_kept(c, ABR_CLEAN_INVALID);
    const size_t n = kept ? c->encoded.held_n : ABR_REPLACEMENT_SIZE;
    memcpy(shown, kept ? c->encoded.held : ABR_REPLACEMENT, n);
    return n;
}

/* Copy the pending text without the chars that hide text; returns its bytes. */
static size_t filtered(const abr_cleaner *c, const abr_screen_rest *rest, const char *held, size_t held_n,
                       char *dst)
{
    abr_invisible seen = c->seen;
    seen.sink = copy_on;
    seen.sink_ctx = &dst;
    abr_invisible_write(&seen, rest->p, rest->n);
    abr_invisible_write(&seen, rest->rest, rest->rest_n);
    abr_invisible_write(&seen, held, held_n);
    abr_invisible_finish(&seen);
    return (size_t)(seen.written - c->seen.written);
}

size_t abr_cleaner_pending(const abr_cleaner *c, char *dst)
{
    if (c->finished || c->strips)
        return 0;
    abr_screen_rest rest = abr_screen_left_over(&c->screen);
    char held[ABR_REPLACEMENT_SIZE];
    const size_t held_n = put_held(c, held);
    if (c->filters)
        return filtered(c, &rest, held, held_n, dst);
    if (dst) {
        memcpy(dst, rest.p, rest.n);
        memcpy(dst + rest.n, rest.rest, rest.rest_n);
        memcpy(dst + rest.n + rest.rest_n, held, held_n);
    }
    return rest.n + rest.rest_n + held_n;
}

abr_code abr_cleaner_finish(abr_cleaner *c, abr_clean_stats *stats)
{
    if (!c->finished) {
        abr_utf16_finish(&c->encoded);
        for (size_t i = 0; i < c->held_n; i++)
            put_invalid(c, c->held[i]);
        if (c->state != GROUND)
            give_up(c);
        if (!c->strips)
            abr_screen_finish(&c->screen);
        if (c->filters && !abr_invisible_finish(&c->seen))
            c->screen.failed = true;
        c->finished = true;
    }
    if (stats)
        *stats = abr_cleaner_stats(c);
    return sink_outcome(c);
}

abr_clean_stats abr_cleaner_stats(const abr_cleaner *c)
{
    const uint64_t written = c->strips ? c->strip.written : c->filters ? c->seen.written : c->screen.written;
    abr_clean_stats stats = {.raw_bytes = c->raw_bytes,
                             .bytes = written + abr_cleaner_pending(c, NULL),
                             .invisible = c->seen.dropped};
    memcpy(stats.count, c->count, sizeof stats.count);
    stats.count[ABR_CLEAN_TAB] = c->screen.blanked_tabs;
    return stats;
}

void abr_cleaner_close(abr_cleaner *c)
{
    if (c)
        c->alloc->free(c->alloc->ctx, c);
}

/* ---- a whole text ---- */

/* Add to the block of a cleaned text, growing it if needed. */
static bool add_cleaned(void *ctx, const char *p, size_t n)
{
    abr_cleaned *out = ctx;
    const abr_alloc *a = out->alloc;
    if (n > out->block_size - out->n) {
        size_t size = out->block_size;
        while (n > size - out->n) {
            if (size > SIZE_MAX / 2)
                return false;
            size *= 2;
        }
        char *grown = a->realloc(a->ctx, out->block, out->block_size, size);
        if (!grown)
            return false;
        out->block = grown;
        out->block_size = size;
    }
    memcpy(out->block + out->n, p, n);
    out->n += n;
    return true;
}

abr_code abr_clean_text(const char *p, size_t n, const abr_clean_opts *opts, abr_cleaned *out,
                        abr_error *error)
{
    *out = (abr_cleaned){.p = p, .n = n, .stats = {.raw_bytes = n, .bytes = n}};
    out->alloc = abr_allocator(opts->alloc);
    if (opts->keep >> ABR_CLEAN_KINDS == 0 && abr_plain_run(p, n) == n &&
        (!opts->invisible || opts->strip || abr_invisible_run(p, n) == n))
        return ABR_OK;
    abr_cleaner *cleaner;
    abr_code code = abr_cleaner_open(opts, add_cleaned, out, &cleaner, error);
    if (!cleaner)
        return code;
    out->n = 0;
    out->block = out->alloc->malloc(out->alloc->ctx, n);
    out->block_size = n;
    code = out->block ? abr_cleaner_write(cleaner, p, n) : ABR_ENOMEM;
    if (code == ABR_OK)
        code = abr_cleaner_finish(cleaner, &out->stats);
    abr_cleaner_close(cleaner);
    if (code != ABR_OK) {
        abr_cleaned_free(out);
        return abr_fail(error, code, "out of memory");
    }
    out->changed = out->n != n || memcmp(out->block, p, n) != 0;
    out->p = out->changed ? out->block : p;
    return ABR_OK;
}

void abr_cleaned_free(abr_cleaned *out)
{
    if (out->block)
        out->alloc->free(out->alloc->ctx, out->block);
    out->block = NULL;
    out->p = NULL;
    out->n = 0;
}
