/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Blocks and ignores every signal that it can, sends itself SIGTERM, and keeps sleeping after its expiration. The
 * host does not expire it twice: at deadline plus grace period it sends SIGKILL, which cannot be ignored. */

#include <bgtask.h>

#include <signal.h>
#include <unistd.h>

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context, (void)host, (void)task;
    for (int number = 1; number < 32; number++) {
        signal(number, SIG_IGN);
    }
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    kill(getpid(), SIGTERM);
    for (;;) {
        sleep(3600);
    }
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    BGTASK_TRY(bgt_register(host, "com.example.sleepsthroughsignals.task", run, NULL));
    return BGT_OK;
}
