/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Starts processes in one place of its launch, each of which starts processes, until the system refuses one; without a
 * limit they end at 2,000 in all. The errno of the refusal goes to `forks.txt`, and the task completes with success.
 * The processes stay until the host kills them at the end of the launch. */

#include <bgtask.h>

#include <errno.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "Place.h"
#include "Records.h"

enum { MOST = 2000 };

/* The number of started processes, which all of them share. */
static atomic_int *started;

/* Returns the errno of the first refused fork; 0 without a refusal. */
static int fork_without_end(void) {
    while (atomic_fetch_add(started, 1) < MOST) {
        const pid_t child = fork();
        if (child < 0) return errno;
        if (child == 0) {
            (void)fork_without_end();
            for (;;) {
                pause();
            }
        }
    }
    return 0;
}

static void harm(const char *container) {
    started = mmap(NULL, sizeof *started, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (started != MAP_FAILED) record_in(container, "forks.txt", "%d\n", fork_without_end());
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    harm_in_handler(host);
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    harm_in_entry(host);
    BGTASK_TRY(bgt_register(host, "com.example.forkbomb.task", run, NULL));
    return BGT_OK;
}
