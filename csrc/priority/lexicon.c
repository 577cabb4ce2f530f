/*
 * Words that say something in the output of a command, by class.
 *
 * A word is a run of letters. It is looked up by its first eight letters in lower case, in a table of open
 * addressing; the rest of a longer word is then compared. What a word says in its place is up to signs.c.
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
    W(ABR_WORD_NO, "no"),
    W(ABR_WORD_NO, "not"),
    W(ABR_WORD_NO, "without"),
    W(ABR_WORD_NO, "zero"),
    W(ABR_WORD_NO, "never"),
    W(ABR_WORD_NO, "didn"),
    W(ABR_WORD_NO, "doesn"),
    W(ABR_WORD_NO, "isn"),
    W(ABR_WORD_NO, "nothing"),

    W(ABR_WORD_LACK, "such"),
    W(ABR_WORD_LACK, "found"),
    W(ABR_WORD_LACK, "exist"),
    W(ABR_WORD_LACK, "exists"),
    W(ABR_WORD_LACK, "member"),
    W(ABR_WORD_LACK, "matching"),
    W(ABR_WORD_LACK, "match"),
    W(ABR_WORD_LACK, "module"),
    W(ABR_WORD_LACK, "rule"),
    W(ABR_WORD_LACK, "space"),
    W(ABR_WORD_LACK, "route"),
    W(ABR_WORD_LACK, "referent"),
    W(ABR_WORD_LACK, "attribute"),
    W(ABR_WORD_LACK, "permitted"),
    W(ABR_WORD_LACK, "allowed"),
    W(ABR_WORD_LACK, "recoverable"),
    W(ABR_WORD_LACK, "recognized"),
    W(ABR_WORD_LACK, "recognised"),
    W(ABR_WORD_LACK, "supported"),
    W(ABR_WORD_LACK, "declared"),
    W(ABR_WORD_LACK, "defined"),
    W(ABR_WORD_LACK, "implemented"),
    W(ABR_WORD_LACK, "available"),
    W(ABR_WORD_LACK, "satisfy"),
    W(ABR_WORD_LACK, "satisfied"),
    W(ABR_WORD_LACK, "resolve"),
    W(ABR_WORD_LACK, "resolved"),
    W(ABR_WORD_LACK, "compile"),
    W(ABR_WORD_LACK, "connect"),
    W(ABR_WORD_LACK, "open"),
    W(ABR_WORD_LACK, "load"),
    W(ABR_WORD_LACK, "convert"),
    W(ABR_WORD_LACK, "converted"),
    W(ABR_WORD_LACK, "assignable"),
    W(ABR_WORD_LACK, "assigned"),
    W(ABR_WORD_LACK, "used"),
    W(ABR_WORD_LACK, "transferred"),
    W(ABR_WORD_LACK, "equal"),
    W(ABR_WORD_LACK, "closed"),
    W(ABR_WORD_LACK, "installed"),
    W(ABR_WORD_LACK, "method"),
    W(ABR_WORD_LACK, "function"),
    W(ABR_WORD_LACK, "overload"),
    W(ABR_WORD_LACK, "version"),
    W(ABR_WORD_LACK, "candidate"),
    W(ABR_WORD_LACK, "terminated"),
    W(ABR_WORD_LACK, "complete"),
    W(ABR_WORD_LACK, "valid"),
    W(ABR_WORD_LACK, "configured"),
    W(ABR_WORD_LACK, "initialized"),
    W(ABR_WORD_LACK, "reachable"),
    W(ABR_WORD_LACK, "responding"),
    W(ABR_WORD_LACK, "ready"),
    W(ABR_WORD_LACK, "files"),

    W(ABR_WORD_ERROR, "error"),
    W(ABR_WORD_ERROR, "errors"),
    W(ABR_WORD_ERROR, "err"),
    W(ABR_WORD_ERROR, "errored"),
    W(ABR_WORD_ERROR, "exception"),
    W(ABR_WORD_ERROR, "exceptions"),

    W(ABR_WORD_FAIL, "fail"),
    W(ABR_WORD_FAIL, "failed"),
    W(ABR_WORD_FAIL, "fails"),
    W(ABR_WORD_FAIL, "failing"),
    W(ABR_WORD_FAIL, "failure"),
    W(ABR_WORD_FAIL, "failures"),

    W(ABR_WORD_FATAL, "fatal"),
    W(ABR_WORD_FATAL, "panic"),
    W(ABR_WORD_FATAL, "panicked"),
    W(ABR_WORD_FATAL, "panicking"),
    W(ABR_WORD_FATAL, "traceback"),
    W(ABR_WORD_FATAL, "segfault"),
    W(ABR_WORD_FATAL, "segmentation"),
    W(ABR_WORD_FATAL, "sigsegv"),
    W(ABR_WORD_FATAL, "sigabrt"),
    W(ABR_WORD_FATAL, "sigbus"),
    W(ABR_WORD_FATAL, "sigill"),
    W(ABR_WORD_FATAL, "sigfpe"),
    W(ABR_WORD_FATAL, "sigkill"),
    W(ABR_WORD_FATAL, "sigterm"),
    W(ABR_WORD_FATAL, "deadlock"),
    W(ABR_WORD_FATAL, "deadlocked"),
    W(ABR_WORD_FATAL, "dumped"),
    W(ABR_WORD_FATAL, "crashed"),
    W(ABR_WORD_FATAL, "critical"),
    W(ABR_WORD_FATAL, "emerg"),
    W(ABR_WORD_FATAL, "crit"),
    W(ABR_WORD_FATAL, "oom"),
    W(ABR_WORD_FATAL, "uncaught"),
    W(ABR_WORD_FATAL, "unhandled"),
    W(ABR_WORD_FATAL, "conflict"),
    W(ABR_WORD_FATAL, "race"),
    W(ABR_WORD_FATAL, "oops"),
    W(ABR_WORD_FATAL, "bug"),

    W(ABR_WORD_BAD, "cannot"),
    W(ABR_WORD_BAD, "unable"),
    W(ABR_WORD_BAD, "unresolved"),
    W(ABR_WORD_BAD, "undefined"),
    W(ABR_WORD_BAD, "undeclared"),
    W(ABR_WORD_BAD, "unexpected"),
    W(ABR_WORD_BAD, "unexpectedly"),
    W(ABR_WORD_BAD, "unrecognized"),
    W(ABR_WORD_BAD, "unrecognised"),
    W(ABR_WORD_BAD, "unknown"),
    W(ABR_WORD_BAD, "unreachable"),
    W(ABR_WORD_BAD, "unsupported"),
    W(ABR_WORD_BAD, "unsatisfied"),
    W(ABR_WORD_BAD, "unmet"),
    W(ABR_WORD_BAD, "unterminated"),
    W(ABR_WORD_BAD, "unbound"),
    W(ABR_WORD_BAD, "invalid"),
    W(ABR_WORD_BAD, "illegal"),
    W(ABR_WORD_BAD, "incorrect"),
    W(ABR_WORD_BAD, "incompatible"),
    W(ABR_WORD_BAD, "incomplete"),
    W(ABR_WORD_BAD, "inconsistent"),
    W(ABR_WORD_BAD, "malformed"),
    W(ABR_WORD_BAD, "corrupt"),
    W(ABR_WORD_BAD, "corrupted"),
    W(ABR_WORD_BAD, "corruption"),
    W(ABR_WORD_BAD, "missing"),
    W(ABR_WORD_BAD, "mismatch"),
    W(ABR_WORD_BAD, "mismatched"),
    W(ABR_WORD_BAD, "mismatches"),
    W(ABR_WORD_BAD, "denied"),
    W(ABR_WORD_BAD, "refused"),
    W(ABR_WORD_BAD, "rejected"),
    W(ABR_WORD_BAD, "forbidden"),
    W(ABR_WORD_BAD, "unauthorized"),
    W(ABR_WORD_BAD, "aborted"),
    W(ABR_WORD_BAD, "aborting"),
    W(ABR_WORD_BAD, "abort"),
    W(ABR_WORD_BAD, "killed"),
    W(ABR_WORD_BAD, "crash"),
    W(ABR_WORD_BAD, "crashing"),
    W(ABR_WORD_BAD, "hung"),
    W(ABR_WORD_BAD, "stuck"),
    W(ABR_WORD_BAD, "timeout"),
    W(ABR_WORD_BAD, "timed"),
    W(ABR_WORD_BAD, "expired"),
    W(ABR_WORD_BAD, "conflicts"),
    W(ABR_WORD_BAD, "conflicting"),
    W(ABR_WORD_BAD, "violation"),
    W(ABR_WORD_BAD, "violates"),
    W(ABR_WORD_BAD, "violated"),
    W(ABR_WORD_BAD, "duplicate"),
    W(ABR_WORD_BAD, "overflow"),
    W(ABR_WORD_BAD, "overflowed"),
    W(ABR_WORD_BAD, "underflow"),
    W(ABR_WORD_BAD, "exceeded"),
    W(ABR_WORD_BAD, "exceeds"),
    W(ABR_WORD_BAD, "leak"),
    W(ABR_WORD_BAD, "leaked"),
    W(ABR_WORD_BAD, "lost"),
    W(ABR_WORD_BAD, "broken"),
    W(ABR_WORD_BAD, "ambiguous"),
    W(ABR_WORD_BAD, "redefinition"),
    W(ABR_WORD_BAD, "unsuccessful"),
    W(ABR_WORD_BAD, "nonexistent"),
    W(ABR_WORD_BAD, "uninitialised"),
    W(ABR_WORD_BAD, "uninitialized"),
    W(ABR_WORD_BAD, "insufficient"),
    W(ABR_WORD_BAD, "truncated"),
    W(ABR_WORD_BAD, "unreadable"),
    W(ABR_WORD_BAD, "unwritable"),
    W(ABR_WORD_BAD, "couldn"),
    W(ABR_WORD_BAD, "blocked"),
    W(ABR_WORD_BAD, "unhealthy"),
    W(ABR_WORD_BAD, "crashloopbackoff"),
    W(ABR_WORD_BAD, "oomkilled"),
    W(ABR_WORD_BAD, "imagepullbackoff"),
    W(ABR_WORD_BAD, "vulnerabilities"),
    W(ABR_WORD_BAD, "wrong"),
    W(ABR_WORD_BAD, "differ"),
    W(ABR_WORD_BAD, "differs"),
    W(ABR_WORD_BAD, "misaligned"),
    W(ABR_WORD_BAD, "assertion"),
    W(ABR_WORD_BAD, "enoent"),
    W(ABR_WORD_BAD, "eacces"),
    W(ABR_WORD_BAD, "econnrefused"),
    W(ABR_WORD_BAD, "eaddrinuse"),
    W(ABR_WORD_BAD, "etarget"),
    W(ABR_WORD_BAD, "eresolve"),

    W(ABR_WORD_DOUBT, "bad"),
    W(ABR_WORD_DOUBT, "retry"),
    W(ABR_WORD_DOUBT, "retrying"),
    W(ABR_WORD_DOUBT, "skipping"),
    W(ABR_WORD_DOUBT, "assert"),
    W(ABR_WORD_DOUBT, "fault"),
    W(ABR_WORD_DOUBT, "ignored"),
    W(ABR_WORD_DOUBT, "ignoring"),
    W(ABR_WORD_DOUBT, "stopped"),
    W(ABR_WORD_DOUBT, "stop"),
    W(ABR_WORD_DOUBT, "interrupted"),
    W(ABR_WORD_DOUBT, "unused"),
    W(ABR_WORD_DOUBT, "outdated"),
    W(ABR_WORD_DOUBT, "rollback"),
    W(ABR_WORD_DOUBT, "must"),
    W(ABR_WORD_DOUBT, "too"),
    W(ABR_WORD_DOUBT, "problem"),
    W(ABR_WORD_DOUBT, "issue"),
    W(ABR_WORD_DOUBT, "could"),
    W(ABR_WORD_DOUBT, "can"),
    W(ABR_WORD_DOUBT, "null"),
    W(ABR_WORD_DOUBT, "nan"),
    W(ABR_WORD_DOUBT, "raised"),
    W(ABR_WORD_DOUBT, "thrown"),
    W(ABR_WORD_DOUBT, "diff"),

    W(ABR_WORD_WARN, "warning"),
    W(ABR_WORD_WARN, "warnings"),
    W(ABR_WORD_WARN, "warn"),
    W(ABR_WORD_WARN, "deprecated"),
    W(ABR_WORD_WARN, "caution"),
    W(ABR_WORD_WARN, "alert"),

    W(ABR_WORD_EXPECT, "expected"),
    W(ABR_WORD_EXPECT, "expect"),
    W(ABR_WORD_EXPECT, "expecting"),
    W(ABR_WORD_EXPECT, "actual"),
    W(ABR_WORD_EXPECT, "received"),
    W(ABR_WORD_EXPECT, "got"),
    W(ABR_WORD_EXPECT, "want"),
    W(ABR_WORD_EXPECT, "wanted"),
    W(ABR_WORD_EXPECT, "left"),
    W(ABR_WORD_EXPECT, "right"),
    W(ABR_WORD_EXPECT, "actually"),

    W(ABR_WORD_CAUSE, "caused"),
    W(ABR_WORD_CAUSE, "cause"),
    W(ABR_WORD_CAUSE, "because"),
    W(ABR_WORD_CAUSE, "reason"),
    W(ABR_WORD_CAUSE, "summary"),

    W(ABR_WORD_NOTE, "note"),
    W(ABR_WORD_NOTE, "help"),
    W(ABR_WORD_NOTE, "hint"),
    W(ABR_WORD_NOTE, "required"),
    W(ABR_WORD_NOTE, "see"),
    W(ABR_WORD_NOTE, "details"),
    W(ABR_WORD_NOTE, "detail"),

    W(ABR_WORD_COUNT, "passed"),
    W(ABR_WORD_COUNT, "passing"),
    W(ABR_WORD_COUNT, "pending"),
    W(ABR_WORD_COUNT, "skipped"),
    W(ABR_WORD_COUNT, "test"),
    W(ABR_WORD_COUNT, "tests"),
    W(ABR_WORD_COUNT, "examples"),
    W(ABR_WORD_COUNT, "assertions"),
    W(ABR_WORD_COUNT, "successes"),
    W(ABR_WORD_COUNT, "suites"),
    W(ABR_WORD_COUNT, "problems"),
    W(ABR_WORD_COUNT, "total"),
    W(ABR_WORD_COUNT, "checks"),
    W(ABR_WORD_COUNT, "runs"),
    W(ABR_WORD_COUNT, "ran"),
    W(ABR_WORD_COUNT, "packages"),
    W(ABR_WORD_COUNT, "specs"),
    W(ABR_WORD_COUNT, "scenarios"),
    W(ABR_WORD_COUNT, "issues"),
    W(ABR_WORD_COUNT, "generated"),

    W(ABR_WORD_EXIT, "exit"),
    W(ABR_WORD_EXIT, "exited"),
    W(ABR_WORD_EXIT, "status"),
    W(ABR_WORD_EXIT, "returned"),
    W(ABR_WORD_EXIT, "code"),

    W(ABR_WORD_DONE, "finished"),
    W(ABR_WORD_DONE, "completed"),
    W(ABR_WORD_DONE, "successfully"),
    W(ABR_WORD_DONE, "succeeded"),
    W(ABR_WORD_DONE, "elapsed"),
    W(ABR_WORD_DONE, "done"),
    W(ABR_WORD_DONE, "compiled"),
    W(ABR_WORD_DONE, "built"),
    W(ABR_WORD_DONE, "added"),
    W(ABR_WORD_DONE, "result"),
    W(ABR_WORD_DONE, "results"),

    W(ABR_WORD_PASS, "ok"),
    W(ABR_WORD_PASS, "pass"),
    W(ABR_WORD_PASS, "yes"),
    W(ABR_WORD_PASS, "success"),

    W(ABR_WORD_STEP, "run"),
    W(ABR_WORD_STEP, "running"),
    W(ABR_WORD_STEP, "start"),
    W(ABR_WORD_STEP, "starting"),
    W(ABR_WORD_STEP, "started"),
    W(ABR_WORD_STEP, "checking"),
    W(ABR_WORD_STEP, "compiling"),
    W(ABR_WORD_STEP, "building"),
    W(ABR_WORD_STEP, "linking"),
    W(ABR_WORD_STEP, "downloading"),
    W(ABR_WORD_STEP, "downloaded"),
    W(ABR_WORD_STEP, "installing"),
    W(ABR_WORD_STEP, "fetching"),
    W(ABR_WORD_STEP, "creating"),
    W(ABR_WORD_STEP, "copying"),
    W(ABR_WORD_STEP, "unpacking"),
    W(ABR_WORD_STEP, "testing"),
    W(ABR_WORD_STEP, "performing"),
    W(ABR_WORD_STEP, "looking"),
    W(ABR_WORD_STEP, "detecting"),
    W(ABR_WORD_STEP, "configuring"),
    W(ABR_WORD_STEP, "cont"),
    W(ABR_WORD_STEP, "pause"),

    W(ABR_WORD_QUIET, "info"),
    W(ABR_WORD_QUIET, "debug"),
    W(ABR_WORD_QUIET, "trace"),
    W(ABR_WORD_QUIET, "verbose"),
    W(ABR_WORD_QUIET, "silly"),
    W(ABR_WORD_QUIET, "style"),
    W(ABR_WORD_QUIET, "notice"),

    W(ABR_WORD_CODE, "raise"),
    W(ABR_WORD_CODE, "throw"),
    W(ABR_WORD_CODE, "throws"),
    W(ABR_WORD_CODE, "new"),
    W(ABR_WORD_CODE, "return"),
    W(ABR_WORD_CODE, "catch"),
    W(ABR_WORD_CODE, "except"),
    W(ABR_WORD_CODE, "import"),
    W(ABR_WORD_CODE, "def"),
    W(ABR_WORD_CODE, "class"),
    W(ABR_WORD_CODE, "if"),

    W(ABR_WORD_NAMING, "handling"),
    W(ABR_WORD_NAMING, "handler"),
    W(ABR_WORD_NAMING, "handlers"),
    W(ABR_WORD_NAMING, "message"),
    W(ABR_WORD_NAMING, "messages"),
    W(ABR_WORD_NAMING, "codes"),
    W(ABR_WORD_NAMING, "reporting"),
    W(ABR_WORD_NAMING, "report"),
    W(ABR_WORD_NAMING, "page"),
    W(ABR_WORD_NAMING, "pages"),
    W(ABR_WORD_NAMING, "rate"),
    W(ABR_WORD_NAMING, "count"),
    W(ABR_WORD_NAMING, "log"),
    W(ABR_WORD_NAMING, "recovery"),
    W(ABR_WORD_NAMING, "correction"),

    W(ABR_WORD_SYMBOL, "reference"),
    W(ABR_WORD_SYMBOL, "references"),
    W(ABR_WORD_SYMBOL, "symbol"),
    W(ABR_WORD_SYMBOL, "symbols"),

    W(ABR_WORD_HTTP, "http"),
};

enum { WORDS = sizeof abr_words / sizeof *abr_words };

unsigned abr_word_group(unsigned class)
{
    switch (class) {
    case ABR_WORD_ERROR:
        return ABR_GROUP_ERRORS;
    case ABR_WORD_FAIL:
        return ABR_GROUP_FAILURES;
    case ABR_WORD_FATAL:
        return ABR_GROUP_FATAL;
    case ABR_WORD_BAD:
    case ABR_WORD_DOUBT:
    case ABR_WORD_SYMBOL:
        return ABR_GROUP_PROBLEMS;
    case ABR_WORD_WARN:
        return ABR_GROUP_WARNINGS;
    case ABR_WORD_EXPECT:
    case ABR_WORD_CAUSE:
        return ABR_GROUP_EXPECTATIONS;
    case ABR_WORD_COUNT:
    case ABR_WORD_EXIT:
    case ABR_WORD_DONE:
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
        x->may_have[abr_word_hash(key) >> (64 - ABR_LEXICON_BITS)] = true;
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
