/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Raises its limit of descriptors, and sends descriptors into a pair of sockets without receiving any, until the kernel
 * refuses one. Their number, the errno of the refusal and both values of the original limit go to `in-flight.txt`, and
 * it logs a line. They stay in flight until the container has a file named `release`; then the task completes with
 * success. */

#include <bgtask.h>

#include "Records.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/socket.h>

/* The kernel accepts no more descriptors in one message. */
enum { EACH = 253 };

static int sent(int end) {
    union {
        struct cmsghdr head;
        char space[CMSG_SPACE(EACH * sizeof(int))];
    } control = {.head = {.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
    control.head.cmsg_len = CMSG_LEN(EACH * sizeof(int));
    for (int number = 0; number < EACH; number++) {
        memcpy(CMSG_DATA(&control.head) + number * sizeof(int), &(int){STDIN_FILENO}, sizeof(int));
    }
    char byte = 0;
    struct iovec bytes = {.iov_base = &byte, .iov_len = 1};
    const struct msghdr message = {
        .msg_iov = &bytes, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control,
    };
    return sendmsg(end, &message, MSG_DONTWAIT | MSG_NOSIGNAL) == 1;
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    struct rlimit limit = {0, 0};
    getrlimit(RLIMIT_NOFILE, &limit);
    const struct rlimit raised = {.rlim_cur = limit.rlim_max, .rlim_max = limit.rlim_max};
    int pair[2], count = 0;
    if (setrlimit(RLIMIT_NOFILE, &raised) != 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        bgt_complete(host, task, BGT_OUTCOME_FAILURE);
        return;
    }
    while (sent(pair[0])) count += EACH;
    record(host, "in-flight.txt", "%d %d %llu %llu\n", count, errno, (unsigned long long)limit.rlim_cur,
           (unsigned long long)limit.rlim_max);
    bgt_log(host, BGT_LOG_INFO, "the descriptors are in flight");
    while (!is_released(host) && !bgt_is_expiring(host, task)) usleep(1000);
    close(pair[0]);
    close(pair[1]);
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    return bgt_register(host, "com.example.keepsinflight.task", run, NULL);
}
