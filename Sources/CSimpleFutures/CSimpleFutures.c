#include "CSimpleFutures.h"

_Thread_local void *sf_thread_state;
uint8_t sf_counting;

#if defined(__linux__)

#include <errno.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

__attribute__((unused)) static inline void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
    __asm__ volatile("yield");
#endif
}

void sf_lock_contended(sf_lock_t *lock) {
#ifdef SIMPLEFUTURES_DELAYS
    while (sf_give_way()) {
        sf_lock_t free = SF_FREE;
        if (__atomic_compare_exchange_n(lock, &free, SF_HELD, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) return;
    }
#endif
#ifndef SIMPLEFUTURES_APPLE // The unfair lock, which this configuration stands for, sleeps at once.
    // A lock is held for a few dozen instructions, so it is usually free again before a system call would have begun.
    for (int i = 0; i < 100; i++) {
        sf_lock_t free = SF_FREE;
        if (__atomic_load_n(lock, __ATOMIC_RELAXED) == SF_FREE &&
            __atomic_compare_exchange_n(lock, &free, SF_HELD, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return;
        relax();
    }
#endif
    // The caller may be about to read the errno of one of its own calls.
    int saved = errno;
    while (__atomic_exchange_n(lock, SF_CONTENDED, __ATOMIC_ACQUIRE) != SF_FREE)
        syscall(SYS_futex, lock, FUTEX_WAIT_PRIVATE, SF_CONTENDED, NULL, NULL, 0);
    errno = saved;
}

void sf_wake_one(sf_lock_t *lock) {
    int saved = errno;
    syscall(SYS_futex, lock, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    errno = saved;
}

void sf_open(uint32_t *signal) {
    __atomic_store_n(signal, 1, __ATOMIC_RELEASE);
    sf_wake_one(signal);
}

bool sf_wait_until(uint32_t *signal, uint64_t time) {
    struct timespec end = {(time_t)(time / 1000000000), (long)(time % 1000000000)};
    int saved = errno;
    bool is_late = false;
    while (__atomic_load_n(signal, __ATOMIC_ACQUIRE) == 0 && !is_late)
        // In this form the time is absolute, and of the monotonic clock.
        is_late = syscall(SYS_futex, signal, FUTEX_WAIT_BITSET_PRIVATE, 0, &end, NULL, FUTEX_BITSET_MATCH_ANY) != 0 &&
                  errno == ETIMEDOUT;
    errno = saved;
    return !is_late;
}

#endif
