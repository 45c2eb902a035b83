/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Never returns from the expiration handler of .task. If .obedient is in the same launch, its expiration handler
 * must be called all the same; it writes its reason to `expired.txt` and completes with failure. At deadline plus
 * grace period the host kills the launch: .task is an overrun. */

#include <bgtask.h>

#include "Records.h"

#include <string.h>

static volatile int forever = 1;

static void expire_forever(void *context, const bgt_host *host, bgt_task task, uint32_t reason) {
    (void)context, (void)host, (void)task, (void)reason;
    while (forever) {
    }
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_set_expiration_handler(host, task, expire_forever, NULL);
}

static void obey(void *context, const bgt_host *host, bgt_task task, uint32_t reason) {
    (void)context;
    record(host, "expired.txt", "%u\n", reason);
    bgt_complete(host, task, BGT_OUTCOME_FAILURE);
}

static void run_obediently(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_set_expiration_handler(host, task, obey, NULL);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    bgt_launch_info launch;
    BGTASK_TRY(bgt_get_launch_info(host, &launch));
    for (uint64_t index = 0; index < launch.identifier_count; index++) {
        const char *identifier = launch.identifiers[index];
        const int is_obedient = strcmp(identifier, "com.example.loopinexpirationhandler.obedient") == 0;
        BGTASK_TRY(bgt_register(host, identifier, is_obedient ? run_obediently : run, NULL));
    }
    return BGT_OK;
}
