#include <string.h>

#include "kinds/record_field.h"
#include "abridge.h"
#include "base/ascii.h"
#include "base/tiny.h"
#include "line/evidence.h"
#include "line/listed.h"

enum {
    FIELDS_AROUND = 8,                   /* of other records, at most, */
    FIELDS_LEAST = 4,                    /* and at least */
    WITHIN_RECORD = ABR_OR_TINY(128, 16) /* lines on either side */
};

size_t abr_troubled_field(const abr_failure_rules *rules, abr_text_line line, const abr_reading *reading)
{
    enum { MOST = 48, WORDS_MOST = 6 /* of the value: descriptions have more */ };
    size_t i = 0;
    if (reading->line_score <= 0)
        return 0;
    while (i < line.n && i < MOST && (abr_is_word(line.p[i]) || memchr(" -.", line.p[i], 3)))
        i++;
    if (i < 2 || !abr_has_at(line, i, ": ", 2) || memchr(line.p + i, '#', line.n - i) ||
        ABR_CONTAINS(line, " == ")) /* a condition */
        return 0;
    size_t words = 0;
    for (size_t k = i + 2; k < line.n; k++)
        words += line.p[k] != ' ' && line.p[k - 1] == ' ';
    const abr_evidence l = {.p = line.p, .n = line.n, .lexicon = &rules->lexicon};
    const bool tells = reading->hit || abr_is_listed_before(&l, i, ABR_LIST_STATE);
    return tells && words <= WORDS_MOST ? i + 2 : 0;
}

/* The nearest lines that start with the same `key` bytes. Returns how many. */
static size_t find_fields(const abr_trouble_line *field, size_t key, abr_text_line others[FIELDS_AROUND])
{
    size_t count = 0;
    size_t end = (size_t)(field->line.p - field->p);
    size_t at = field->next;
    abr_text_line line;
    for (unsigned i = 0; i < WITHIN_RECORD && end > 0 && count < FIELDS_AROUND / 2; i++) {
        line = abr_line_before(field->p, end);
        if (abr_has_at(line, 0, field->line.p, key))
            others[count++] = line;
        end = (size_t)(line.p - field->p);
    }
    for (unsigned i = 0;
         i < WITHIN_RECORD && count < FIELDS_AROUND && abr_next_line(field->p, field->n, &at, &line); i++)
        if (abr_has_at(line, 0, field->line.p, key))
            others[count++] = line;
    return count;
}

bool abr_fails_amid_records(const abr_failure_rules *rules, const abr_trouble_line *field, size_t key,
                            const abr_reading *reading)
{
    abr_text_line others[FIELDS_AROUND];
    const size_t count = find_fields(field, key, others);
    size_t same = 0;
    for (size_t i = 0; i < count; i++) {
        abr_reading other;
        if (abr_read_trouble(rules, others[i], field->p + field->n, &other) ||
            other.line_score >= reading->line_score)
            return false;
        same +=
            i > 0 && others[i].n == others[i - 1].n && memcmp(others[i].p, others[i - 1].p, others[i].n) == 0;
    }
    return count >= FIELDS_LEAST && same * 2 >= count - 1;
}

/* Does it name its record: "    name: cart", "- name: cart", "Name:         cart"? */
static bool names_record(abr_text_line line, size_t indent)
{
    abr_text_line bare = abr_trimmed(line);
    if ((size_t)(bare.p - line.p) > indent)
        return false;
    if (ABR_STARTS(bare, "- "))
        bare = (abr_text_line){bare.p + 2, bare.n - 2};
    return ABR_STARTS(bare, "name: ") || ABR_STARTS(bare, "Name: ");
}

size_t abr_name_of_record(const abr_failure_rules *rules, const char *p, size_t from, size_t failure,
                          size_t n)
{
    abr_trouble_line field = {.p = p, .n = n, .next = failure};
    abr_reading reading;
    if (!abr_next_line(p, n, &field.next, &field.line) || field.line.n == 0)
        return failure;
    abr_read_trouble(rules, field.line, p + n, &reading);
    const size_t key = abr_troubled_field(rules, field.line, &reading);
    if (key == 0 || !abr_fails_amid_records(rules, &field, key, &reading))
        return failure;
    const size_t indent = (size_t)(abr_trimmed(field.line).p - field.line.p);
    for (size_t i = 0, at = failure; i < WITHIN_RECORD && at > from; i++) {
        const abr_text_line line = abr_line_before(p, at);
        at = (size_t)(line.p - p);
        const abr_text_line bare = abr_trimmed(line);
        if (names_record(line, indent))
            return at;
        if (bare.n == 0 || (*bare.p == '-' && (size_t)(bare.p - line.p) < indent))
            return failure; /* the record's start */
    }
    return failure;
}
