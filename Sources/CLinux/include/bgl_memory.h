/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
#ifndef BGL_MEMORY_H
#define BGL_MEMORY_H

#include <stdint.h>

/* A close-on-exec descriptor of anonymous memory of `size` zero bytes, whose size never changes. Pages exist only when
 * they are written. */
int bgl_shared_memory(const char *name, uint64_t size);

/* Maps such memory for reading and writing, but not in forked processes. NULL when the system refuses. */
void *bgl_map_shared(int memory, uint64_t size);

/* Reads bytes at an offset. Returns their number, or a negative errno. */
int64_t bgl_read_at(int file, void *buffer, uint64_t size, uint64_t offset);

/* Lets the allocator of this process return freed memory to the system: few arenas, large blocks in mappings of their
 * own, and a low limit of free memory at the end of an arena. Called before the first thread is created, because later
 * threads may already have arenas. */
void bgl_return_freed_memory(void);

#endif
