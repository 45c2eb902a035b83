/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Its handler requests a lease and the receiver of signals, makes a hundred different system calls that no grant allows,
 * and varies the arguments of one that a grant allows, before it opens an internet socket and starts a process. The task
 * completes with success when the sandbox refuses the last two. */

#define _GNU_SOURCE
#include <bgtask.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    fcntl(STDIN_FILENO, F_SETLEASE, F_RDLCK);
    fcntl(STDIN_FILENO, F_SETOWN, getpid());
    for (int family = 40; family < 140; family++) socket(family, SOCK_STREAM, 0);
    for (int type = 0; type < 16; type++) socket(AF_UNIX, type, 0);
    const int opened = socket(AF_INET, SOCK_STREAM, 0);
    const int opens_none = opened < 0 && errno == EPERM;
    const long child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (child == 0) _exit(0);
    const int starts_none = child < 0 && errno == EPERM;
    bgt_complete(host, task, opens_none && starts_none ? BGT_OUTCOME_SUCCESS : BGT_OUTCOME_FAILURE);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    BGTASK_TRY(bgt_register(host, "com.example.hidesrefusedcall.task", run, NULL));
    return BGT_OK;
}
