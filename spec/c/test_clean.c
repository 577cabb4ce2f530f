/* Clean-up: what a terminal would finally show, for every chunking, in bounded memory. */

#include "ledger.h"

enum { KB = 1024, MB = 1024 * 1024 };

static const abr_clean_opts all = {.keep = 0};

/* ---- helpers ---- */

static abr_clean_stats clean_with(const abr_clean_opts *opts, const char *text, size_t n, const char *want,
                                  size_t want_n, int line)
{
    char *copy = exact(text, n);
    abr_cleaned out;
    abr_error error = {ABR_OK, NULL, 0};
    check_that(abr_clean_text(copy, n, opts, &out, &error) == ABR_OK, "abr_clean_text", __FILE__, line);
    check_text(want, want_n, out.p, out.n, "cleaned", __FILE__, line);
    check_that(out.changed == (want_n != n || (n > 0 && memcmp(want, text, n) != 0)), "changed", __FILE__,
               line);
    check_that(out.changed || out.p == copy, "uncopied", __FILE__, line);
    check_count(n, out.stats.raw_bytes, "raw_bytes", __FILE__, line);
    check_count(out.n, out.stats.bytes, "bytes", __FILE__, line);
    abr_clean_stats stats = out.stats;
    abr_cleaned_free(&out);
    free(copy);
    return stats;
}

#define CLEAN(text, want) clean_with(&all, (text), sizeof(text) - 1, (want), sizeof(want) - 1, __LINE__)
#define KEEP(kind, text, want)                                                                               \
    clean_with(&(abr_clean_opts){.keep = 1u << (kind)}, (text), sizeof(text) - 1, (want), sizeof(want) - 1,  \
               __LINE__)

/* The text that a sink has received. */
typedef struct {
    char *p;
    size_t n;
    size_t size;
    size_t fail_after; /* calls that succeed; 0: all */
    size_t calls;
} text;

static bool collect(void *ctx, const char *p, size_t n)
{
    text *t = ctx;
    if (t->fail_after > 0 && ++t->calls > t->fail_after)
        return false;
    if (t->n + n > t->size) {
        t->size = 2 * (t->n + n);
        t->p = realloc(t->p, t->size);
        if (!t->p)
            exit(2);
    }
    memcpy(t->p + t->n, p, n);
    t->n += n;
    return true;
}

static abr_cleaner *open_cleaner(const abr_clean_opts *opts, text *t)
{
    abr_cleaner *c = NULL;
    memset(t, 0, sizeof *t);
    if (abr_cleaner_open(opts, collect, t, &c, NULL) != ABR_OK)
        exit(2);
    return c;
}

/* ---- lines ---- */

static void plain_text_is_not_touched(void)
{
    CLEAN("", "");
    CLEAN("a", "a");
    CLEAN("a\tb  \n\nc\n", "a\tb  \n\nc\n");
    CLEAN("\xC3\xA9\xE4\xB8\x96\xF0\x9F\x98\x80 e\xCC\x81\n",
          "\xC3\xA9\xE4\xB8\x96\xF0\x9F\x98\x80 e\xCC\x81\n");
}

static void a_carriage_return_rewrites_the_line(void)
{
    CLEAN("a\r\nb\r\n", "a\nb\n");
    CLEAN("a\r\r\nb", "a\nb");
    CLEAN("10%\r50%\r100%\n", "100%\n");
    CLEAN("hello\rbye", "byelo");
    CLEAN("hello\rbye\n", "byelo\n");
    CLEAN("a\nhello\rj", "a\njello");
    CLEAN("hello\r", "hello");
    CLEAN("hello\r\x1B[Kx\n", "x\n");
    abr_clean_stats s = CLEAN("a\rb\rc\r\n", "c\n");
    CHECK_COUNT(3, s.count[ABR_CLEAN_RETURN]);
}

static void blanks_of_what_was_overwritten_go(void)
{
    CLEAN("a long line\rshort      \n", "short\n");
    CLEAN("a long line\rshort      ", "short");
    CLEAN("untouched   \nx", "untouched   \nx");
    CLEAN("untouched   \x1B[K\n", "untouched   \n");
    CLEAN("a long line\r\x1B[Kshort  \n", "short\n");
    CLEAN("long\r    \rok", "ok");
}

static void a_backspace_goes_back(void)
{
    CLEAN("ab\bc", "ac");
    CLEAN("|\b/\b-\b\\\b|", "|");
    CLEAN("\b\ba", "a");
    CLEAN("a\n\bb", "a\nb");
    CLEAN("abc\b\b", "abc");
    CLEAN("N\bNA\bAM\bME\bE", "NAME");
}

static void tabs_move_to_the_next_stop(void)
{
    CLEAN("a\tb\rX", "X       b");
    CLEAN("a\tb\bX", "a       X");
    CLEAN("a\t\bX", "a      X");
    CLEAN("abcdefghij\r\tX", "abcdefghXj");
    CLEAN("abc\rX\tY", "Xbc     Y");
    CLEAN("\tx\ny\rz\tw", "\tx\nz       w");
    abr_clean_stats s = CLEAN("a\tb\rX", "X       b");
    CHECK_COUNT(1, s.count[ABR_CLEAN_TAB]);
}

