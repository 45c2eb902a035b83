/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* .one and .three succeed, .two always dies of SIGSEGV. In a launch with .two, the others wait for the crash, so
 * that they are unfinished when it happens: the host charges .two alone and relaunches the others one per launch,
 * uncharged and at once. Each task that succeeds appends its identifier, attempt and launch to `ran.txt`. */

#include <bgtask.h>

#include "Records.h"

#include <string.h>
#include <unistd.h>

/* The address is volatile, so that no compiler detects the null access. */
static void crash(void) {
    volatile uintptr_t nowhere = 0;
    *(volatile int *)nowhere = 1;
}

#define NAME "com.example.crashinoneofthree"

static int is_with_two(const bgt_launch_info *launch) {
    for (uint64_t index = 0; index < launch->identifier_count; index++) {
        if (strcmp(launch->identifiers[index], NAME ".two") == 0) {
            return 1;
        }
    }
    return 0;
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_launch_info launch;
    bgt_task_info info;
    if (bgt_get_launch_info(host, &launch) != BGT_OK || bgt_get_task_info(host, task, &info) != BGT_OK) {
        return;
    }
    if (strcmp(info.identifier, NAME ".two") == 0) {
        crash();
    }
    while (is_with_two(&launch) && !bgt_is_expiring(host, task)) {
        usleep(1000);
    }
    record(host, "ran.txt", "%s %u %llu\n", info.identifier, info.attempt, (unsigned long long)launch.launch);
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    BGTASK_TRY(bgt_register(host, NAME ".one", run, NULL));
    BGTASK_TRY(bgt_register(host, NAME ".two", run, NULL));
    BGTASK_TRY(bgt_register(host, NAME ".three", run, NULL));
    return BGT_OK;
}
