/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
#ifndef BGL_NETLINK_H
#define BGL_NETLINK_H

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Opens a netlink socket of this protocol, which receives the reports of these groups (a bit each); close-on-exec. A
 * blocking receive waits at most one second. Dumps are restricted to the requested objects, if the kernel supports
 * that. */
int bgl_netlink_open(int protocol, uint32_t groups);

/* Receives one datagram of the kernel; datagrams of processes are dropped. With `waits` 0 it never blocks. Returns the
 * size, or -EAGAIN: no datagram is available; -ENOBUFS: datagrams were lost; -EMSGSIZE: the datagram exceeds the
 * buffer. */
ssize_t bgl_netlink_receive(int socket, void *buffer, size_t capacity, int waits);

#endif