static void the_line_is_erased(void)
{
    CLEAN("abcdef\x1B[3D\x1B[K", "abc");
    CLEAN("abcdef\x1B[3D\x1B[0Kx", "abcx");
    CLEAN("abcdef\x1B[3D\x1B[1K", "    ef");
    CLEAN("abcdef\x1B[2Kx", "      x");
    CLEAN("abcdef\x1B[2K\rx", "x");
    CLEAN("abcdef\x1B[1K", "");
    CLEAN("abcdef\x1B[9K", "abcdef");
}

static void the_display_is_erased(void)
{
    CLEAN("a\nb\nc\n\x1B[2A\x1B[Jx\n", "a\nx\n");
    CLEAN("a\nb\nc\x1B[A\x1B[1Jx", "\n x\nc");
    CLEAN("a\nb\nc\x1B[2J\x1B[Hx", "x");
    CLEAN("a\nb\nc\x1B[2Jx", "\n\n x");
    CLEAN("a\nb\nc\x1B[H\x1B[Jx", "x");
    CLEAN("a\nb\nc\x1B[3Jx", "a\nb\ncx");
    CLEAN("a\nb\x1B"
          "cx",
          "x");
}

static void the_cursor_moves(void)
{
    CLEAN("one\ntwo\nthree\x1B[2A\rONE", "ONE\ntwo\nthree");
    CLEAN("one\ntwo\nthree\x1B[2A\rONE\x1B[2B!", "ONE\ntwo\nthr!e");
    CLEAN("one\ntwo\n\x1B[1Fx\x1B[E!", "one\nxwo\n!");
    CLEAN("abcdef\x1B[3GX", "abXdef");
    CLEAN("abcdef\x1B[G\x1B[2CX", "abXdef");
    CLEAN("abcdef\x1B[4DX", "abXdef");
    CLEAN("abc\x1B[2CX", "abc  X");
    CLEAN("abc\x1B[99DX", "Xbc");
    CLEAN("a\nb\nc\x1B[1;3Hx\x1B[3dy", "a x\nb\nc  y");
    CLEAN("a\nb\x1B[9A\rX", "X\nb");
    CLEAN("a\x1B[2Bb", "a\n\n b");
    CLEAN("a\x1B[2B\nb", "a\n\n\nb");
    CLEAN("a\x1B[2B", "a");
    CLEAN("ab\x1B"
          "7\ncd\x1B"
          "8X\n",
          "abX\ncd");
    CLEAN("ab\x1B[scd\x1B[uX", "abXd");
    CLEAN("ab\ncd\x1BMX\x1B"
          "DY\x1B"
          "EZ",
          "abX\ncd Y\nZ");
}

static void chars_are_inserted_and_deleted(void)
{
    CLEAN("abcdef\r\x1B[2@X", "X abcdef");
    CLEAN("abcdef\r\x1B[2P", "cdef");
    CLEAN("abcdef\r\x1B[C\x1B[2X", "a  def");
    CLEAN("abcdef\r\x1B[C\x1B[20X", "a");
    CLEAN("abcdef\r\x1B[C\x1B[20P", "a");
    CLEAN("abc\x1B[3@", "abc");
}

static void wide_chars_are_not_halved(void)
{
    CLEAN("\xE4\xB8\x96\xE7\x95\x8C!\rx", "x \xE7\x95\x8C!");
    CLEAN("\xE4\xB8\x96\xE7\x95\x8C!\r\x1B[Cx", " x\xE7\x95\x8C!");
    CLEAN("\xE4\xB8\x96\xE7\x95\x8C!\r\x1B[Cxy", " xy !");
    CLEAN("abcd\r\xE4\xB8\x96", "\xE4\xB8\x96"
                                "cd");
    CLEAN("\xE4\xB8\x96\xE7\x95\x8C\x1B[2G\x1B[K", "");
    CLEAN("\xE4\xB8\x96\xE7\x95\x8C\x1B[2G\x1B[1K", "  \xE7\x95\x8C");
    CLEAN("\xE4\xB8\x96\xE7\x95\x8C\x1B[2G\x1B[P", " \xE7\x95\x8C");
    CLEAN("a\xE4\xB8\x96"
          "b\bc",
          "a\xE4\xB8\x96"
          "c");
}

static void combining_chars_stay_with_theirs(void)
{
    CLEAN("e\xCC\x81"
          "a\rx",
          "xa");
    CLEAN("ae\xCC\x81\bx", "ax");
    CLEAN("abc\r\x1B[C\xCC\x81", "a\xCC\x81"
                                 "bc");
    CLEAN("abc\rx\xCC\x81", "x\xCC\x81"
                            "bc");
    CLEAN("\xCC\x81"
          "abc\rx",
          "\xCC\x81"
          "xbc");
}

/* ---- what vanishes ---- */

