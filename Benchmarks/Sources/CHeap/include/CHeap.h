#ifndef CHEAP_H
#define CHEAP_H

#include <stddef.h>

/// The bytes that the allocator has handed out and not got back, its own headers and padding included.
size_t heap_bytes_in_use(void);

#endif
