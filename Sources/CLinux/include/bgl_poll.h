/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
#ifndef BGL_POLL_H
#define BGL_POLL_H

#include <stdint.h>

/* Events to poll for. Errors and hang-ups are always reported, and count as readable. */
enum {
    BGL_READABLE = 1,
    BGL_WRITABLE = 2,
    /* A file of the kernel changed: a file of a cgroup, a pressure trigger or the list of mounts. */
    BGL_CHANGED = 4,
};

struct bgl_ready {
    uint64_t key;
    uint32_t events;
    uint32_t reserved;
};

int bgl_poll_create(void);
int bgl_poll_add(int poll, int descriptor, uint32_t events, uint64_t key);
int bgl_poll_change(int poll, int descriptor, uint32_t events, uint64_t key);
int bgl_poll_remove(int poll, int descriptor);

/* Waits for at most `timeout_ms` (-1: without a limit). Returns the number of ready descriptors, 0 also after a
 * signal. */
int bgl_poll_wait(int poll, struct bgl_ready *ready, int capacity, int timeout_ms);

/* An eventfd with which another thread ends bgl_poll_wait. */
int bgl_eventfd_create(void);
void bgl_eventfd_signal(int eventfd_descriptor);
void bgl_eventfd_clear(int eventfd_descriptor);

#endif
