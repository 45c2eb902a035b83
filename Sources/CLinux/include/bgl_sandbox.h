/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
#ifndef BGL_SANDBOX_H
#define BGL_SANDBOX_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The number of threads of this process, or a negative errno. */
int bgl_thread_count(void);

/* Names the calling thread; at most 15 bytes are kept. */
void bgl_set_thread_name(const char *name);

/* Lowers the soft and the hard value of a resource limit of this process; a value that is lower already stays. Returns
 * 0, or a negative errno. */
int bgl_limit(int resource, uint64_t soft, uint64_t hard);

/* Raises the soft value of a resource limit of this process to the hard value. Returns 0, or a negative errno. */
int bgl_raise_limit(int resource);

/* Sets both values of a resource limit of another process. Returns 0, or a negative errno. */
int bgl_limit_of(pid_t process, int resource, uint64_t value);

/* Sets no_new_privs: no program that the calling thread executes gains privileges. The kernel requires it of an
 * unprivileged process before Landlock or a filter of system calls. Returns 0, or a negative errno. */
int bgl_refuse_new_privileges(void);

/* Adds a number to the nice value of the calling thread, and gives the thread the lowest best-effort priority for
 * disks. Threads that it starts later inherit both. */
void bgl_lower_priority(int nice);

/* Drops every capability of the calling thread. Returns 0, or a negative errno. */
int bgl_drop_capabilities(void);

/* Changes the real, effective and saved user and group of the process to one number, removes its supplementary groups,
 * drops its capabilities, and restores the death signal SIGKILL and the dumpable state. Pipes that are the standard
 * output or error get the new owner. The parent may have died in between: compare getppid afterwards. Needs CAP_SETUID,
 * CAP_SETGID and CAP_CHOWN. Returns 0, or a negative errno. */
int bgl_become_user(uint32_t user);

/* Creates a Landlock ruleset that refuses the rights in each set. Returns a descriptor, -EINVAL or -E2BIG when the
 * kernel lacks one of the rights, or another negative errno. */
int bgl_landlock_create(uint64_t files, uint64_t network, uint64_t scopes);

/* Version of the kernel's Landlock interface, or a negative errno. */
int bgl_landlock_version(void);

/* Adds a rule to a ruleset: grants rights to the file or directory of the descriptor `place`, and below it. Returns 0,
 * or a negative errno. */
int bgl_landlock_allow(int ruleset, int place, uint64_t rights);

/* Adds a rule to a ruleset: grants rights to a TCP port. Returns 0, or a negative errno. */
int bgl_landlock_allow_port(int ruleset, uint16_t port, uint64_t rights);

/* Restricts the calling thread to the ruleset, until the thread ends. Returns 0, or a negative errno. */
int bgl_landlock_restrict(int ruleset);

/* 1 when the kernel can filter system calls and answer a refused call with an errno; else 0. */
int bgl_filters_system_calls(void);

/* Loads a filter of system calls, an array of the kernel's struct sock_filter of `size` bytes, for this process, which
 * has one thread. It cannot be removed. A call that the filter refuses with EPERM then waits in the listener for
 * bgl_answer_refused_call; `listener` is set to its descriptor. When the kernel creates no listener, `listener` is set
 * to -1, and the kernel answers these calls. Returns 0, or a negative errno. */
int bgl_load_system_call_filter(const void *filter, size_t size, int *listener);

/* Creates a file in memory that cannot be executed, where the kernel can refuse this. Returns its descriptor, or a
 * negative errno. */
int bgl_memory_file(const char *name);

/* A system call that a filter refused: its number, and the arguments that decide: family and type of socket, without
 * flags; the flags of clone; as the second one the command of fcntl, and the set-user-ID and set-group-ID bits of an
 * open call that creates a file; 0 otherwise. */
struct bgl_refused_call {
    int32_t number;
    uint64_t arguments[2];
};

/* Whether a descriptor is the listener of a filter. */
int bgl_is_listener(int descriptor);

/* Answers one waiting call of a listener with EPERM, and stores the call in `call`. Returns 1, 0 when no call waits or
 * when the caller has ended, or a negative errno; -EPIPE when no process uses the filter any more. Never blocks. */
int bgl_answer_refused_call(int listener, struct bgl_refused_call *call);

/* Creates an empty file or a directory in an open directory. 0, or a negative errno; -EEXIST when the name is taken. */
int bgl_create_place(int directory, const char *name, int is_directory);

/* Opens a file or directory without any access to its contents. With `follows` 0, only a directory is
 * opened, and a symbolic link at the end of the path is an error. Returns a descriptor, or a negative errno. */
int bgl_open_place(const char *path, int follows);

#endif
