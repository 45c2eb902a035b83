/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Behaves well, as one of two editions (-DEDITION): registers the identifier that the manifest of its own edition
 * permits, and submits it on the event `started`. If it runs with the other edition's manifest, which the setting
 * `edition` names, it writes that to `mixed.txt`. */

#include <bgtask.h>

#include "Records.h"

#include <string.h>

#define TASK "com.example.twoeditions." EDITION

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

static void receive(void *context, const bgt_host *host, bgt_task event) {
    (void)context;
    const bgt_request request = bgt_processing_request(TASK, 0);
    bgt_submit(host, &request, NULL);
    record(host, "started.txt", "%s\n", EDITION);
    bgt_complete(host, event, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    char edition[64] = "";
    bgt_setting(host, "edition", edition, sizeof edition, NULL);
    if (strcmp(edition, EDITION) != 0) {
        record(host, "mixed.txt", "library %s, manifest %s\n", EDITION, edition);
    }
    plugin->receive = receive;
    return bgt_register(host, TASK, run, NULL);
}