static void sequences_vanish(void)
{
    CLEAN("\x1B[1;31merror\x1B[0m: x\x1B[m\n", "error: x\n");
    CLEAN("\x1B[38:2:1:2:3mx", "x");
    CLEAN("\x1B]0;title\x07x", "x");
    CLEAN("\x1B]8;;http://a/\x1B\\text\x1B]8;;\x1B\\", "text");
    CLEAN("\x1BPq#0\n\x1B\\x\x1B_a\x1B\\\x1B^b\x1B\\\x1BXc\x1B\\y", "xy");
    CLEAN("\x1B(B\x1B)0\x1B%G\x1B#8x", "x");
    CLEAN("\x1B[?25l\x1B[?1049hx\x1B=\x1B>\x1B[>4;1m\x1B[!p\x1B[4 qy", "xy");
    CLEAN("a\xC2\x9B"
          "b\xC2\x80"
          "c\xC2\x85"
          "d\xC2\xA0",
          "abcd\xC2\xA0");
    CLEAN("a\x00\x01\x07\x0B\x0C\x0E\x0F\x7F"
          "b",
          "ab");
    CLEAN("\x1B\x1B[1mx", "x");
    CLEAN("\x1B]0;t\x1B[1mx", "x");
    CLEAN("\x1B[1\x18x\x1B]t\x1Ay", "xy");
    CLEAN("\x1B[3\n1mx", "\nx");
    CLEAN("\x1B[3\xC3\xA9", "\xC3\xA9");
    abr_clean_stats s =
        CLEAN("\x1B[1m\x1B]0;t\x07\x1B(B\x1B[?25l\x01\xC2\x80\b\x1B[K\x1B[A\xFF", "\xEF\xBF\xBD");
    for (int kind = ABR_CLEAN_BACKSPACE; kind < ABR_CLEAN_KINDS; kind++)
        CHECK_COUNT(kind == ABR_CLEAN_TAB ? 0 : 1, s.count[kind]);
}

#define HIDE(count, text, want)                                                                              \
    CHECK_COUNT(count, clean_with(&(abr_clean_opts){.invisible = true}, (text), sizeof(text) - 1, (want),    \
                                  sizeof(want) - 1, __LINE__)                                                \
                           .invisible)

static void what_hides_text_goes_when_asked_for(void)
{
    CLEAN("a\xE2\x80\x8B"
          "b",
          "a\xE2\x80\x8B"
          "b"); /* off */
    HIDE(1,
         "a\xE2\x80\x8B"
         "b",
         "ab");
    HIDE(2, "x\xF3\xA0\x81\x81\xF3\xA0\x81\x82y", "xy"); /* tags */
    HIDE(2,
         "if \xE2\x80\xAE"
         "x\xE2\x80\xAC",
         "if x"); /* an override */
    HIDE(2,
         "a\xE2\x81\xA6"
         "b\xE2\x81\xA9",
         "ab"); /* an isolate */
    HIDE(1,
         "\xEF\xBB\xBF"
         "a",
         "a");
    HIDE(3, "\xF0\x9F\x98\x80\xEF\xB8\x8F\xEF\xB8\x81\xEF\xB8\x82\xF3\xA0\x84\x81",
         "\xF0\x9F\x98\x80\xEF\xB8\x8F"); /* a text in selectors */
    HIDE(3, "\xD8\xA7\xE2\x80\x8C\xE2\x80\x8D\xE2\x80\x8C\xE2\x80\x8D", "\xD8\xA7\xE2\x80\x8C");
    HIDE(1, "a\x1B[m\xE2\x80\x8D\x1B[m", "a");
    HIDE(1, "\xE2\x80\x8B", "");
}

static void what_writing_needs_stays(void)
{
    HIDE(0, "\xF0\x9F\x91\xA8\xE2\x80\x8D\xF0\x9F\x91\xA9", "\xF0\x9F\x91\xA8\xE2\x80\x8D\xF0\x9F\x91\xA9");
    HIDE(0, "\xE2\x9D\xA4\xEF\xB8\x8F\xE2\x80\x8D\xF0\x9F\x94\xA5",
         "\xE2\x9D\xA4\xEF\xB8\x8F\xE2\x80\x8D\xF0\x9F\x94\xA5");
#define ENGLAND                                                                                              \
    "\xF0\x9F\x8F\xB4\xF3\xA0\x81\xA7\xF3\xA0\x81\xA2\xF3\xA0\x81\xA5\xF3\xA0\x81\xAE\xF3\xA0\x81\xA7\xF3"   \
    "\xA0\x81\xBF"
    HIDE(0, ENGLAND "!", ENGLAND "!");
    HIDE(1, ENGLAND "\xF3\xA0\x81\xA7", ENGLAND);
    HIDE(2, "\xF0\x9F\x8F\xB4\xF3\xA0\x81\xA7\xF3\xA0\x81\xA2x", "\xF0\x9F\x8F\xB4x"); /* no end */
    HIDE(0, "1\xEF\xB8\x8F\xE2\x83\xA3", "1\xEF\xB8\x8F\xE2\x83\xA3");
    HIDE(1, "a\xEF\xB8\x8F", "a");
    HIDE(0, "\xDB\x8C\xE2\x80\x8C\xD8\xAE", "\xDB\x8C\xE2\x80\x8C\xD8\xAE"); /* Persian */
    HIDE(0, "\xE0\xA4\x95\xE0\xA5\x8D\xE2\x80\x8D", "\xE0\xA4\x95\xE0\xA5\x8D\xE2\x80\x8D");
    HIDE(0, "\xE0\xB8\x81\xE2\x80\x8B\xE0\xB8\x82", "\xE0\xB8\x81\xE2\x80\x8B\xE0\xB8\x82"); /* Thai */
    HIDE(0, "\xD7\x90\xE2\x80\x8F!", "\xD7\x90\xE2\x80\x8F!");
    HIDE(0, "a\xE2\x80\x8F\xD7\x90", "a\xE2\x80\x8F\xD7\x90");
    HIDE(0, "\xE8\x91\x9B\xF3\xA0\x84\x80", "\xE8\x91\x9B\xF3\xA0\x84\x80"); /* a variant of a Han char */
}

