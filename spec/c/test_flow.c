/* The bytes of a source that flows by: those at hand are its own, and all others are told apart. */
#include "check.h"
#include "text/flow.h"

enum { SOURCE = 200 };

static bool here(const abr_flow_part *part, uint64_t at)
{
    return at >= part->at && at < part->at + part->n;
}

/* Two parts of a source in blocks of their size, which may overlap or have a gap between them. */
static abr_flow two_parts(const char *source)
{
    abr_flow f = {.first = {.at = pick(SOURCE)}};
    f.first.n = pick(SOURCE - (size_t)f.first.at + 1);
    f.last.at = f.first.at + pick(SOURCE - (size_t)f.first.at + 1);
    f.last.n = pick(SOURCE - (size_t)f.last.at + 1);
    f.first.p = exact(source + f.first.at, f.first.n);
    f.last.p = exact(source + f.last.at, f.last.n);
    return f;
}

static void check_place(const abr_flow *f, const char *source, uint64_t at, size_t n)
{
    char copy[SOURCE];
    size_t follow;
    bool has = true;
    for (uint64_t i = at; i < at + n; i++)
        has = has && (here(&f->first, i) || here(&f->last, i));
    const char *p = abr_flow_at(f, at, &follow);
    CHECK((p != NULL) == (here(&f->first, at) || here(&f->last, at)));
    CHECK((p != NULL) == (follow > 0));
    CHECK(!p || (at + follow <= SOURCE && memcmp(p, source + at, follow) == 0));
    CHECK(abr_flow_has(f, at, n) == has);
    CHECK(abr_flow_copy(f, at, n, copy) == has);
    CHECK(!has || memcmp(copy, source + at, n) == 0);
    p = abr_flow_piece(f, at, n);
    CHECK(!p || n == 0 || (has && memcmp(p, source + at, n) == 0));
}

static void what_is_not_at_hand_is_told(void)
{
    char source[SOURCE];
    for (size_t i = 0; i < SOURCE; i++)
        source[i] = (char)pick(256);
    for (int i = 0; i < 3000; i++) {
        const abr_flow f = two_parts(source);
        for (int k = 0; k < 20; k++) {
            const size_t at = pick(SOURCE + 1);
            check_place(&f, source, at, pick(SOURCE - at + 1));
        }
        CHECK(!abr_flow_has(&f, UINT64_MAX, 1) && !abr_flow_piece(&f, 0, SIZE_MAX));
        free((char *)f.first.p);
        free((char *)f.last.p);
    }
}

static void a_carry_may_be_copied_to_its_own_start(void)
{
    char carry[16] = "0123456789";
    const abr_flow f = {{carry, 10, 100}, {"abc", 3, 110}};
    CHECK(abr_flow_copy(&f, 104, 9, carry));
    CHECK_BYTES("456789abc", (size_t)9, carry, (size_t)9);
}

int main(void)
{
    RUN(what_is_not_at_hand_is_told);
    RUN(a_carry_may_be_copied_to_its_own_start);
    return check_end();
}
