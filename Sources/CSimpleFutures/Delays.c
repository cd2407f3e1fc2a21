#ifdef SIMPLEFUTURES_DELAYS

// Two ways to look for races. A thread is delayed now and then, after an unlock. And some threads can follow a schedule:
// one of them runs at a time, and at each access to a lock or to an atomic byte a seed decides who continues. So a
// thread can stand still at any of these places while the others do all of their work, on any machine.

#include "CSimpleFutures.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

static uint32_t next_random(uint32_t *state) {
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

// MARK: Schedules

enum { MOST_THREADS = 8 };

static struct {
    pthread_mutex_t mutex;
    pthread_cond_t turns[MOST_THREADS];
    /// How many threads have not joined yet.
    int missing;
    /// The threads that have joined and not left.
    unsigned present;
    /// The thread whose turn it is.
    int current;
    uint32_t random;
    /// At one step in so many another thread continues.
    uint32_t rate;
    /// The number of steps so far.
    uint64_t steps;
} schedule = {.mutex = PTHREAD_MUTEX_INITIALIZER, .turns = {[0 ... MOST_THREADS - 1] = PTHREAD_COND_INITIALIZER}};

/// The index of this thread in the schedule; -1 outside.
static _Thread_local int place = -1;

/// Gives the turn to any thread but the caller, if there is one.
static void pass_on(void) {
    unsigned others = schedule.present & ~(1u << place);
    if (!others) return;
    int skipped = (int)(next_random(&schedule.random) % (uint32_t)__builtin_popcount(others));
    while (skipped--) others &= others - 1;
    schedule.current = __builtin_ctz(others);
    pthread_cond_signal(&schedule.turns[schedule.current]);
}

/// Waits for the caller's turn.
///
/// The thread whose turn it is may wait for something outside the schedule, a queue for example. If it makes no step
/// for some milliseconds, the turn is taken from it.
static void await_turn(void) {
    while (schedule.missing || schedule.current != place) {
        uint64_t steps = schedule.steps;
        struct timespec end;
        clock_gettime(CLOCK_REALTIME, &end);
        end.tv_nsec += 5000000;
        if (end.tv_nsec >= 1000000000) (end.tv_nsec -= 1000000000, end.tv_sec++);
        int status = pthread_cond_timedwait(&schedule.turns[place], &schedule.mutex, &end);
        if (status == ETIMEDOUT && !schedule.missing && steps == schedule.steps) schedule.current = place;
    }
}

static void begin(uint32_t seed, int threads) {
    schedule.random = seed * 2654435761u + 1;
    schedule.rate = 1u << (1 + next_random(&schedule.random) % 5);
    schedule.missing = threads;
    schedule.current = (int)(next_random(&schedule.random) % (uint32_t)threads);
}

bool sf_begin_schedule(uint32_t seed, int threads) {
    pthread_mutex_lock(&schedule.mutex);
    bool begins = threads > 0 && threads <= MOST_THREADS && !schedule.missing && !schedule.present;
    if (begins) begin(seed, threads);
    pthread_mutex_unlock(&schedule.mutex);
    return begins;
}

void sf_join_schedule(int index) {
    pthread_mutex_lock(&schedule.mutex);
    place = index;
    schedule.present |= 1u << index;
    if (!--schedule.missing) for (int i = 0; i < MOST_THREADS; i++) pthread_cond_signal(&schedule.turns[i]);
    await_turn();
    pthread_mutex_unlock(&schedule.mutex);
}

void sf_leave_schedule(void) {
    pthread_mutex_lock(&schedule.mutex);
    schedule.present &= ~(1u << place);
    schedule.steps++;
    if (schedule.current == place) pass_on();
    place = -1;
    pthread_mutex_unlock(&schedule.mutex);
}

/// Lets another thread continue, always or now and then.
static void step(bool always) {
    int saved = errno;
    pthread_mutex_lock(&schedule.mutex);
    schedule.steps++;
    // After a wait outside the schedule it may be another one's turn.
    if (schedule.current == place && (always || next_random(&schedule.random) % schedule.rate == 0)) pass_on();
    await_turn();
    pthread_mutex_unlock(&schedule.mutex);
    errno = saved;
}

void sf_step(void) {
    if (place >= 0) step(false);
}

bool sf_give_way(void) {
    if (place >= 0) step(true);
    return place >= 0;
}

// MARK: Delays

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
    if (place >= 0) return step(false);
    static _Thread_local uint32_t random;
    if (!random) random = (uint32_t)((uintptr_t)&random >> 4) ^ (uint32_t)clock();
    uint32_t number = next_random(&random);
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
