/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* The plugin com.example.feed of the examples in openapi.yaml, and its extension: tasks that succeed, fail, and run until
 * they expire. */

#include <bgtask.h>

#define PREFIX "com.example.feed."

static void succeed(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete_with_message(host, task, BGT_OUTCOME_SUCCESS, "pruned 12 rows");
}

static void fail(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete_with_message(host, task, BGT_OUTCOME_FAILURE, "the server answered 503");
}

static void on_expiration(void *context, const bgt_host *host, bgt_task task, uint32_t reason) {
    (void)context, (void)reason;
    bgt_complete(host, task, BGT_OUTCOME_FAILURE);
}

static void wait_for_expiration(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_set_expiration_handler(host, task, on_expiration, NULL);
}

static void receive(void *context, const bgt_host *host, bgt_task event) {
    (void)context;
    bgt_complete(host, event, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    plugin->receive = receive;
    const struct {
        const char *identifier;
        bgt_handler handler;
    } tasks[] = {{PREFIX "refresh", succeed}, {PREFIX "clean", fail}, {PREFIX "index", wait_for_expiration}};
    for (size_t index = 0; index < sizeof tasks / sizeof *tasks; index++) {
        /* The extension may not register handlers. */
        if (bgt_register(host, tasks[index].identifier, tasks[index].handler, NULL) != BGT_OK) break;
    }
    return BGT_OK;
}
