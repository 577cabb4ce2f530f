/*
 * Words that say something in the output of a command, by class.
 *
 * A word is a run of letters. It is looked up by its first eight letters in lower case, in a table of open addressing;
 * a longer word is then compared as a whole. What a word says in its place is score.c's business.
 */
#include <string.h>

#include "priority/lexicon.h"
#include "abridge.h"
#include "base/word.h"

#define W(class, text)                                                                                       \
    {                                                                                                        \
        text, sizeof(text) - 1, class                                                                        \
    }

const abr_word abr_words[] = {
    W(ABR_W_NO, "no"),
    W(ABR_W_NO, "not"),
    W(ABR_W_NO, "without"),
    W(ABR_W_NO, "zero"),
    W(ABR_W_NO, "never"),
    W(ABR_W_NO, "didn"),
    W(ABR_W_NO, "doesn"),
    W(ABR_W_NO, "isn"),
    W(ABR_W_NO, "nothing"),

    W(ABR_W_LACK, "such"),
    W(ABR_W_LACK, "found"),
    W(ABR_W_LACK, "exist"),
    W(ABR_W_LACK, "exists"),
    W(ABR_W_LACK, "member"),
    W(ABR_W_LACK, "matching"),
    W(ABR_W_LACK, "match"),
    W(ABR_W_LACK, "module"),
    W(ABR_W_LACK, "rule"),
    W(ABR_W_LACK, "space"),
    W(ABR_W_LACK, "route"),
    W(ABR_W_LACK, "referent"),
    W(ABR_W_LACK, "attribute"),
    W(ABR_W_LACK, "permitted"),
    W(ABR_W_LACK, "allowed"),
    W(ABR_W_LACK, "recoverable"),
    W(ABR_W_LACK, "recognized"),
    W(ABR_W_LACK, "recognised"),
    W(ABR_W_LACK, "supported"),
    W(ABR_W_LACK, "declared"),
    W(ABR_W_LACK, "defined"),
    W(ABR_W_LACK, "implemented"),
    W(ABR_W_LACK, "available"),
    W(ABR_W_LACK, "satisfy"),
    W(ABR_W_LACK, "satisfied"),
    W(ABR_W_LACK, "resolve"),
    W(ABR_W_LACK, "resolved"),
    W(ABR_W_LACK, "compile"),
    W(ABR_W_LACK, "connect"),
    W(ABR_W_LACK, "open"),
    W(ABR_W_LACK, "load"),
    W(ABR_W_LACK, "convert"),
    W(ABR_W_LACK, "converted"),
    W(ABR_W_LACK, "assignable"),
    W(ABR_W_LACK, "assigned"),
    W(ABR_W_LACK, "used"),
    W(ABR_W_LACK, "transferred"),
    W(ABR_W_LACK, "equal"),
    W(ABR_W_LACK, "closed"),
    W(ABR_W_LACK, "installed"),
    W(ABR_W_LACK, "method"),
    W(ABR_W_LACK, "function"),
    W(ABR_W_LACK, "overload"),
    W(ABR_W_LACK, "version"),
    W(ABR_W_LACK, "candidate"),
    W(ABR_W_LACK, "terminated"),
    W(ABR_W_LACK, "complete"),
    W(ABR_W_LACK, "valid"),
    W(ABR_W_LACK, "configured"),
    W(ABR_W_LACK, "initialized"),
    W(ABR_W_LACK, "reachable"),
    W(ABR_W_LACK, "responding"),
    W(ABR_W_LACK, "ready"),
    W(ABR_W_LACK, "files"),

    W(ABR_W_ERROR, "error"),
    W(ABR_W_ERROR, "errors"),
    W(ABR_W_ERROR, "err"),
    W(ABR_W_ERROR, "errored"),
    W(ABR_W_ERROR, "exception"),
    W(ABR_W_ERROR, "exceptions"),

    W(ABR_W_FAIL, "fail"),
    W(ABR_W_FAIL, "failed"),
    W(ABR_W_FAIL, "fails"),
    W(ABR_W_FAIL, "failing"),
    W(ABR_W_FAIL, "failure"),
    W(ABR_W_FAIL, "failures"),

    W(ABR_W_FATAL, "fatal"),
    W(ABR_W_FATAL, "panic"),
    W(ABR_W_FATAL, "panicked"),
    W(ABR_W_FATAL, "panicking"),
    W(ABR_W_FATAL, "traceback"),
    W(ABR_W_FATAL, "segfault"),
    W(ABR_W_FATAL, "segmentation"),
    W(ABR_W_FATAL, "sigsegv"),
    W(ABR_W_FATAL, "sigabrt"),
    W(ABR_W_FATAL, "sigbus"),
    W(ABR_W_FATAL, "sigill"),
    W(ABR_W_FATAL, "sigfpe"),
    W(ABR_W_FATAL, "sigkill"),
    W(ABR_W_FATAL, "sigterm"),
    W(ABR_W_FATAL, "deadlock"),
    W(ABR_W_FATAL, "deadlocked"),
    W(ABR_W_FATAL, "dumped"),
    W(ABR_W_FATAL, "crashed"),
    W(ABR_W_FATAL, "critical"),
    W(ABR_W_FATAL, "emerg"),
    W(ABR_W_FATAL, "crit"),
    W(ABR_W_FATAL, "oom"),
    W(ABR_W_FATAL, "uncaught"),
    W(ABR_W_FATAL, "unhandled"),
    W(ABR_W_FATAL, "conflict"),
    W(ABR_W_FATAL, "race"),
    W(ABR_W_FATAL, "oops"),
    W(ABR_W_FATAL, "bug"),

    W(ABR_W_BAD, "cannot"),
    W(ABR_W_BAD, "unable"),
    W(ABR_W_BAD, "unresolved"),
    W(ABR_W_BAD, "undefined"),
    W(ABR_W_BAD, "undeclared"),
    W(ABR_W_BAD, "unexpected"),
    W(ABR_W_BAD, "unexpectedly"),
    W(ABR_W_BAD, "unrecognized"),
    W(ABR_W_BAD, "unrecognised"),
    W(ABR_W_BAD, "unknown"),
    W(ABR_W_BAD, "unreachable"),
    W(ABR_W_BAD, "unsupported"),
    W(ABR_W_BAD, "unsatisfied"),
    W(ABR_W_BAD, "unmet"),
    W(ABR_W_BAD, "unterminated"),
    W(ABR_W_BAD, "unbound"),
    W(ABR_W_BAD, "invalid"),
    W(ABR_W_BAD, "illegal"),
    W(ABR_W_BAD, "incorrect"),
    W(ABR_W_BAD, "incompatible"),
    W(ABR_W_BAD, "incomplete"),
    W(ABR_W_BAD, "inconsistent"),
    W(ABR_W_BAD, "malformed"),
    W(ABR_W_BAD, "corrupt"),
    W(ABR_W_BAD, "corrupted"),
    W(ABR_W_BAD, "corruption"),
    W(ABR_W_BAD, "missing"),
    W(ABR_W_BAD, "mismatch"),
    W(ABR_W_BAD, "mismatched"),
    W(ABR_W_BAD, "mismatches"),
    W(ABR_W_BAD, "denied"),
    W(ABR_W_BAD, "refused"),
    W(ABR_W_BAD, "rejected"),
    W(ABR_W_BAD, "forbidden"),
    W(ABR_W_BAD, "unauthorized"),
    W(ABR_W_BAD, "aborted"),
    W(ABR_W_BAD, "aborting"),
    W(ABR_W_BAD, "abort"),
    W(ABR_W_BAD, "killed"),
    W(ABR_W_BAD, "crash"),
    W(ABR_W_BAD, "crashing"),
    W(ABR_W_BAD, "hung"),
    W(ABR_W_BAD, "stuck"),
    W(ABR_W_BAD, "timeout"),
    W(ABR_W_BAD, "timed"),
    W(ABR_W_BAD, "expired"),
    W(ABR_W_BAD, "conflicts"),
    W(ABR_W_BAD, "conflicting"),
    W(ABR_W_BAD, "violation"),
    W(ABR_W_BAD, "violates"),
    W(ABR_W_BAD, "violated"),
    W(ABR_W_BAD, "duplicate"),
    W(ABR_W_BAD, "overflow"),
    W(ABR_W_BAD, "overflowed"),
    W(ABR_W_BAD, "underflow"),
    W(ABR_W_BAD, "exceeded"),
    W(ABR_W_BAD, "exceeds"),
    W(ABR_W_BAD, "leak"),
    W(ABR_W_BAD, "leaked"),
    W(ABR_W_BAD, "lost"),
    W(ABR_W_BAD, "broken"),
    W(ABR_W_BAD, "ambiguous"),
    W(ABR_W_BAD, "redefinition"),
    W(ABR_W_BAD, "unsuccessful"),
    W(ABR_W_BAD, "nonexistent"),
    W(ABR_W_BAD, "uninitialised"),
    W(ABR_W_BAD, "uninitialized"),
    W(ABR_W_BAD, "insufficient"),
    W(ABR_W_BAD, "truncated"),
    W(ABR_W_BAD, "unreadable"),
    W(ABR_W_BAD, "unwritable"),
    W(ABR_W_BAD, "couldn"),
    W(ABR_W_BAD, "blocked"),
    W(ABR_W_BAD, "unhealthy"),
    W(ABR_W_BAD, "crashloopbackoff"),
    W(ABR_W_BAD, "oomkilled"),
    W(ABR_W_BAD, "imagepullbackoff"),
    W(ABR_W_BAD, "vulnerabilities"),
    W(ABR_W_BAD, "wrong"),
    W(ABR_W_BAD, "differ"),
    W(ABR_W_BAD, "differs"),
    W(ABR_W_BAD, "misaligned"),
    W(ABR_W_BAD, "assertion"),
    W(ABR_W_BAD, "enoent"),
    W(ABR_W_BAD, "eacces"),
    W(ABR_W_BAD, "econnrefused"),
    W(ABR_W_BAD, "eaddrinuse"),
    W(ABR_W_BAD, "etarget"),
    W(ABR_W_BAD, "eresolve"),

    W(ABR_W_DOUBT, "bad"),
    W(ABR_W_DOUBT, "retry"),
    W(ABR_W_DOUBT, "retrying"),
    W(ABR_W_DOUBT, "skipping"),
    W(ABR_W_DOUBT, "assert"),
    W(ABR_W_DOUBT, "fault"),
    W(ABR_W_DOUBT, "ignored"),
    W(ABR_W_DOUBT, "ignoring"),
    W(ABR_W_DOUBT, "stopped"),
    W(ABR_W_DOUBT, "stop"),
    W(ABR_W_DOUBT, "interrupted"),
    W(ABR_W_DOUBT, "unused"),
    W(ABR_W_DOUBT, "outdated"),
    W(ABR_W_DOUBT, "rollback"),
    W(ABR_W_DOUBT, "must"),
    W(ABR_W_DOUBT, "too"),
    W(ABR_W_DOUBT, "problem"),
    W(ABR_W_DOUBT, "issue"),
    W(ABR_W_DOUBT, "could"),
    W(ABR_W_DOUBT, "can"),
    W(ABR_W_DOUBT, "null"),
    W(ABR_W_DOUBT, "nan"),
    W(ABR_W_DOUBT, "raised"),
    W(ABR_W_DOUBT, "thrown"),
    W(ABR_W_DOUBT, "diff"),

    W(ABR_W_WARN, "warning"),
    W(ABR_W_WARN, "warnings"),
    W(ABR_W_WARN, "warn"),
    W(ABR_W_WARN, "deprecated"),
    W(ABR_W_WARN, "caution"),
    W(ABR_W_WARN, "alert"),

    W(ABR_W_EXPECT, "expected"),
    W(ABR_W_EXPECT, "expect"),
    W(ABR_W_EXPECT, "expecting"),
    W(ABR_W_EXPECT, "actual"),
    W(ABR_W_EXPECT, "received"),
    W(ABR_W_EXPECT, "got"),
    W(ABR_W_EXPECT, "want"),
    W(ABR_W_EXPECT, "wanted"),
    W(ABR_W_EXPECT, "left"),
    W(ABR_W_EXPECT, "right"),
    W(ABR_W_EXPECT, "actually"),

    W(ABR_W_CAUSE, "caused"),
    W(ABR_W_CAUSE, "cause"),
    W(ABR_W_CAUSE, "because"),
    W(ABR_W_CAUSE, "reason"),
    W(ABR_W_CAUSE, "summary"),

    W(ABR_W_NOTE, "note"),
    W(ABR_W_NOTE, "help"),
    W(ABR_W_NOTE, "hint"),
    W(ABR_W_NOTE, "required"),
    W(ABR_W_NOTE, "see"),
    W(ABR_W_NOTE, "details"),
    W(ABR_W_NOTE, "detail"),

    W(ABR_W_COUNT, "passed"),
    W(ABR_W_COUNT, "passing"),
    W(ABR_W_COUNT, "pending"),
    W(ABR_W_COUNT, "skipped"),
    W(ABR_W_COUNT, "test"),
    W(ABR_W_COUNT, "tests"),
    W(ABR_W_COUNT, "examples"),
    W(ABR_W_COUNT, "assertions"),
    W(ABR_W_COUNT, "successes"),
    W(ABR_W_COUNT, "suites"),
    W(ABR_W_COUNT, "problems"),
    W(ABR_W_COUNT, "total"),
    W(ABR_W_COUNT, "checks"),
    W(ABR_W_COUNT, "runs"),
    W(ABR_W_COUNT, "ran"),
    W(ABR_W_COUNT, "packages"),
    W(ABR_W_COUNT, "specs"),
    W(ABR_W_COUNT, "scenarios"),
    W(ABR_W_COUNT, "issues"),
    W(ABR_W_COUNT, "generated"),

    W(ABR_W_EXIT, "exit"),
    W(ABR_W_EXIT, "exited"),
    W(ABR_W_EXIT, "status"),
    W(ABR_W_EXIT, "returned"),
    W(ABR_W_EXIT, "code"),

    W(ABR_W_DONE, "finished"),
    W(ABR_W_DONE, "completed"),
    W(ABR_W_DONE, "successfully"),
    W(ABR_W_DONE, "succeeded"),
    W(ABR_W_DONE, "elapsed"),
    W(ABR_W_DONE, "done"),
    W(ABR_W_DONE, "compiled"),
    W(ABR_W_DONE, "built"),
    W(ABR_W_DONE, "added"),
    W(ABR_W_DONE, "result"),
    W(ABR_W_DONE, "results"),

    W(ABR_W_PASS, "ok"),
    W(ABR_W_PASS, "pass"),
    W(ABR_W_PASS, "yes"),
    W(ABR_W_PASS, "success"),

    W(ABR_W_STEP, "run"),
    W(ABR_W_STEP, "running"),
    W(ABR_W_STEP, "start"),
    W(ABR_W_STEP, "starting"),
    W(ABR_W_STEP, "started"),
    W(ABR_W_STEP, "checking"),
    W(ABR_W_STEP, "compiling"),
    W(ABR_W_STEP, "building"),
    W(ABR_W_STEP, "linking"),
    W(ABR_W_STEP, "downloading"),
    W(ABR_W_STEP, "downloaded"),
    W(ABR_W_STEP, "installing"),
    W(ABR_W_STEP, "fetching"),
    W(ABR_W_STEP, "creating"),
    W(ABR_W_STEP, "copying"),
    W(ABR_W_STEP, "unpacking"),
    W(ABR_W_STEP, "testing"),
    W(ABR_W_STEP, "performing"),
    W(ABR_W_STEP, "looking"),
    W(ABR_W_STEP, "detecting"),
    W(ABR_W_STEP, "configuring"),
    W(ABR_W_STEP, "cont"),
    W(ABR_W_STEP, "pause"),

    W(ABR_W_QUIET, "info"),
    W(ABR_W_QUIET, "debug"),
    W(ABR_W_QUIET, "trace"),
    W(ABR_W_QUIET, "verbose"),
    W(ABR_W_QUIET, "silly"),
    W(ABR_W_QUIET, "style"),
    W(ABR_W_QUIET, "notice"),

    W(ABR_W_CODE, "raise"),
    W(ABR_W_CODE, "throw"),
    W(ABR_W_CODE, "throws"),
    W(ABR_W_CODE, "new"),
    W(ABR_W_CODE, "return"),
    W(ABR_W_CODE, "catch"),
    W(ABR_W_CODE, "except"),
    W(ABR_W_CODE, "import"),
    W(ABR_W_CODE, "def"),
    W(ABR_W_CODE, "class"),
    W(ABR_W_CODE, "if"),

    W(ABR_W_NAMING, "handling"),
    W(ABR_W_NAMING, "handler"),
    W(ABR_W_NAMING, "handlers"),
    W(ABR_W_NAMING, "message"),
    W(ABR_W_NAMING, "messages"),
    W(ABR_W_NAMING, "codes"),
    W(ABR_W_NAMING, "reporting"),
    W(ABR_W_NAMING, "report"),
    W(ABR_W_NAMING, "page"),
    W(ABR_W_NAMING, "pages"),
    W(ABR_W_NAMING, "rate"),
    W(ABR_W_NAMING, "count"),
    W(ABR_W_NAMING, "log"),
    W(ABR_W_NAMING, "recovery"),
    W(ABR_W_NAMING, "correction"),

    W(ABR_W_SYMBOL, "reference"),
    W(ABR_W_SYMBOL, "references"),
    W(ABR_W_SYMBOL, "symbol"),
    W(ABR_W_SYMBOL, "symbols"),

    W(ABR_W_HTTP, "http"),
};

