/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
#ifndef BGL_STREAM_H
#define BGL_STREAM_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Every descriptor created here is close-on-exec. Sending and receiving never block and never raise SIGPIPE; reads and
 * writes of a file block as its descriptor does. */

/* Opens a file. `name` is relative to `directory`, or absolute; `flags` are the flags of open. */
int bgl_open(int directory, const char *name, int flags);

/* Opens a file for execution, whether it is readable or not. */
int bgl_open_program(const char *path);

/* Creates a connected pair of stream sockets. */
int bgl_socket_pair(int pair[2]);

/* Creates a pipe whose reading end, the first, never blocks; the writing end does. */
int bgl_pipe(int pair[2]);

/* Creates a datagram socket that is connected to the socket at a path. */
int bgl_datagram_socket(const char *path);

/* Creates a file in memory with these bytes, which can no longer change. The name is for lists of open files. */
int bgl_sealed_file(const char *name, const void *bytes, size_t count);

/* The functions that receive, send and read return the number of bytes, 0 at the end of the stream, or a negative errno
 * (-EAGAIN: not ready). */
/* Values of a received descriptor. Lost: the peer sent one, and this process got none, as without a free number. */
enum {
    BGL_NO_DESCRIPTOR = -1,
    BGL_LOST_DESCRIPTOR = -2,
};

/* Receives bytes. Stores the descriptor that the peer sent with these bytes, or one of the values above, in
 * `descriptor`. Further descriptors of the peer are closed. */
ssize_t bgl_receive_with_descriptor(int socket, void *buffer, size_t capacity, int *descriptor);
/* Makes the kernel refuse the descriptors that the peer sends from now on, with EPERM. Returns 0, or a negative errno;
 * -ENOPROTOOPT before Linux 6.16. */
int bgl_refuse_descriptors(int socket);
ssize_t bgl_send(int socket, const void *bytes, size_t count);
/* Like bgl_send. Sends a descriptor with the bytes. */
ssize_t bgl_send_with_descriptor(int socket, const void *bytes, size_t count, int descriptor);
ssize_t bgl_read(int file, void *buffer, size_t capacity);

/* The number of unread bytes in a socket or a pipe; 0 also when it is unknown. */
int bgl_waiting_bytes(int file);

/* Reads the beginning of a file, up to its end or to `capacity`. Returns the number of bytes or a negative errno. */
ssize_t bgl_read_file(int directory, const char *name, void *buffer, size_t capacity);

/* Writes a text in one piece to an existing file, as files of the kernel require. */
int bgl_write_file(int directory, const char *name, const char *text);

/* Takes the exclusive lock on an open file, or fails with -EAGAIN at once. */
int bgl_lock(int file);

/* Whether the file is in a cgroup v2 hierarchy: 1, 0 or a negative errno. */
int bgl_is_cgroup(int file);

/* Nanoseconds of a clock; 0 if the kernel has no such clock. */
int64_t bgl_monotonic_ns(void);
int64_t bgl_wall_ns(void);
/* Like the monotonic clock, but including the time in which the machine is suspended. */
int64_t bgl_boot_ns(void);

#endif
