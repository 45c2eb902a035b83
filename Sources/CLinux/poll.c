/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
#define _GNU_SOURCE
#include "bgl_poll.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { BATCH = 64 };

int bgl_poll_create(void) {
    int poll = epoll_create1(EPOLL_CLOEXEC);
    return poll >= 0 ? poll : -errno;
}

static int control(int poll, int operation, int descriptor, uint32_t events, uint64_t key) {
    struct epoll_event event = {.data.u64 = key};
    if (events & BGL_READABLE) event.events |= EPOLLIN;
    if (events & BGL_WRITABLE) event.events |= EPOLLOUT;
    if (events & BGL_CHANGED) event.events |= EPOLLPRI;
    return epoll_ctl(poll, operation, descriptor, &event) == 0 ? 0 : -errno;
}

int bgl_poll_add(int poll, int descriptor, uint32_t events, uint64_t key) {
    return control(poll, EPOLL_CTL_ADD, descriptor, events, key);
}

int bgl_poll_change(int poll, int descriptor, uint32_t events, uint64_t key) {
    return control(poll, EPOLL_CTL_MOD, descriptor, events, key);
}

int bgl_poll_remove(int poll, int descriptor) {
    return control(poll, EPOLL_CTL_DEL, descriptor, 0, 0);
}

int bgl_poll_wait(int poll, struct bgl_ready *ready, int capacity, int timeout_ms) {
    struct epoll_event events[BATCH];
    int count = epoll_wait(poll, events, capacity < BATCH ? capacity : BATCH, timeout_ms);
    if (count < 0) return errno == EINTR ? 0 : -errno;
    for (int i = 0; i < count; i++) {
        uint32_t seen = events[i].events;
        ready[i] = (struct bgl_ready){
            .key = events[i].data.u64,
            .events = (seen & (EPOLLIN | EPOLLHUP | EPOLLERR) ? BGL_READABLE : 0)
                | (seen & EPOLLOUT ? BGL_WRITABLE : 0) | (seen & EPOLLPRI ? BGL_CHANGED : 0),
        };
    }
    return count;
}

int bgl_eventfd_create(void) {
    int eventfd_descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return eventfd_descriptor >= 0 ? eventfd_descriptor : -errno;
}

void bgl_eventfd_signal(int eventfd_descriptor) {
    uint64_t one = 1;
    /* A full counter is already readable. */
    ssize_t written = write(eventfd_descriptor, &one, sizeof one);
    (void)written;
}

void bgl_eventfd_clear(int eventfd_descriptor) {
    uint64_t count;
    ssize_t size = read(eventfd_descriptor, &count, sizeof count);
    (void)size;
}
