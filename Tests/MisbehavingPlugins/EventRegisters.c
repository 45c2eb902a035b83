/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: register-in-entry; tasks: task late */

/* Registers the permitted .late at an event. The registration in entry makes the other checks pass. */

#include <bgtask.h>

#define NAME "com.example.eventregisters"

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

static void receive(void *context, const bgt_host *host, bgt_task event) {
    (void)context;
    if (bgt_register(host, NAME ".late", run, NULL) != BGT_OK) {
        bgt_log(host, BGT_LOG_WARNING, "the registration is refused");
    }
    bgt_complete(host, event, BGT_OUTCOME_NO_DATA);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    plugin->receive = receive;
    BGTASK_TRY(bgt_register(host, NAME ".late", run, NULL));
    return bgt_register(host, NAME ".task", run, NULL);
}
