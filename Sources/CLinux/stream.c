/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
#define _GNU_SOURCE
#include "bgl_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

/* The number on x86_64 and aarch64. */
#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS 83
#endif

enum { CGROUP2_MAGIC = 0x63677270 };

int bgl_open(int directory, const char *name, int flags) {
    int file;
    do {
        file = openat(directory, name, flags | O_CLOEXEC);
    } while (file < 0 && errno == EINTR);
    return file >= 0 ? file : -errno;
}

int bgl_open_program(const char *path) {
    return bgl_open(AT_FDCWD, path, O_PATH);
}

int bgl_socket_pair(int pair[2]) {
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0 ? 0 : -errno;
}

int bgl_pipe(int pair[2]) {
    if (pipe2(pair, O_CLOEXEC) != 0) return -errno;
    if (fcntl(pair[0], F_SETFL, O_NONBLOCK) == 0) return 0;
    int error = errno;
    close(pair[0]);
    close(pair[1]);
    return -error;
}

int bgl_datagram_socket(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const size_t length = strlen(path);
    if (length >= sizeof address.sun_path) return -ENAMETOOLONG;
    memcpy(address.sun_path, path, length);
    int file = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (file < 0) return -errno;
    if (connect(file, (const struct sockaddr *)&address, sizeof address) == 0) return file;
    int error = errno;
    close(file);
    return -error;
}

int bgl_sealed_file(const char *name, const void *bytes, size_t count) {
    int file = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0) return -errno;
    size_t written = 0;
    while (written < count) {
        ssize_t size = write(file, (const char *)bytes + written, count - written);
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) break;
        written += (size_t)size;
    }
    if (written == count
        && fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) == 0) return file;
    int error = errno;
    close(file);
    return -error;
}

ssize_t bgl_receive_with_descriptor(int socket, void *buffer, size_t capacity, int *descriptor) {
    struct iovec bytes = {.iov_base = buffer, .iov_len = capacity};
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int))];
    } control;
    struct msghdr message = {
        .msg_iov = &bytes, .msg_iovlen = 1, .msg_control = &control,
        /* Without the padding, which has space for a second descriptor. The kernel closes all that do not fit. */
        .msg_controllen = CMSG_LEN(sizeof(int)),
    };
    *descriptor = BGL_NO_DESCRIPTOR;
    ssize_t size;
    do {
        size = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    } while (size < 0 && errno == EINTR);
    if (size < 0) return -errno;
    const struct cmsghdr *sent = CMSG_FIRSTHDR(&message);
    if (sent != NULL && sent->cmsg_level == SOL_SOCKET && sent->cmsg_type == SCM_RIGHTS
        && sent->cmsg_len == CMSG_LEN(sizeof(int))) {
        memcpy(descriptor, CMSG_DATA(sent), sizeof *descriptor);
    } else if (message.msg_flags & MSG_CTRUNC) {
        *descriptor = BGL_LOST_DESCRIPTOR;
    }
    return size;
}

int bgl_refuse_descriptors(int socket) {
    const int passes = 0;
    return setsockopt(socket, SOL_SOCKET, SO_PASSRIGHTS, &passes, sizeof passes) == 0 ? 0 : -errno;
}

ssize_t bgl_send_with_descriptor(int socket, const void *buffer, size_t count, int descriptor) {
    struct iovec bytes = {.iov_base = (void *)(uintptr_t)buffer, .iov_len = count};
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {.head = {.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int))}};
    memcpy(CMSG_DATA(&control.head), &descriptor, sizeof descriptor);
    const struct msghdr message = {
        .msg_iov = &bytes, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control,
    };
    ssize_t size;
    do {
        size = sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    } while (size < 0 && errno == EINTR);
    return size >= 0 ? size : -errno;
}

ssize_t bgl_send(int socket, const void *bytes, size_t count) {
    ssize_t size;
    do {
        size = send(socket, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL);
    } while (size < 0 && errno == EINTR);
    return size >= 0 ? size : -errno;
}

ssize_t bgl_read(int file, void *buffer, size_t capacity) {
    ssize_t size;
    do {
        size = read(file, buffer, capacity);
    } while (size < 0 && errno == EINTR);
    return size >= 0 ? size : -errno;
}

int bgl_waiting_bytes(int file) {
    int count = 0;
    return ioctl(file, FIONREAD, &count) == 0 ? count : 0;
}

ssize_t bgl_read_file(int directory, const char *name, void *buffer, size_t capacity) {
    int file = bgl_open(directory, name, O_RDONLY);
    if (file < 0) return file;
    size_t count = 0;
    ssize_t size = 1;
    while (count < capacity && (size = bgl_read(file, (char *)buffer + count, capacity - count)) > 0) {
        count += (size_t)size;
    }
    close(file);
    return size < 0 ? size : (ssize_t)count;
}

int bgl_write_file(int directory, const char *name, const char *text) {
    int file = bgl_open(directory, name, O_WRONLY);
    if (file < 0) return file;
    ssize_t size = write(file, text, strlen(text));
    int error = errno;
    close(file);
    return size < 0 ? -error : 0;
}

int bgl_lock(int file) {
    return flock(file, LOCK_EX | LOCK_NB) == 0 ? 0 : -errno;
}

int bgl_is_cgroup(int file) {
    struct statfs system;
    if (fstatfs(file, &system) != 0) return -errno;
    return system.f_type == CGROUP2_MAGIC;
}

static int64_t nanoseconds(clockid_t clock) {
    struct timespec time = {0};
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int64_t bgl_monotonic_ns(void) { return nanoseconds(CLOCK_MONOTONIC); }

int64_t bgl_wall_ns(void) { return nanoseconds(CLOCK_REALTIME); }

int64_t bgl_boot_ns(void) { return nanoseconds(CLOCK_BOOTTIME); }
