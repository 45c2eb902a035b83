/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Tasks that the page shows: one that runs until it is stopped, one that fails, and texts that try to become markup. */

#include <bgtask.h>

#include <string.h>

#define PREFIX "com.example.shown."
#define HOSTILE "<img src=x onerror=\"window.hit=1\"><script>window.hit=1</script>'\"&amp;"

static void on_expiration(void *context, const bgt_host *host, bgt_task task, uint32_t reason) {
    (void)context, (void)reason;
    bgt_complete_with_message(host, task, BGT_OUTCOME_FAILURE, "stopped: " HOSTILE);
}

static void run_until_expired(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_set_expiration_handler(host, task, on_expiration, NULL);
    bgt_set_progress(host, task, 9007199254740993, 9007199254740995);
    bgt_log(host, BGT_LOG_WARNING, "a line with " HOSTILE);
}

static void fail(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_log(host, BGT_LOG_ERROR, "a line with " HOSTILE);
    bgt_complete_with_message(host, task, BGT_OUTCOME_FAILURE, "failed: " HOSTILE);
}

static void receive(void *context, const bgt_host *host, bgt_task event) {
    (void)context;
    bgt_complete(host, event, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    plugin->receive = receive;
    BGTASK_TRY(bgt_register(host, PREFIX "stays", run_until_expired, NULL));
    BGTASK_TRY(bgt_register(host, PREFIX "fails", fail, NULL));
    return BGT_OK;
}
