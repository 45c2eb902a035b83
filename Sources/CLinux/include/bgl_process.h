/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
#ifndef BGL_PROCESS_H
#define BGL_PROCESS_H

#include <stdint.h>
#include <sys/types.h>

/* Runs `body` on a detached thread that receives no signals; they are for the threads that wait for them. The name is
 * for whoever lists threads, at most 15 bytes are kept. 0, or a negative errno. */
int bgl_start_thread(const char *name, void (*body)(void *context), void *context);

/* Orphaned descendants become this process's children from now on, and how children end can be asked. */
int bgl_become_subreaper(void);

/* A close-on-exec descriptor that stays this process's, whatever becomes of its number. */
int bgl_pidfd_open(pid_t pid);

/* 0, or a negative errno; -ESRCH when the process is gone. */
int bgl_pidfd_signal(int pidfd, int signal);

/* Signals the process group that the process leads. `pid` serves kernels before 6.9, which need the number. */
int bgl_pidfd_signal_group(int pidfd, pid_t pid, int signal);

struct bgl_exit {
    /* Meaningful as one of two: ended by this signal, or, when it is 0, left with this code. */
    int32_t signal;
    int32_t code;
};

/* Reaps one child. 1 when it was reaped, 0 when it still runs (only without `blocks`), or a negative errno.
 * `result` may be NULL. Never touches the status of any other child. */
int bgl_wait(pid_t pid, int blocks, struct bgl_exit *result);

/* The RLIMIT_RTTIME of a process, alive or not yet reaped; 0 when it has none or cannot be asked.
 *
 * A limit on real-time scheduling that nobody uses, inherited through fork, exec, setsid and a cleared environment, and
 * that no unprivileged process can raise: a runner's number there marks everything that descends from it. */
uint64_t bgl_mark_of(pid_t pid);

/* The children of this process, running and zombie, by thread. `threads` is /proc/self/task, opened as a folder.
 * Returns how many there are, stores the first `capacity`; -ENOSYS when the kernel has no such list. */
int bgl_children(int threads, pid_t *children, int capacity);

/* The numbers in a folder of processes (/proc). Returns how many there are, stores the first `capacity`. */
int bgl_numbers_in(int folder, pid_t *numbers, int capacity);

/* The soft limits of this process on open descriptors and on its user's processes; UINT64_MAX without one. */
uint64_t bgl_descriptor_limit(void);
uint64_t bgl_process_limit(void);

#endif
