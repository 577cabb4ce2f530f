/*
 * Did a person write the file that a diff changes? Its path tells, or what a generator wrote into it.
 */
#include "kinds/diff/diff_origin.h"
#include "abridge.h"

typedef struct {
    const char *text;
    size_t n;
} word;

#define WORD(literal)                                                                                        \
    {                                                                                                        \
        literal, sizeof(literal) - 1                                                                         \
    }

/* Names of files, of whatever folder. */
static const word names[] = {
    WORD("package-lock.json"),
    WORD("npm-shrinkwrap.json"),
    WORD("pnpm-lock.yaml"),
    WORD("bun.lockb"),
    WORD("go.sum"),
    WORD("go.work.sum"),
    WORD("packages.lock.json"),
    WORD("Package.resolved"),
    WORD("gradle.lockfile"),
    WORD("lazy-lock.json"),
};

/* Ends of names. */
static const word ends[] = {
    WORD(".lock"),      WORD("-lock.json"), WORD("-lock.yaml"),   WORD(".lockb"),   WORD(".snap"),
    WORD(".map"),       WORD(".pb.go"),     WORD("_pb2.py"),      WORD("_pb.js"),   WORD(".pb.cc"),
    WORD(".pb.h"),      WORD(".g.dart"),    WORD(".min.js"),      WORD(".min.css"), WORD(".min.mjs"),
    WORD(".bundle.js"), WORD(".snapshot"),  WORD(".designer.cs"),
};

/* Within names, with bytes on either side. */
static const word within[] = {WORD(".min."), WORD(".generated."), WORD("_generated."), WORD(".gen.")};

static const word folders[] = {
    WORD("dist"),        WORD("vendor"),        WORD("vendored"),      WORD("node_modules"),
    WORD("third_party"), WORD("third-party"),   WORD("__snapshots__"), WORD("bower_components"),
    WORD("generated"),   WORD("__generated__"), WORD("site-packages"), WORD("Pods"),
};

static bool is_any(abr_text_line name, const word *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (name.n == list[i].n && memcmp(name.p, list[i].text, name.n) == 0)
            return true;
    return false;
}

static bool is_machines_name(abr_text_line name)
{
    if (name.n == 0 || !memchr(name.p, '.', name.n)) /* each of them has one */
        return false;
    if (is_any(name, names, sizeof names / sizeof *names))
        return true;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (name.n > ends[i].n && name.p[name.n - 1] == ends[i].text[ends[i].n - 1] &&
            abr_has_at(name, name.n - ends[i].n, ends[i].text, ends[i].n))
            return true;
    for (size_t i = 0; i < sizeof within / sizeof *within; i++)
        if (name.n > within[i].n + 1 &&
            abr_contains((abr_text_line){name.p + 1, name.n - 2}, within[i].text, within[i].n))
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
        if (c == '/' ? is_any(part, folders, sizeof folders / sizeof *folders) : is_machines_name(part))
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
