#ifndef C_SIMPLE_FUTURES_READINESS_H
#define C_SIMPLE_FUTURES_READINESS_H

// Which of many descriptors are ready, at a price that does not grow with those that are not: `epoll` on Linux, `kqueue` on
// Apple's systems. In C because the headers of Linux hide `epoll` from Swift.
//
// Each call that fails returns -1 and sets errno.

#include <stdbool.h>
#include <stdint.h>

/// Opens a list of descriptors; it is a descriptor itself.
int sf_ready_open(void);

/// Adds a descriptor that is not in the list. Fails for one of which the system cannot tell: devices, files.
///
/// `number` is what `sf_ready_wait` gives when it is ready, or will never be; once, or as long as it is.
int sf_ready_add(int list, int descriptor, bool writing, bool once, uint64_t number);

/// Removes a descriptor, before it is closed; also one that was added for once and was ready.
void sf_ready_remove(int list, int descriptor, bool writing);

/// Waits for at most so many milliseconds, or without a limit if that is negative.
///
/// Gives how many are ready, and the numbers of up to `count` of them.
int sf_ready_wait(int list, uint64_t *_Nonnull numbers, int count, int milliseconds);

#endif
