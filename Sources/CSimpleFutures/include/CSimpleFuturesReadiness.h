#ifndef C_SIMPLE_FUTURES_READINESS_H
#define C_SIMPLE_FUTURES_READINESS_H

// Reports which of many descriptors are ready, at a cost that does not depend on the others: `epoll` on Linux, `kqueue`
// on Apple's systems. In C because the headers of Linux hide `epoll` from Swift.
//
// Calls that fail return -1 and set errno.

#include <stdbool.h>
#include <stdint.h>

/// Whether a list of descriptors and `poll` report everything about a descriptor, if they accept it.
///
/// False for a pipe with a name on macOS: they do not report that its last writer is gone, but `select` does.
bool sf_ready_is_reported(int descriptor);

/// Opens a list of descriptors. The list is a descriptor itself.
int sf_ready_open(void);

/// Adds a descriptor that is not in the list. Fails for descriptors that the system cannot watch: devices, files.
///
/// `sf_ready_wait` returns `number` when the descriptor is ready, or can never be: once, or as long as it is ready.
int sf_ready_add(int list, int descriptor, bool writing, bool once, uint64_t number);

/// Removes a descriptor before it is closed, even if it was added with `once` and has been ready.
void sf_ready_remove(int list, int descriptor, bool writing);

/// Waits for at most `milliseconds`, or without a limit if that is negative.
///
/// Returns how many descriptors are ready, and stores the numbers of up to `count` of them.
int sf_ready_wait(int list, uint64_t *_Nonnull numbers, int count, int milliseconds);

#endif