enum { WORDS = sizeof abr_words / sizeof *abr_words };

unsigned abr_word_group(unsigned class)
{
    switch (class) {
    case ABR_W_ERROR:
        return ABR_GROUP_ERRORS;
    case ABR_W_FAIL:
        return ABR_GROUP_FAILURES;
    case ABR_W_FATAL:
        return ABR_GROUP_FATAL;
    case ABR_W_BAD:
    case ABR_W_DOUBT:
    case ABR_W_SYMBOL:
        return ABR_GROUP_PROBLEMS;
    case ABR_W_WARN:
        return ABR_GROUP_WARNINGS;
    case ABR_W_EXPECT:
    case ABR_W_CAUSE:
        return ABR_GROUP_EXPECTATIONS;
    case ABR_W_COUNT:
    case ABR_W_EXIT:
    case ABR_W_DONE:
        return ABR_GROUP_SUMMARIES;
    default:
        return 0;
    }
}

static unsigned slot_of(uint64_t key)
{
    return (unsigned)(abr_word_hash(key) >> 53);
}

static uint64_t key_of(const char *p, size_t n)
{
    char first[sizeof(uint64_t)] = {0};
    memcpy(first, p, n < sizeof first ? n : sizeof first);
    return abr_word_key(abr_load_word(first), n);
}

