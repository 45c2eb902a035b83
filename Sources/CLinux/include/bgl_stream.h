/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
#ifndef BGL_STREAM_H
#define BGL_STREAM_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Every descriptor made here is close-on-exec. Nothing here blocks, raises SIGPIPE or is cut short by a signal. */

/* `name` is relative to `folder`, or absolute; `flags` are those of open. */
int bgl_open(int folder, const char *name, int flags);

/* A file as a thing to execute, readable or not. */
int bgl_open_program(const char *path);

/* A connected pair of stream sockets. */
int bgl_socket_pair(int pair[2]);

/* A pipe whose reading end, the first, never blocks; the writing end does. */
int bgl_pipe(int pair[2]);

/* Bytes, 0 at the end of the stream, or a negative errno (-EAGAIN: nothing there yet). */
ssize_t bgl_receive(int socket, void *buffer, size_t capacity);
ssize_t bgl_send(int socket, const void *bytes, size_t count);
ssize_t bgl_read(int file, void *buffer, size_t capacity);

/* How many bytes wait in a socket or a pipe; 0 also when that cannot be told. */
int bgl_waiting_bytes(int file);

/* The first bytes of a file, read to its end or to `capacity`. */
ssize_t bgl_read_file(int folder, const char *name, void *buffer, size_t capacity);

/* Writes a text in one piece to a file that exists, as the kernel's own files want it. */
int bgl_write_file(int folder, const char *name, const char *text);

/* Takes the exclusive lock on an open file, or fails with -EAGAIN at once. */
int bgl_lock(int file);

/* Whether the file lies in a cgroup v2 hierarchy: 1, 0 or a negative errno. */
int bgl_is_cgroup(int file);

/* Nanoseconds of a clock; 0 if the kernel has no such clock. */
int64_t bgl_monotonic_ns(void);
int64_t bgl_wall_ns(void);
/* As the monotonic clock, and on while the machine is suspended. */
int64_t bgl_boot_ns(void);

#endif
