/*
 * The choice of kernels, made once, from the processor's features and the environment.
 *
 * Asking a processor for its features traps in a virtual machine, and takes microseconds. glibc has already
 * asked; elsewhere the compiler's library did when the program was loaded. If two threads come first, both
 * choose, and choose the same.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "text/simd.h"
#include "abridge.h"
#include "text/kernels.h"
#include "text/kernels_avx2.h"
#include "text/kernels_neon.h"
#include "text/kernels_scalar.h"
#include "text/kernels_sse2.h"

/* `make dist` defines ABR_OLD_GLIBC: its builds must load with older ones, too. */
#if defined(ABR_HAS_AVX2) && defined(__GLIBC__) && !defined(ABR_OLD_GLIBC) && !defined(ABR_PORTABLE) &&      \
    (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
#include <sys/platform/x86.h>
#define CPU_HAS(name, NAME) CPU_FEATURE_ACTIVE(NAME)
#else
#define CPU_HAS(name, NAME) __builtin_cpu_supports(name)
#endif

size_t abr_kernels_here(const abr_kernels *sets[ABR_MOST_KERNELS])
{
    size_t n = 0;
#ifdef ABR_HAS_AVX2
    /* processors have all or none of them, but a virtual machine may hide some */
    if (CPU_HAS("avx2", AVX2) && CPU_HAS("bmi", BMI1) && CPU_HAS("bmi2", BMI2) && CPU_HAS("popcnt", POPCNT))
        sets[n++] = &abr_avx2;
#endif
#ifdef ABR_HAS_SSE2
    sets[n++] = &abr_sse2;
#endif
#ifdef ABR_HAS_NEON
    sets[n++] = &abr_neon;
#endif
    sets[n++] = &abr_scalar;
    return n;
}

const abr_kernels *abr_choose_kernels(const char *wanted)
{
    const abr_kernels *sets[ABR_MOST_KERNELS];
    size_t n = abr_kernels_here(sets);
    for (size_t i = 0; wanted && i < n; i++)
        if (strcmp(sets[i]->name, wanted) == 0)
            return sets[i];
    return sets[0];
}

static _Atomic(const abr_kernels *) chosen;

const abr_kernels *abr_kernels_now(void)
{
    const abr_kernels *set = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (!set) {
        set = abr_choose_kernels(getenv("ABRIDGE_SIMD"));
        atomic_store_explicit(&chosen, set, memory_order_relaxed);
    }
    return set;
}

const char *abr_simd(void)
{
    return abr_kernels_now()->name;
}
