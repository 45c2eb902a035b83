/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
#ifndef BGL_NETLINK_H
#define BGL_NETLINK_H

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A netlink socket of this protocol that hears these groups (a bit each); close-on-exec. Receiving waits for at most a
 * second where it is asked to wait. Dumps are restricted to what is asked for, if the kernel can do that. */
int bgl_netlink_open(int protocol, uint32_t groups);

/* One datagram of the kernel; those of other processes are dropped. -EAGAIN: none is there; -ENOBUFS: some were lost;
 * -EMSGSIZE: it did not fit. */
ssize_t bgl_netlink_receive(int socket, void *buffer, size_t capacity, int waits);

#endif
