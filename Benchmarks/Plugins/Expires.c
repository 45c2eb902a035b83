/* Part of bgtask, under the Apache License 2.0; see LICENSE.
 *
 * Works until its task expires, and completes it then. Writes the deadline of its launch and the time of the first
 * instruction of its expiration handler, in nanoseconds of the monotonic clock, into `expiration` of its container. */
#include <bgtask.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static void expire(void *context, const bgt_host *host, bgt_task task, uint32_t reason) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    (void)context, (void)reason;

    char path[4096];
    uint64_t needed = 0;
    bgt_launch_info launch;
    bgt_container_path(host, path, sizeof path - sizeof "/expiration", &needed);
    FILE *const file = fopen(strcat(path, "/expiration"), "w");
    if (file != NULL && bgt_get_launch_info(host, &launch) == BGT_OK) {
        fprintf(file, "%lld %lld\n", (long long)launch.deadline_ns, (long long)now.tv_sec * 1000000000 + now.tv_nsec);
        fclose(file);
    }
    bgt_complete(host, task, BGT_OUTCOME_FAILURE);
}

static void work(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    if (bgt_set_expiration_handler(host, task, expire, NULL) != BGT_OK) bgt_complete(host, task, BGT_OUTCOME_FAILURE);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    bgt_launch_info launch;
    BGTASK_TRY(bgt_get_launch_info(host, &launch));
    for (uint64_t index = 0; index < launch.identifier_count; index++) {
        BGTASK_TRY(bgt_register(host, launch.identifiers[index], work, NULL));
    }
    return BGT_OK;
}
