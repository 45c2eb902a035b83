/* Part of bgtask, under the Apache License 2.0; see LICENSE.
 *
 * Records the time of the first instruction of its handler: one line of monotonic nanoseconds in its container. Entry
 * registers the tasks of the batch, so that a manifest may permit any tasks. */
#include <bgtask.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static void stamp(void *context, const bgt_host *host, bgt_task task) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    (void)context;

    char path[4096];
    uint64_t needed = 0;
    bgt_container_path(host, path, sizeof path - sizeof "/stamps", &needed);
    FILE *const file = fopen(strcat(path, "/stamps"), "a");
    if (file != NULL) {
        fprintf(file, "%lld\n", (long long)now.tv_sec * 1000000000 + now.tv_nsec);
        fclose(file);
    }
    bgt_complete(host, task, file != NULL ? BGT_OUTCOME_SUCCESS : BGT_OUTCOME_FAILURE);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    bgt_launch_info launch;
    BGTASK_TRY(bgt_get_launch_info(host, &launch));
    for (uint64_t index = 0; index < launch.identifier_count; index++) {
        BGTASK_TRY(bgt_register(host, launch.identifiers[index], stamp, NULL));
    }
    return BGT_OK;
}
