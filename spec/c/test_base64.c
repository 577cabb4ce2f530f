/* Runs of base64, against a loop that looks at each byte. */
#include "text/base64.h"

#include "check.h"

static size_t naive(const char *p, size_t n, size_t least)
{
    size_t found = 0;
    for (size_t i = 0; i < n;) {
        size_t start = i;
        bool letter = false;
        for (; i < n && abr_is_base64(p[i]); i++)
            letter = letter || (p[i] >= 'A' && p[i] <= 'Z') || (p[i] >= 'a' && p[i] <= 'z');
        if (i - start > least && letter)
            found += i - start;
        i += i == start;
    }
    return found;
}

static void runs_are_found_wherever_they_start(void)
{
    char text[80];
    for (size_t least = 0; least < 20; least++)
        for (size_t from = 0; from < 40; from++)
            for (size_t n = 0; n < 40; n++) {
                memset(text, ' ', sizeof text);
                memset(text + from, 'Q', n);
                CHECK_COUNT(n > least ? n : 0, abr_base64_bytes(text, sizeof text, least));
                CHECK_COUNT(n > least ? n : 0, abr_base64_bytes(text, from + n, least));
            }
}

static void a_rule_of_dashes_is_no_data(void)
{
    char text[600];
    memset(text, '-', sizeof text);
    CHECK_COUNT(0, abr_base64_bytes(text, sizeof text, 256));
    memset(text, '0', sizeof text);
    CHECK_COUNT(0, abr_base64_bytes(text, sizeof text, 256));
    text[300] = 'x';
    CHECK_COUNT(sizeof text, abr_base64_bytes(text, sizeof text, 256));
    CHECK_COUNT(0, abr_base64_bytes(NULL, 0, 256));
}

static void any_text_is_read_as_byte_by_byte(void)
{
    static const char alphabet[] = "QUJD09+/-_= \n.";
    char text[300];
    for (int round = 0; round < 20000; round++) {
        size_t n = pick(sizeof text + 1);
        size_t chars = 4 + pick(sizeof alphabet - 4);
        for (size_t i = 0; i < n; i++)
            text[i] = alphabet[pick(chars)];
        size_t least = pick(40);
        CHECK_COUNT(naive(text, n, least), abr_base64_bytes(text, n, least));
    }
}

int main(void)
{
    RUN(runs_are_found_wherever_they_start);
    RUN(a_rule_of_dashes_is_no_data);
    RUN(any_text_is_read_as_byte_by_byte);
    return check_end();
}
