/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* The plugin of make demo-fleet: each task delivers a parcel, and writes a line when it begins and when it has
 * delivered. A parcel with the payload "slow" takes the seconds of the setting. */

#include <bgtask.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void note(const bgt_host *host, const char *word, const bgt_task_info *info) {
    char path[4096];
    if (bgt_container_path(host, path, sizeof path - 16, NULL) != BGT_OK) {
        return;
    }
    FILE *file = fopen(strcat(path, "/parcels"), "a");
    if (file != NULL) {
        fprintf(file, "%s %s\n", word, info->identifier);
        fclose(file);
    }
}

static int takes_seconds(const bgt_host *host, const bgt_task_info *info) {
    char seconds[16];
    if (info->payload_length != 4 || memcmp(info->payload, "slow", 4) != 0 ||
        bgt_setting(host, "slow-seconds", seconds, sizeof seconds, NULL) != BGT_OK) {
        return 0;
    }
    return atoi(seconds);
}

static void deliver(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_task_info info;
    if (bgt_get_task_info(host, task, &info) != BGT_OK) {
        return;
    }
    note(host, "began", &info);
    for (int left = 10 * takes_seconds(host, &info); left > 0; left--) {
        if (bgt_is_expiring(host, task)) {
            bgt_complete(host, task, BGT_OUTCOME_FAILURE);
            return;
        }
        usleep(100000);
    }
    note(host, "delivered", &info);
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    bgt_launch_info launch;
    BGTASK_TRY(bgt_get_launch_info(host, &launch));
    for (uint64_t index = 0; index < launch.identifier_count; index++) {
        BGTASK_TRY(bgt_register(host, launch.identifiers[index], deliver, NULL));
    }
    return BGT_OK;
}
