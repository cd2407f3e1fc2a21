// A stub of Apple's os/lock.h for type-checking on Linux.
#ifndef STUB_OS_LOCK_H
#define STUB_OS_LOCK_H

#define STUB_NOASYNC __attribute__((swift_attr("@_unavailableFromAsync")))

typedef struct os_unfair_lock_s { unsigned int _os_unfair_lock_opaque; } os_unfair_lock, *os_unfair_lock_t;
#define OS_UNFAIR_LOCK_INIT ((os_unfair_lock){0})
void os_unfair_lock_lock(os_unfair_lock_t _Nonnull lock) STUB_NOASYNC;
_Bool os_unfair_lock_trylock(os_unfair_lock_t _Nonnull lock) STUB_NOASYNC;
void os_unfair_lock_unlock(os_unfair_lock_t _Nonnull lock) STUB_NOASYNC;

#endif