void abr_lexicon_open(abr_lexicon *x, unsigned quiet)
{
    memset(x, 0, sizeof *x);
    x->quiet = quiet;
    for (unsigned i = 0; i < WORDS; i++) {
        if (abr_word_group(abr_words[i].class) & quiet)
            continue;
        uint64_t key = key_of(abr_words[i].text, abr_words[i].n);
        unsigned slot = slot_of(key);
        unsigned bit = (unsigned)(abr_word_hash(key) >> 50);
        x->may_have[bit / 64] |= UINT64_C(1) << bit % 64;
        while (x->slots[slot] != 0)
            slot = (slot + 1) % ABR_LEXICON_SLOTS;
        x->slots[slot] = (uint16_t)(i + 1);
        x->keys[slot] = key;
    }
}

static bool same_tail(const abr_word *w, const char *p, size_t n)
{
    for (size_t i = sizeof(uint64_t); i < n; i++)
        if ((p[i] | ' ') != w->text[i])
            return false;
    return true;
}

const abr_word *abr_lexicon_find(const abr_lexicon *x, uint64_t key, const char *p, size_t n)
{
    for (unsigned slot = slot_of(key); x->slots[slot] != 0; slot = (slot + 1) % ABR_LEXICON_SLOTS) {
        const abr_word *w = &abr_words[x->slots[slot] - 1];
        if (x->keys[slot] == key && w->n == n && same_tail(w, p, n))
            return w;
    }
    return NULL;
}
