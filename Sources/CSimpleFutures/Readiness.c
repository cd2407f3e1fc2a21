#include "CSimpleFuturesReadiness.h"

enum { MOST_AT_ONCE = 64 };

static int smaller(int first, int second) { return first < second ? first : second; }

#if defined(__APPLE__)

#include <TargetConditionals.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/event.h>
#include <sys/time.h>
#if TARGET_OS_OSX
#include <sys/stat.h>
#endif

bool sf_ready_is_reported(int descriptor) {
#if TARGET_OS_OSX
    // Neither kqueue nor poll report the end of a pipe with a name; a pipe without one has no device.
    struct stat status;
    return fstat(descriptor, &status) != 0 || !S_ISFIFO(status.st_mode) || status.st_dev == 0;
#else
    // Elsewhere apps have no such pipes, and `fstat` is a function whose use Apple wants to be declared.
    (void)descriptor;
    return true;
#endif
}

int sf_ready_open(void) {
    int list = kqueue();
    if (list >= 0) fcntl(list, F_SETFD, FD_CLOEXEC);
    return list;
}

static int change(int list, int descriptor, bool writing, uint16_t flags, uint64_t number) {
    struct kevent event;
    EV_SET(&event, descriptor, writing ? EVFILT_WRITE : EVFILT_READ, flags, 0, 0, (void *)(uintptr_t)number);
    return kevent(list, &event, 1, 0, 0, 0);
}

int sf_ready_add(int list, int descriptor, bool writing, bool once, uint64_t number) {
    if (!sf_ready_is_reported(descriptor)) {
        errno = EINVAL;
        return -1;
    }
    return change(list, descriptor, writing, once ? EV_ADD | EV_ONESHOT : EV_ADD, number);
}

void sf_ready_remove(int list, int descriptor, bool writing) { change(list, descriptor, writing, EV_DELETE, 0); }

int sf_ready_wait(int list, uint64_t *numbers, int count, int milliseconds) {
    struct kevent events[MOST_AT_ONCE];
    struct timespec limit = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    int ready = kevent(list, 0, 0, events, smaller(count, MOST_AT_ONCE), milliseconds < 0 ? 0 : &limit);
    for (int i = 0; i < ready; i++) numbers[i] = (uintptr_t)events[i].udata;
    return ready;
}

#elif defined(__linux__)

#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

bool sf_ready_is_reported(int descriptor) {
    (void)descriptor;
    return true;
}

int sf_ready_open(void) { return epoll_create1(EPOLL_CLOEXEC); }

int sf_ready_add(int list, int descriptor, bool writing, bool once, uint64_t number) {
#ifdef SIMPLEFUTURES_APPLE // As on Apple's systems, for which this configuration of the tests stands: no devices.
    if (isatty(descriptor)) {
        errno = EINVAL;
        return -1;
    }
#endif
    struct epoll_event event = {.events = writing ? EPOLLOUT : EPOLLIN, .data = {.u64 = number}};
    if (once) event.events |= EPOLLONESHOT;
    return epoll_ctl(list, EPOLL_CTL_ADD, descriptor, &event);
}

void sf_ready_remove(int list, int descriptor, bool writing) {
    struct epoll_event unused = {0};
    (void)writing;
    epoll_ctl(list, EPOLL_CTL_DEL, descriptor, &unused);
}

int sf_ready_wait(int list, uint64_t *numbers, int count, int milliseconds) {
    struct epoll_event events[MOST_AT_ONCE];
    int ready = epoll_wait(list, events, smaller(count, MOST_AT_ONCE), milliseconds);
    for (int i = 0; i < ready; i++) numbers[i] = events[i].data.u64;
    return ready;
}

#endif