static void a_sequence_without_an_end_swallows_little(void)
{
    enum { N = 10 * KB, SWALLOWED = 4 * KB };
    static const char *const starts[] = {"\x1B]", "\x1B[", "\x1BP", "\x1B("};
    char raw[N];
    for (size_t i = 0; i < 4; i++) {
        memset(raw, i == 1 ? '1' : i == 3 ? ' ' : 'x', N);
        memcpy(raw, starts[i], 2);
        clean_with(&all, raw, N, raw + SWALLOWED, N - SWALLOWED, __LINE__);
        clean_with(&all, raw, SWALLOWED - 1, "", 0, __LINE__);
    }
}

static void every_invalid_byte_is_replaced(void)
{
    CLEAN("a\xFF\xFE"
          "b",
          "a\xEF\xBF\xBD\xEF\xBF\xBD"
          "b");
    CLEAN("\xE2\x82", "\xEF\xBF\xBD\xEF\xBF\xBD");
    CLEAN("\xE2\x82"
          "a",
          "\xEF\xBF\xBD\xEF\xBF\xBD"
          "a");
    CLEAN("\xED\xA0\x80\xC0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
    CLEAN("abc\r\xFFx", "\xEF\xBF\xBDxc");
    abr_clean_stats s = CLEAN("\xF0\x9F\x98", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
    CHECK_COUNT(3, s.count[ABR_CLEAN_INVALID]);
}

/* ---- UTF-16 ---- */

/* Put ASCII as UTF-16, the mark not with it; returns its bytes. */
static size_t put_wide(const char *ascii, bool big, char *dst)
{
    size_t n = 0;
    for (; *ascii; ascii++) {
        dst[n++] = big ? '\0' : *ascii;
        dst[n++] = big ? *ascii : '\0';
    }
    return n;
}

static void utf_16_is_decoded(void)
{
    CLEAN("\xFF\xFE", "");
    CLEAN("\xFF\xFE"
          "a\0\n\0",
          "a\n");
    CLEAN("\xFE\xFF"
          "\0a\0\n",
          "a\n");
    CLEAN("\xFE\xFF\x4E\x16\x00\xE9\xD8\x3D\xDE\x00", "\xE4\xB8\x96\xC3\xA9\xF0\x9F\x98\x80");
    /* as in any text, movements act and colours go */
    CLEAN("\xFF\xFE"
          "1\0\r\0"
          "2\0\x1B\0[\0m\0\r\0\n\0",
          "2\n");
    /* halves of pairs, and of a unit */
    CLEAN("\xFE\xFF\xD8\x3D\0a\xDE\x00\0b\xD8\x3D", "\xEF\xBF\xBD"
                                                    "a\xEF\xBF\xBD"
                                                    "b\xEF\xBF\xBD");
    CLEAN("\xFF\xFE"
          "a\0b",
          "a\xEF\xBF\xBD");
    /* no mark at the start */
    CLEAN("\xFF", "\xEF\xBF\xBD");
    CLEAN("\xFF\xFF", "\xEF\xBF\xBD\xEF\xBF\xBD");
    CLEAN("x\xFF\xFEy", "x\xEF\xBF\xBD\xEF\xBF\xBDy");
    CLEAN("a\0b\0", "ab");
}

/* What another program printed after the text shows too. */
static void utf_16_ends_where_utf_8_goes_on(void)
{
    static const char tails[][64] = {"ok\n",
                                     "exit 1",
                                     "x",
                                     "make: *** [all] Error 2\nmake: Leaving\n",
                                     "0123456789abcdef0123456789abcdef\xFF\n",
                                     "Fehler: Datei f\xC3\xBCr x fehlt, Abbruch\n",
                                     "\xE2\x9C\x96 3 problems in the cart, and more\n"};
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
        for (int big = 0; big < 2; big++) {
            char raw[256] = "\xFF\xFE";
            char want[256] = "one\nlast\n";
            memcpy(raw, big ? "\xFE\xFF" : "\xFF\xFE", 2);
            size_t n = 2 + put_wide(want, big != 0, raw + 2);
            const size_t tail = strlen(tails[i]);
            memcpy(raw + n, tails[i], tail);
            n += tail;
            strcat(want, i == 4 ? "0123456789abcdef0123456789abcdef\xEF\xBF\xBD\n" : tails[i]);
            clean_with(&all, raw, n, want, strlen(want), __LINE__);
        }
    }
    /* fewer bytes within a line may be chars: U+4E20, U+4E21 */
    CLEAN("\xFE\xFF\0a\x4E\x20\x4E\x21", "a\xE4\xB8\xA0\xE4\xB8\xA1");
    /* chars of one block, such as of drawn tables and kana, whose bytes are all ASCII, are no other text */
    char raw[256] = "\xFF\xFE";
    char want[256] = "";
    size_t n = 2;
    for (unsigned i = 0; i < 40; i++, n += 2) {
        memcpy(raw + n, i % 2 == 0 ? "P%" : "Q%", 2); /* U+2550, U+2551 */
        strcat(want, i % 2 == 0 ? "\xE2\x95\x90" : "\xE2\x95\x91");
    }
    clean_with(&all, raw, n, want, strlen(want), __LINE__);
    /* a mark before other text is none */
    CLEAN("\xFF\xFEplain text\n", "\xEF\xBF\xBD\xEF\xBF\xBDplain text\n");
}

static void utf_16_can_be_all_that_is_decoded(void)
{
    static const char raw[] = "\xFF\xFE"
                              "a\0\r\0\x1B\0[\0m\0\0\0\xE9\0";
    static const char want[] = "a\r\x1B[m\0\xC3\xA9";
    const abr_clean_opts decode = {.decode = true};
    clean_with(&decode, raw, sizeof raw - 1, want, sizeof want - 1, __LINE__);
    clean_with(&decode, want, sizeof want - 1, want, sizeof want - 1, __LINE__);
}

/* ---- options ---- */

static void kinds_can_be_kept(void)
{
    KEEP(ABR_CLEAN_COLOR, "\x1B[1mx\x1B[0m\x1B[K\n", "\x1B[1mx\x1B[0m\n");
    KEEP(ABR_CLEAN_COLOR, "\x1B[1mabc\x1B[0m\rx", "\x1B[1mxbc\x1B[0m");
    KEEP(ABR_CLEAN_COLOR, "\x1B[1mx\x1B[0m", "\x1B[1mx\x1B[0m");
    KEEP(ABR_CLEAN_RETURN, "a\rb\x1B[m\r\n", "a\rb\r\n");
    KEEP(ABR_CLEAN_BACKSPACE, "a\bb\r\n", "a\bb\n");
    KEEP(ABR_CLEAN_TAB, "a\tb\rc", "c\tb");
    KEEP(ABR_CLEAN_ERASE, "abc\r\x1B[Kx", "\x1B[Kxbc");
    KEEP(ABR_CLEAN_CURSOR, "abc\x1B[2D\x1B[mx", "abc\x1B[2Dx");
    KEEP(ABR_CLEAN_STRING, "\x1B]0;t\x07\x1B[mx\x1BPq\x1B\\", "\x1B]0;t\x07x\x1BPq\x1B\\");
    KEEP(ABR_CLEAN_STRING, "\x1B]0;\xFF\x07x", "x");
    KEEP(ABR_CLEAN_CHARSET, "\x1B(Bx\x1B=", "\x1B(Bx");
    KEEP(ABR_CLEAN_ESCAPE, "\x1B(Bx\x1B=", "x\x1B=");
    KEEP(ABR_CLEAN_CONTROL, "a\x01\x7F\x1B[mb",
         "a\x01\x7F"
         "b");
    KEEP(ABR_CLEAN_C1, "a\xC2\x9B\x1B[mb",
         "a\xC2\x9B"
         "b");
    KEEP(ABR_CLEAN_INVALID, "a\xFF\x1B[mb",
         "a\xFF"
         "b");
    abr_clean_opts o = {.keep = 1u << ABR_CLEAN_KINDS};
    abr_cleaned out;
    abr_error error = {ABR_OK, NULL, 0};
    CHECK(abr_clean_text("a", 1, &o, &out, &error) == ABR_EINVAL);
    CHECK(error.code == ABR_EINVAL);
    abr_cleaned_free(&out);
}

/* ---- the window ---- */

#define STRIP(text, want)                                                                                    \
    clean_with(&(abr_clean_opts){.strip = true}, (text), sizeof(text) - 1, (want), sizeof(want) - 1, __LINE__)

static void movements_stay_where_only_noise_is_stripped(void)
{
    STRIP("password=a\rDone\n", "password=a\rDone\n");
    STRIP("ab\b\bc\td\x1B[K\x1B[?2J", "ab\b\bc\td\x1B[0K\x1B[2J");
    STRIP("a\x1B[007;00003Hb\x1B[;;5Dc\x1BM\x1B"
          "7",
          "a\x1B[7;3Hb\x1B[0Dc\x1BM\x1B"
          "7");
    STRIP("a\x1B[1\rCb", "a\r\x1B[1Cb");
    STRIP("a\r\n\r\r\nb\r\x1B[m\nc\r", "a\n\nb\0\nc");
    STRIP("a\0b\x1B[1m\x1B(B\x1B]0;t\x07"
          "c\xC2\x85"
          "d\x1B[",
          "a\0b\0c\0d");
    STRIP("a\xFF\xE2\x80\x8B"
          "b",
          "a\xEF\xBF\xBD\xE2\x80\x8B"
          "b");
    clean_with(&(abr_clean_opts){.strip = true, .keep = 1u << ABR_CLEAN_CONTROL}, "a\x1B[mb\x01", 6,
               "a\x1B\x18"
               "b\x01",
               5, __LINE__);
}

static void older_lines_are_final(void)
{
    char raw[KB];
    char want[KB];
    size_t n = 0;
    for (int i = 0; i < 102; i++)
        n += (size_t)snprintf(raw + n, sizeof raw - n, "%d\n", i);
    memcpy(want, raw, n);
    n += (size_t)snprintf(raw + n, sizeof raw - n, "\x1B[500AX");
    size_t first = (size_t)(strstr(want, "\n3\n") + 1 - want);
    want[first] = 'X'; /* the 100th line from the end, the empty one at the cursor being the first */
    abr_cleaned out;
    CHECK(abr_clean_text(raw, n, &all, &out, NULL) == ABR_OK);
    CHECK_BYTES(want, out.n, out.p, out.n);
    abr_cleaned_free(&out);
}

static void a_long_line_is_final_but_for_its_end(void)
{
    enum { N = 70 * KB, WINDOW = 64 * KB };
    char *raw = malloc(N + 8);
    char *want = malloc(N + 8);
    if (!raw || !want)
        exit(2);
    memset(raw, 'a', N);
    memcpy(raw + N, "\rX\n", 3);
    memset(want, 'a', N);
    want[N - WINDOW] = 'X';
    want[N] = '\n';
    clean_with(&all, raw, N + 3, want, N + 1, __LINE__);
    memcpy(raw + N, "\b\bX\n", 4);
    memset(want, 'a', N);
    want[N - 2] = 'X';
    clean_with(&all, raw, N + 4, want, N + 1, __LINE__);
    free(raw);
    free(want);
}

static void a_move_makes_few_blanks(void)
{
    abr_cleaned out;
    const char raw[] = "\x1B[99999999CX\n\x1B[5000Gy";
    CHECK(abr_clean_text(raw, sizeof raw - 1, &all, &out, NULL) == ABR_OK);
    CHECK_COUNT(2 * 4096 + 1, out.n);
    CHECK(out.p[4095] == 'X' && out.p[4094] == ' ' && out.p[2 * 4096] == 'y');
    abr_cleaned_free(&out);
    const char inserted[] = "ab\r\x1B[5000@";
    CHECK(abr_clean_text(inserted, sizeof inserted - 1, &all, &out, NULL) == ABR_OK);
    CHECK_COUNT(4096 + 2, out.n);
    abr_cleaned_free(&out);
}

static void a_number_of_many_digits_does_not_wrap(void)
{
    CLEAN("ab\x1B[18446744073709551617DX", "Xb");
    CLEAN("ab\x1B[1844674407370955161700DX", "Xb");
}

/* ---- what holds for all texts ---- */

/* Fill n bytes with text and controls of every kind. */
static void random_noise(char *p, size_t n)
{
    static const char *const parts[] = {"\n",
                                        "\r",
                                        "\b",
                                        "\t",
                                        "\r\n",
                                        "abc",
                                        "hello world ",
                                        "\xC3\xA9",
                                        "\xE4\xB8\x96",
                                        "\xCC\x81",
                                        "\xF0\x9F\x98\x80",
                                        "\xF0\x9F\x8F\xB4",
                                        "\xF3\xA0\x81\xA7\xF3\xA0\x81\xA2\xF3\xA0\x81\xA5",
                                        "\xF3\xA0\x81\xBF",
                                        "\xE2\x80\x8D",
                                        "\xE2\x80\x8F",
                                        "\xE2\x80\x8B",
                                        "\xEF\xB8\x8F",
                                        "\xD8\xA7",
                                        "\xFF",
                                        "\xE2\x82",
                                        "\xC2\x85",
                                        "\x1B[K",
                                        "\x1B[1K",
                                        "\x1B[2K",
                                        "\x1B[J",
                                        "\x1B[1J",
                                        "\x1B[2J",
                                        "\x1B[A",
                                        "\x1B[3A",
                                        "\x1B[2B",
                                        "\x1B[5C",
                                        "\x1B[4D",
                                        "\x1B[10G",
                                        "\x1B[2;3H",
                                        "\x1B[4d",
                                        "\x1B[2P",
                                        "\x1B[3@",
                                        "\x1B[2X",
                                        "\x1B[1;31m",
                                        "\x1B]0;t\x07",
                                        "\x1B]8;;u\x1B\\",
                                        "\x1B(B",
                                        "\x1B"
                                        "7",
                                        "\x1B"
                                        "8",
                                        "\x1B[",
                                        "\x1B",
                                        "\x01",
                                        "\x7F",
                                        "\x1BP",
                                        "\x1BM",
                                        "\x1B"
                                        "D",
                                        "\x1B[99A",
                                        "\x1B[7000C",
                                        "\x1B[E",
                                        "\x1B[2F",
                                        "x"};
    enum { PARTS = sizeof parts / sizeof *parts };
    size_t common = 1 + pick(PARTS); /* some texts have few kinds */
    for (size_t i = 0; i < n;) {
        const char *part = parts[pick(2) == 0 ? pick(7) : pick(common)];
        size_t size = strlen(part) < n - i ? strlen(part) : n - i;
        memcpy(p + i, part, size);
        i += size;
    }
}

/* Make UTF-16 with a mark of the first half of noise; at times ASCII comes after it. */
static void widen_noise(char *p, size_t n)
{
    const bool big = pick(2) == 0;
    size_t from = n / 2;
    if (n < 8)
        return;
    char *half = exact(p, from);
    memcpy(p, big ? "\xFE\xFF" : "\xFF\xFE", 2);
    for (size_t i = 2, at = 0; i + 1 < n && at < from; i += 2, at++) {
        const char high = pick(30) == 0 ? (char)pick(256) : '\0';
        p[i] = big ? high : half[at];
        p[i + 1] = big ? half[at] : high;
    }
    if (pick(3) == 0)
        memset(p + n / 2, 'x', n - n / 2);
    free(half);
}

static void check_chunks(const abr_clean_opts *opts, const char *p, size_t n, size_t largest)
{
    abr_cleaned want;
    text got;
    abr_clean_stats stats;
    char *pending = malloc(256 * KB);
    CHECK(pending && abr_clean_text(p, n, opts, &want, NULL) == ABR_OK);
    abr_cleaner *c = open_cleaner(opts, &got);
    for (size_t at = 0, size; at < n; at += size) {
        size = 1 + pick(largest);
        size = size < n - at ? size : n - at;
        char *chunk = exact(p + at, size);
        CHECK(abr_cleaner_write(c, chunk, size) == ABR_OK);
        CHECK(abr_cleaner_pending(c, NULL) <= 192 * KB);
        free(chunk);
    }
    size_t shown = abr_cleaner_pending(c, pending);
    CHECK_COUNT(got.n + shown, abr_cleaner_stats(c).bytes);
    CHECK(abr_cleaner_finish(c, &stats) == ABR_OK);
    CHECK(abr_cleaner_pending(c, NULL) == 0);
    CHECK_BYTES(want.p, want.n, got.p, got.n);
    if (want.changed)
        CHECK(memcmp(&stats, &want.stats, sizeof stats) == 0);
    abr_cleaner_close(c);
    abr_cleaned_free(&want);
    free(got.p);
    free(pending);
}

static void any_chunking_gives_the_same(void)
{
    enum { MOST = 3000 };
    char raw[MOST];
    for (int i = 0; i < 3000; i++) {
        size_t n = 1 + pick(i % 10 == 0 ? MOST : 100);
        abr_clean_opts o = {.keep = i % 3 == 0 ? (unsigned)pick(1u << ABR_CLEAN_KINDS) : 0,
                            .invisible = i % 2 == 0,
                            .strip = i % 5 == 0,
                            .decode = i % 11 == 0};
        random_noise(raw, n);
        if (i % 7 == 0)
            widen_noise(raw, n);
        check_chunks(&o, raw, n, i % 2 == 0 ? 1 : 1 + pick(200));
    }
}

static void a_text_that_was_stripped_is_cleaned_to_the_same(void)
{
    enum { MOST = 3000 };
    char raw[MOST];
    for (int i = 0; i < 3000; i++) {
        size_t n = 1 + pick(i % 10 == 0 ? MOST : 100);
        abr_clean_opts clean = {.keep = i % 3 == 0 ? (unsigned)pick(1u << ABR_CLEAN_KINDS) : 0,
                                .invisible = i % 2 == 0};
        abr_clean_opts strip = clean;
        abr_cleaned want, stripped, got;
        strip.strip = true;
        random_noise(raw, n);
        if (i % 7 == 0)
            widen_noise(raw, n);
        CHECK(abr_clean_text(raw, n, &clean, &want, NULL) == ABR_OK);
        CHECK(abr_clean_text(raw, n, &strip, &stripped, NULL) == ABR_OK);
        CHECK(abr_clean_text(stripped.p, stripped.n, &clean, &got, NULL) == ABR_OK);
        CHECK_BYTES(want.p, want.n, got.p, got.n);
        abr_cleaned_free(&got);
        abr_cleaned_free(&stripped);
        abr_cleaned_free(&want);
    }
}

static void any_chunking_of_a_full_window_too(void)
{
    const size_t rounds = check_cases(40);
    size_t most = 400 * KB;
    char *raw = malloc(most);
    if (!raw)
        exit(2);
    for (size_t i = 0; i < rounds; i++) {
        size_t n = most / 2 + pick(most / 2);
        random_noise(raw, n);
        for (size_t at = 0; at < n; at++) /* few newlines and full erases: long lines */
            if ((raw[at] == '\n' && pick(50) > 0) || (raw[at] == 'J' && pick(20) > 0))
                raw[at] = i % 4 == 0 ? '\t' : 'm';
        check_chunks(&all, raw, n, i % 3 == 0 ? 100 * KB : i % 3 == 1 ? 5000 : 7);
    }
    free(raw);
}

static void the_result_is_clean(void)
{
    enum { MOST = 2000 };
    char raw[MOST];
    for (int i = 0; i < 3000; i++) {
        size_t n = 1 + pick(MOST);
        abr_cleaned once;
        abr_cleaned twice;
        uint64_t invalid;
        const abr_clean_opts o = {.invisible = i % 2 == 0};
        random_noise(raw, n);
        CHECK(abr_clean_text(raw, n, &o, &once, NULL) == ABR_OK);
        abr_count_chars(once.p, once.n, &invalid);
        CHECK_COUNT(0, invalid);
        CHECK(abr_clean_text(once.p, once.n, &o, &twice, NULL) == ABR_OK);
        CHECK(!twice.changed && twice.p == once.p);
        abr_cleaned_free(&twice);
        abr_cleaned_free(&once);
    }
}

/* ---- memory ---- */

static void every_failure_is_survived(void)
{
    static const char raw[] = "a\x1B[50Gb\n\x1B[100Gc"; /* grows */
    for (size_t fail_at = 1;; fail_at++) {
        ledger l = {.fail_at = fail_at};
        const abr_alloc alloc = ledger_alloc(&l);
        abr_clean_opts o = {.alloc = &alloc};
        abr_cleaned out;
        abr_error error = {ABR_OK, NULL, 0};
        abr_code code = abr_clean_text(raw, sizeof raw - 1, &o, &out, &error);
        if (code == ABR_OK) {
            CHECK(l.calls < fail_at && l.calls >= 3);
            CHECK_COUNT(50 + 1 + 100, out.n);
            CHECK_COUNT(1, l.blocks);
        } else {
            CHECK(code == ABR_ENOMEM && error.code == ABR_ENOMEM);
            CHECK_COUNT(0, l.blocks);
        }
        abr_cleaned_free(&out);
        abr_cleaned_free(&out);
        CHECK_COUNT(0, l.blocks);
        if (code == ABR_OK)
            break;
    }
}

static void a_cleaner_has_little_memory(void)
{
    ledger l = {0};
    const abr_alloc alloc = ledger_alloc(&l);
    abr_clean_opts o = {.alloc = &alloc};
    text got;
    char chunk[5000];
    abr_cleaner *c = open_cleaner(&o, &got);
    for (int i = 0; i < 200; i++) {
        random_noise(chunk, sizeof chunk);
        CHECK(abr_cleaner_write(c, chunk, sizeof chunk) == ABR_OK);
        got.n = 0;
    }
    CHECK(abr_cleaner_finish(c, NULL) == ABR_OK);
    abr_cleaner_close(c);
    abr_cleaner_close(NULL);
    CHECK_COUNT(1, l.calls);
    CHECK(l.peak <= 256 * KB);
    free(got.p);
}

static void a_sink_that_fails_is_told(void)
{
    text got;
    abr_cleaner *c = open_cleaner(&all, &got);
    got.fail_after = 1;
    char *chunk = calloc(1, MB);
    if (!chunk)
        exit(2);
    memset(chunk, 'a', MB);
    CHECK(abr_cleaner_write(c, chunk, MB) == ABR_ENOMEM);
    CHECK(abr_cleaner_finish(c, NULL) == ABR_ENOMEM);
    abr_cleaner_close(c);
    free(chunk);
    free(got.p);
}

int main(void)
{
    RUN(plain_text_is_not_touched);
    RUN(a_carriage_return_rewrites_the_line);
    RUN(blanks_of_what_was_overwritten_go);
    RUN(a_backspace_goes_back);
    RUN(tabs_move_to_the_next_stop);
    RUN(the_line_is_erased);
    RUN(the_display_is_erased);
    RUN(the_cursor_moves);
    RUN(chars_are_inserted_and_deleted);
    RUN(wide_chars_are_not_halved);
    RUN(combining_chars_stay_with_theirs);
    RUN(sequences_vanish);
    RUN(what_hides_text_goes_when_asked_for);
    RUN(what_writing_needs_stays);
    RUN(a_sequence_without_an_end_swallows_little);
    RUN(every_invalid_byte_is_replaced);
    RUN(utf_16_is_decoded);
    RUN(utf_16_ends_where_utf_8_goes_on);
    RUN(utf_16_can_be_all_that_is_decoded);
    RUN(kinds_can_be_kept);
    RUN(movements_stay_where_only_noise_is_stripped);
    RUN(older_lines_are_final);
    RUN(a_long_line_is_final_but_for_its_end);
    RUN(a_move_makes_few_blanks);
    RUN(a_number_of_many_digits_does_not_wrap);
    RUN(any_chunking_gives_the_same);
    RUN(a_text_that_was_stripped_is_cleaned_to_the_same);
    RUN(any_chunking_of_a_full_window_too);
    RUN(the_result_is_clean);
    RUN(every_failure_is_survived);
    RUN(a_cleaner_has_little_memory);
    RUN(a_sink_that_fails_is_told);
    return check_end();
}
