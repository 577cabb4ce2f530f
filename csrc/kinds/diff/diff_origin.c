/*
 * Did a person write the file that a diff changes? Its path tells, or a generator's note in it.
 */
#include "kinds/diff/diff_origin.h"
#include "abridge.h"
#include "line/word_list.h"

/* Names of files, in any folder. */
static const char *const generated_names[] = {
    "Package.resolved",    "bun.lockb",         "go.sum",
    "go.work.sum",         "gradle.lockfile",   "lazy-lock.json",
    "npm-shrinkwrap.json", "package-lock.json", "packages.lock.json",
    "pnpm-lock.yaml"};

/* Ends of names. */
static const char *const generated_endings[] = {
    ".lock",   "-lock.json", "-lock.yaml", ".lockb",     ".snap",     ".map",
    ".pb.go",  "_pb2.py",    "_pb.js",     ".pb.cc",     ".pb.h",     ".g.dart",
    ".min.js", ".min.css",   ".min.mjs",   ".bundle.js", ".snapshot", ".designer.cs"};

/* Middles of names, with bytes on either side. */
static const char *const generated_middles[] = {".min.", ".generated.", "_generated.", ".gen."};

static const char *const folders[] = {"Pods",        "__generated__", "__snapshots__", "bower_components",
                                      "dist",        "generated",     "node_modules",  "site-packages",
                                      "third-party", "third_party",   "vendor",        "vendored"};

static bool has_ending(abr_text_line name, const char *end, size_t n)
{
    return name.n > n && name.p[name.n - 1] == end[n - 1] && abr_has_at(name, name.n - n, end, n);
}

static bool is_machines_name(abr_text_line name)
{
    if (name.n == 0 || !memchr(name.p, '.', name.n)) /* all of them have one */
        return false;
    if (ABR_IS_ONE_OF(name, generated_names))
        return true;
    const abr_text_line inner = {name.p + 1, name.n > 2 ? name.n - 2 : 0};
    for (size_t i = 0; i < sizeof generated_endings / sizeof *generated_endings; i++)
        if (has_ending(name, generated_endings[i], strlen(generated_endings[i])))
            return true;
    for (size_t i = 0; i < sizeof generated_middles / sizeof *generated_middles; i++)
        if (abr_contains(inner, generated_middles[i], strlen(generated_middles[i])))
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
        if (c == '/' ? ABR_IS_ONE_OF(part, folders) : is_machines_name(part))
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
