/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Blocks and ignores every signal that can be, sends itself SIGTERM, and sleeps on when it is told to stop. The host
 * does not ask twice: at deadline + grace it uses the one signal that nobody sleeps through. */

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
