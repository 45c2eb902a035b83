/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#ifndef TRANSFER_ADDRESS_H
#define TRANSFER_ADDRESS_H

#include <sys/socket.h>

/* The addresses to which a transfer may connect. */
enum address_kind {
    ADDRESS_PUBLIC,
    /* Loopback, the link, private networks: only where the host grants them. The public addresses of this machine are
     * not among them. */
    ADDRESS_PRIVATE,
    ADDRESS_UNUSABLE /* multicast, reserved, of another family: never */
};

enum address_kind address_kind(const struct sockaddr *address, socklen_t length);

#endif
