/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Changes state of the whole process: the main thread's signal mask in entry, and in its handler the actions of
 * SIGSEGV and SIGTERM, the working directory, the umask and stdin. The task succeeds, and the journal has a line on each
 * change (BGT-ABI-16). */

#include <bgtask.h>

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

static void ignore(int signal) {
    (void)signal;
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    signal(SIGSEGV, ignore);
    signal(SIGTERM, SIG_IGN);
    umask(0);
    close(STDIN_FILENO);
    const int32_t outcome = chdir("/tmp") == 0 ? BGT_OUTCOME_SUCCESS : BGT_OUTCOME_FAILURE;
    bgt_complete(host, task, outcome);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    sigset_t usr1;
    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &usr1, NULL);
    BGTASK_TRY(bgt_register(host, "com.example.changesprocess.task", run, NULL));
    return BGT_OK;
}
