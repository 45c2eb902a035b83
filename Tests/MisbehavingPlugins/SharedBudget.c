/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Behaves well, and checks the budget: .one and .two, in one launch, append to `budget.txt` NAME launch=N
 * deadline=NS remaining=NS, where .two writes after .one has completed. Launch and deadline are the same, and the
 * remaining time of .two is the time that .one has left. */

#include <bgtask.h>

#include "Records.h"

#include <stdatomic.h>
#include <unistd.h>

static atomic_int one_is_done;

static void write_budget(const bgt_host *host, const char *name) {
    bgt_launch_info launch;
    if (bgt_get_launch_info(host, &launch) == BGT_OK) {
        record(host, "budget.txt", "%s launch=%llu deadline=%llu remaining=%llu\n", name,
               (unsigned long long)launch.launch, (unsigned long long)launch.deadline_ns,
               (unsigned long long)bgt_remaining(host));
    }
}

static void run_one(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    write_budget(host, "one");
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
    atomic_store(&one_is_done, 1);
}

static void run_two(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    while (!atomic_load(&one_is_done) && !bgt_is_expiring(host, task)) {
        usleep(1000);
    }
    write_budget(host, "two");
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    BGTASK_TRY(bgt_register(host, "com.example.sharedbudget.one", run_one, NULL));
    BGTASK_TRY(bgt_register(host, "com.example.sharedbudget.two", run_two, NULL));
    return BGT_OK;
}
