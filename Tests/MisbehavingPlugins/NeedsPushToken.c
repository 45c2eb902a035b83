/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: push-register-refused; modes: processing remote-notification */

/* Registers for pushes in entry, and returns the status of the registration. A host without the feature is no error. */

#include <bgtask.h>

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

static void receive(void *context, const bgt_host *host, bgt_task event) {
    (void)context;
    bgt_complete(host, event, BGT_OUTCOME_NO_DATA);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    uint8_t token[BGTASK_PUSH_TOKEN_MAX];
    BGTASK_TRY(bgt_register(host, "com.example.needspushtoken.task", run, NULL));
    plugin->receive = receive;
    const int32_t status = bgt_register_for_pushes(host, token, sizeof token, NULL);
    return status == BGT_NOT_OFFERED ? BGT_OK : status;
}
