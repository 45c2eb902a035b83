/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* An extension of Work: for each trigger it submits a task of Work, and tries to register a handler. */

#include <bgtask.h>

#include <stdio.h>

static int32_t registration;

static void handle(void *context, const bgt_host *host, bgt_task task) {
    (void)context, (void)host, (void)task;
}

static void receive(void *context, const bgt_host *host, bgt_task event) {
    (void)context;
    const bgt_request request = bgt_processing_request("com.example.work.succeeds", 0);
    char message[64];
    snprintf(message, sizeof message, "register %d, submit %d", registration, bgt_submit(host, &request, NULL));
    bgt_complete_with_message(host, event, BGT_OUTCOME_SUCCESS, message);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    plugin->receive = receive;
    registration = bgt_register(host, "com.example.work.succeeds", handle, NULL);
    return BGT_OK;
}
