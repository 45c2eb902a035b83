/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
#define _GNU_SOURCE
#include "bgl_netlink.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#ifndef NETLINK_GET_STRICT_CHK
#define NETLINK_GET_STRICT_CHK 12
#endif

int bgl_netlink_open(int protocol, uint32_t groups) {
    int file = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);
    if (file < 0) return -errno;
    struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = groups};
    if (bind(file, (struct sockaddr *)&address, sizeof address) != 0) {
        int error = errno;
        close(file);
        return -error;
    }
    struct timeval limit = {.tv_sec = 1};
    setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    int strict = 1;
    setsockopt(file, SOL_NETLINK, NETLINK_GET_STRICT_CHK, &strict, sizeof strict);
    return file;
}

ssize_t bgl_netlink_receive(int socket, void *buffer, size_t capacity, int waits) {
    for (;;) {
        struct sockaddr_nl sender = {0};
        struct iovec piece = {.iov_base = buffer, .iov_len = capacity};
        struct msghdr message = {
            .msg_name = &sender, .msg_namelen = sizeof sender, .msg_iov = &piece, .msg_iovlen = 1};
        ssize_t size = recvmsg(socket, &message, waits ? 0 : MSG_DONTWAIT);
        if (size < 0) {
            if (errno == EINTR) continue;
            return -errno;
        }
        /* Any process may send to a socket; only the kernel has the number 0. */
        if (sender.nl_pid != 0) continue;
        return message.msg_flags & MSG_TRUNC ? -EMSGSIZE : size;
    }
}
