#ifdef SIMPLEFUTURES_DELAYS

#include "CSimpleFutures.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

/// One unlock in so many is followed by a delay; 100, unless the environment has another number.
static unsigned rate(void) {
    static unsigned known;
    unsigned rate = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (rate) return rate;
    const char *text = getenv("SIMPLEFUTURES_DELAYS");
    int number = text ? atoi(text) : 0;
    rate = number > 0 ? (unsigned)number : 100;
    __atomic_store_n(&known, rate, __ATOMIC_RELAXED);
    return rate;
}

void sf_delay(void) {
    static _Thread_local uint32_t random;
    if (!random) random = (uint32_t)((uintptr_t)&random >> 4) ^ (uint32_t)clock();
    random = random * 1664525 + 1013904223;
    uint32_t number = random >> 8;
    if (number % rate()) return;
    number /= rate();
    int saved = errno;
    // Mostly as long as a thread is kept waiting on a busy machine, and sometimes much longer.
    struct timespec time = {0, number % 16 ? 20000 + 1000L * (number % 300) : 2000000};
    if (number % 3) nanosleep(&time, NULL);
    else sched_yield();
    errno = saved;
}

#endif
