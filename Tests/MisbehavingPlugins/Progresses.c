/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Behaves well: registers the composed identifiers of its launch, and runs each as a continued task. It writes its
 * launch and task information to `info.txt`, reports one photo of four and waits for a file named `release` in the
 * container; then it reports the others and completes. At its expiration it writes the reason to `stopped.txt`,
 * completes with failure and reports no more progress. */

#include <bgtask.h>

#include "Records.h"
#include "RegistersLaunched.h"

#include <stdio.h>
#include <unistd.h>

static void must_stop(void *context, const bgt_host *host, bgt_task task, uint32_t reason) {
    (void)context;
    record(host, "stopped.txt", "%u\n", reason);
    bgt_complete(host, task, BGT_OUTCOME_FAILURE);
}

static void describe(const bgt_host *host, bgt_task task) {
    bgt_task_info info;
    bgt_launch_info launch;
    if (bgt_get_task_info(host, task, &info) != BGT_OK || bgt_get_launch_info(host, &launch) != BGT_OK) {
        return;
    }
    record(host, "info.txt", "%s %u %u %u \"%s\" \"%s\" %.*s\n", info.identifier, info.kind, info.flags, launch.lane,
           info.title, info.subtitle ? info.subtitle : "none", (int)info.payload_length, (const char *)info.payload);
    record(host, "info.txt", "%s %s\n", launch.deadline_ns == BGTASK_NO_DEADLINE ? "no deadline" : "a deadline",
           bgt_remaining(host) == BGTASK_NO_DEADLINE ? "no end" : "an end");
}

static void export_photos(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    describe(host, task);
    bgt_set_expiration_handler(host, task, must_stop, NULL);
    bgt_set_title(host, task, "Exporting", "1 of 4 photos");
    bgt_set_progress(host, task, 1, 4);
    bgt_log(host, BGT_LOG_INFO, "progresses has begun");
    while (!is_released(host) && !bgt_is_expiring(host, task)) {
        usleep(1000);
    }
    if (bgt_is_expiring(host, task)) {
        return;
    }
    for (int photo = 2; photo <= 4; photo++) {
        char subtitle[32];
        snprintf(subtitle, sizeof subtitle, "%d of 4 photos", photo);
        bgt_set_title(host, task, "Exporting", subtitle);
        bgt_set_progress(host, task, photo, 4);
    }
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) { return register_launched(host, export_photos); }
