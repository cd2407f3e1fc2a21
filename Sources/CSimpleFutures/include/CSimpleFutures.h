#ifndef C_SIMPLE_FUTURES_H
#define C_SIMPLE_FUTURES_H

// The lock and the atomic byte of an object, stored in the object; a flag for all threads; one thread-local word; and, on
// Linux, a signal for a thread that blocks.
//
// In C because Swift has no equivalent for macOS 13 and iOS 16: `Mutex` and `Atomic` need macOS 15 and iOS 18, and an
// `OSAllocatedUnfairLock` would be a second allocation for each future. Everything on a fast path is inline. Swift has no
// thread-local variables, and `pthread_getspecific` is a function call.

#include <stdbool.h>
#include <stdint.h>

#ifdef SIMPLEFUTURES_DELAYS
// A configuration of the tests that looks for races: see Delays.c.

/// Sleeps now and then, after an unlock. Same as `sf_step` for a thread of a schedule.
void sf_delay(void);
/// May let another thread of the schedule continue: before a lock and before an access to the atomic byte.
void sf_step(void);
/// Lets another thread of the schedule continue. Returns false outside of a schedule.
bool sf_give_way(void);
/// Begins a schedule of one to eight threads. Returns false for other numbers, if there is a schedule already, and if they
/// are not compiled in.
bool sf_begin_schedule(uint32_t seed, int threads);
/// Makes the caller the thread with that index. Returns when all threads have joined, and it is this one's turn.
void sf_join_schedule(int index);
/// Ends the caller's part.
void sf_leave_schedule(void);
#else
static inline void sf_delay(void) {}
static inline void sf_step(void) {}
static inline bool sf_give_way(void) { return false; }
static inline bool sf_begin_schedule(uint32_t seed, int threads) { return (void)seed, (void)threads, false; }
static inline void sf_join_schedule(int index) { (void)index; }
static inline void sf_leave_schedule(void) {}
#endif

/// A lock of four bytes, free when all of them are zero.
typedef uint32_t sf_lock_t;

#if defined(__APPLE__)

#include <os/lock.h>

_Static_assert(sizeof(os_unfair_lock) == sizeof(sf_lock_t), "the system's lock needs more room");

static inline void sf_lock(sf_lock_t *_Nonnull lock) {
#ifdef SIMPLEFUTURES_DELAYS
    sf_step();
    do {
        if (os_unfair_lock_trylock((os_unfair_lock_t)lock)) return;
    } while (sf_give_way());
#endif
    os_unfair_lock_lock((os_unfair_lock_t)lock);
}
static inline void sf_unlock(sf_lock_t *_Nonnull lock) {
    os_unfair_lock_unlock((os_unfair_lock_t)lock);
    sf_delay();
}

#elif defined(__linux__)

// The futex lock with three states from Ulrich Drepper, "Futexes Are Tricky", 2011: free, held, or held while other
// threads sleep.
enum { SF_FREE, SF_HELD, SF_CONTENDED };

void sf_lock_contended(sf_lock_t *_Nonnull lock);
void sf_wake_one(sf_lock_t *_Nonnull lock);

static inline void sf_lock(sf_lock_t *_Nonnull lock) {
    sf_step();
    sf_lock_t free = SF_FREE;
    if (!__atomic_compare_exchange_n(lock, &free, SF_HELD, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        sf_lock_contended(lock);
}

static inline void sf_unlock(sf_lock_t *_Nonnull lock) {
    if (__atomic_exchange_n(lock, SF_FREE, __ATOMIC_RELEASE) == SF_CONTENDED) sf_wake_one(lock);
    sf_delay();
}

/// Opens a signal, which is zero until then, and wakes the thread that waits for it.
void sf_open(uint32_t *_Nonnull signal);
/// Waits until a signal is open. Returns false after a time of the monotonic clock, in nanoseconds.
bool sf_wait_until(uint32_t *_Nonnull signal, uint64_t time);

#else
#error "CSimpleFutures has a lock for Apple's systems and for Linux. Add one of four bytes for this system here."
#endif

/// Reads a byte. Everything written before it was published is visible afterwards.
static inline uint8_t sf_load(const uint8_t *_Nonnull byte) {
    sf_step();
    return __atomic_load_n(byte, __ATOMIC_ACQUIRE);
}

/// Writes a byte that other threads read without the lock.
static inline void sf_publish(uint8_t *_Nonnull byte, uint8_t value) {
    sf_step();
    __atomic_store_n(byte, value, __ATOMIC_RELEASE);
}

/// Replaces the expected value. Returns false if the byte had another one.
static inline bool sf_exchange(uint8_t *_Nonnull byte, uint8_t old, uint8_t value) {
    sf_step();
    return __atomic_compare_exchange_n(byte, &old, value, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

extern uint8_t sf_counting;

/// Whether new objects are tracked. Another thread may see a change late.
///
/// Every new object reads this. In C it is one load; a static object in Swift is a function call.
static inline bool sf_is_counting(void) { return __atomic_load_n(&sf_counting, __ATOMIC_RELAXED) != 0; }
static inline void sf_set_counting(bool on) { __atomic_store_n(&sf_counting, on, __ATOMIC_RELAXED); }

extern _Thread_local void *_Nullable sf_thread_state;

/// Returns the library's pointer for this thread; null on a new thread.
static inline void *_Nullable sf_get_thread_state(void) { return sf_thread_state; }
static inline void sf_set_thread_state(void *_Nullable state) { sf_thread_state = state; }

#endif
