/* Every text of a small world under every budget up to a little over its size: the rules of fuzz_cut.c,
 * with nothing left to chance. Of these texts one in seven, unless ABRIDGE_CASES is 1 or more. */
#include <signal.h>

#include "../fuzz/fuzz_cut.c"

enum {
    PIECES_MOST = 5,
    WORLD_TEXT_MOST = 512,
    OVER = 10,
    ONE_IN = 7 /* not a multiple of a count of pieces */
};

static size_t step = ONE_IN;

static struct {
    char text[WORLD_TEXT_MOST];
    size_t n;
    options x;
} now; /* the case that is tried */

/* Say which case broke a rule. */
static void tell(int signal)
{
    const abr_opts *o = &now.x.o;
    fprintf(
        stderr,
        "strategy %d, bytes %lld, lines %lld, chars %lld, tokens %lld, marker %d (%s), snap %d, ratio %g, ",
        (int)o->strategy, (long long)o->max.bytes, (long long)o->max.lines, (long long)o->max.chars,
        (long long)o->max.tokens, (int)o->marker, o->marker_text ? o->marker_text : "its own", (int)o->snap,
        o->head_ratio);
    fprintf(stderr, "replace %d, long_line %d, text:\n%.*s\n", o->utf8_replace, (int)o->long_line, (int)now.n,
            now.text);
    (void)signal;
}

static void try_now(void)
{
    abr_cut cut;
    char *text = need(malloc(now.n > 0 ? now.n : 1));
    memcpy(text, now.text, now.n);
    now.x.alloc = MEMORY(&now.x.memory);
    now.x.o.alloc = &now.x.alloc;
    if (now.x.counter > 0) {
        now.x.o.count_tokens = count_by;
        now.x.o.count_ctx = &now.x;
    }
    RULE(abr_cut_text(text, now.n, &now.x.o, &cut, NULL) == ABR_OK);
    check_rules(text, now.n, &now.x, 0, &cut);
    abr_cut_free(&cut);
    RULE(now.x.memory.count == 0);
    free(text);
}

/* Try one kind of budget, 0: bytes, 1: chars, 2: tokens, each a byte; and lines. */
static void try_budget(const abr_opts *o, unsigned kind, uint64_t budget, uint64_t lines)
{
    now.x.o = *o;
    now.x.o.max.lines = lines;
    *(kind == 0 ? &now.x.o.max.bytes : kind == 1 ? &now.x.o.max.chars : &now.x.o.max.tokens) = budget;
    now.x.counter = kind == 2;
    try_now();
}

/* The texts of `length` of the pieces, and of fewer. */
static void each_text(const char *const *pieces, size_t count, unsigned length, void (*visit)(void))
{
    size_t texts = 1;
    for (unsigned i = 0; i < length; i++)
        texts *= count;
    for (size_t which = 0; which < texts; which += step) {
        now.n = 0;
        for (size_t rest = which; rest > 0; rest /= count) { /* its digits are the pieces */
            const char *piece = pieces[rest % count];
            RULE(now.n + strlen(piece) <= sizeof now.text);
            memcpy(now.text + now.n, piece, strlen(piece));
            now.n += strlen(piece);
        }
        visit();
    }
}

/* ---- head, tail, both ends, the pipeline ---- */

static void each_budget(const abr_opts *o)
{
    for (unsigned kind = 0; kind < 3; kind++)
        for (uint64_t budget = 0; budget <= now.n + OVER; budget++)
            try_budget(o, kind, budget, budget % 3 == 0 ? budget % 4 : ABR_UNLIMITED);
    for (uint64_t lines = 0; lines <= PIECES_MOST; lines++)
        try_budget(o, 0, ABR_UNLIMITED, lines);
}

static void ends_of_text(void)
{
    static const double ratios[] = {0, 0.3, 1};
    static const char *const markers[] = {NULL, "-", "<{lines}>"};
    abr_opts o = ABR_OPTS_INIT;
    o.utf8_replace = now.n % 2 == 1;
    for (unsigned i = 0; i < 3; i++) {
        o.strategy = ABR_HEAD;
        o.long_line = (abr_long_line)i;
        each_budget(&o);
        o.strategy = ABR_TAIL;
        each_budget(&o);
    }
    o.long_line = ABR_LONG_DEFAULT;
    o.strategy = ABR_PIPELINE;
    each_budget(&o);
    o.strategy = ABR_HEAD_TAIL;
    for (unsigned i = 0; i < 18; i++) {
        o.head_ratio = ratios[i % 3];
        o.snap = (abr_snap)(i / 9);
        o.marker = (abr_marker)(i / 3 % 3);
        o.marker_text = markers[(i + now.n) % 3];
        o.marker_text_len = o.marker_text ? strlen(o.marker_text) : 0;
        each_budget(&o);
    }
}

/* ---- the lines that matter ---- */

static void what_matters(void)
{
    enum { FROM = 90 };
    abr_opts o = ABR_OPTS_INIT;
    o.strategy = ABR_PRIORITY;
    o.utf8_replace = now.n % 2 == 1;
    for (uint64_t budget = FROM; budget <= now.n + OVER; budget++) {
        for (unsigned marker = 0; marker < 3; marker++) {
            o.marker = (abr_marker)marker;
            try_budget(&o, marker == budget % 3, budget, budget % 5 == 0 ? 2 + budget % 3 : ABR_UNLIMITED);
        }
        o.marker = ABR_MARKER_INSIDE;
        o.marker_text = "<{lines}>";
        o.marker_text_len = strlen(o.marker_text);
        try_budget(&o, 0, budget, ABR_UNLIMITED);
        o.marker_text = NULL;
    }
}

int main(void)
{
    static const char *const chars[] = {"", "\n", "a", "\xC3\xA9", "\xFF"};
    static const char *const lines[] = {"", "\n", "error: x",
                                        "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz\xC3\xA9\n",
                                        "\xFFzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz"};
    signal(SIGABRT, tell);
    const char *cases = getenv("ABRIDGE_CASES");
    if (cases && atof(cases) >= 1)
        step = 1;
    each_text(chars, 3, PIECES_MOST, ends_of_text);
    each_text(chars, 5, 4, ends_of_text);
    each_text(lines, 5, 4, what_matters);
    printf("3 passed, 0 failed\n");
    return 0;
}
