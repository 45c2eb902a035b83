/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#define _GNU_SOURCE

#include "lookup.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static int is_refusal(int problem) { return problem == EPERM || problem == EACCES; }

static int has_datagrams(void) {
    const int file = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const int problem = errno;
    if (file >= 0) {
        close(file);
    }
    return file >= 0 || !is_refusal(problem);
}

void lookup_prepare(void) {
    if (!has_datagrams()) {
        setenv("RES_OPTIONS", "use-vc", 1);
    }
}

/* Landlock refuses a port before it looks at the address, so that the answer of this machine does not matter. */
int lookup_is_permitted(void) {
    const struct sockaddr_in server = {
        .sin_family = AF_INET, .sin_port = htons(53), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (has_datagrams()) {
        return 1;
    }
    const int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP);
    if (file < 0) {
        return !is_refusal(errno);
    }
    const int is_permitted = connect(file, (const struct sockaddr *)&server, sizeof server) == 0 || !is_refusal(errno);
    close(file);
    return is_permitted;
}
