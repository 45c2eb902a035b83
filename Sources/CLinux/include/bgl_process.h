/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
#ifndef BGL_PROCESS_H
#define BGL_PROCESS_H

#include <stdint.h>
#include <sys/types.h>

/* Runs `body` on a detached thread. All signals are blocked on this thread; other threads handle them. The name appears
 * in lists of threads; at most 15 bytes are kept. Returns 0, or a negative errno. */
int bgl_start_thread(const char *name, void (*body)(void *context), void *context);

/* Makes this process the parent of orphaned descendants, and keeps the exit status of children available. */
int bgl_become_subreaper(void);

/* A close-on-exec descriptor of the process with the number `pid`, never of a later process with that number. */
int bgl_pidfd_open(pid_t pid);

/* A close-on-exec descriptor of the process that connected the other end of a Unix socket. Returns -ESRCH when the
 * process is gone, or -ENOPROTOOPT on kernels before 6.5. */
int bgl_peer_pidfd(int connection);

/* Sends a signal. Returns 0, or a negative errno; -ESRCH when the process is gone. */
int bgl_pidfd_signal(int pidfd, int signal);

/* Takes a close-on-exec copy of the descriptor `number` out of a process. The copy was in no socket: the kernel does
 * not count it among the descriptors in flight. Returns -EPERM when this process may not trace the other one, and
 * -ENOSYS before Linux 5.6. */
int bgl_pidfd_get(int pidfd, int number);

/* Signals the process group that the process leads. `pid` is used on kernels before 6.9, which need the number. */
int bgl_pidfd_signal_group(int pidfd, pid_t pid, int signal);

struct bgl_exit {
    /* The signal that ended the process; if it is 0, the code with which it exited. */
    int32_t signal;
    int32_t code;
};

/* Reaps one child. Returns 1 when it was reaped, 0 when it still runs (only without `blocks`), or a negative errno.
 * `result` may be NULL. It never reads the status of another child. */
int bgl_wait(pid_t pid, int blocks, struct bgl_exit *result);

/* The hard RLIMIT_RTTIME of a process of any user, running or not yet reaped; 0 when it has none or cannot be read.
 *
 * This limit on real-time scheduling is otherwise unused. It is inherited through fork, exec, setsid and a cleared
 * environment, and no unprivileged process can raise it. Therefore a runner's number there marks all its
 * descendants. */
uint64_t bgl_mark_of(pid_t pid);

/* Lists the children of all threads of this process, running and zombie. `threads` is /proc/self/task, opened as a
 * directory. Returns the number of children and stores the first `capacity`; -ENOSYS if the kernel has no such list. */
int bgl_children(int threads, pid_t *children, int capacity);

/* Lists the numbers in a directory of processes (/proc). Returns their count and stores the first `capacity`. */
int bgl_numbers_in(int directory, pid_t *numbers, int capacity);

/* The soft limits of this process on open descriptors and on its user's processes; UINT64_MAX without a limit. */
uint64_t bgl_descriptor_limit(void);
uint64_t bgl_process_limit(void);

/* Lets the allocator fill memory that the calling thread frees from now on with a byte, except the first and the last 16
 * bytes of a block. */
void bgl_fill_freed_memory(int byte);

#endif
