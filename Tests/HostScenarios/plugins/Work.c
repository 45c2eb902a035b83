/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* One task per way of ending. A task reports its findings in the message of its completion, which the journal shows. */

#include <bgtask.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PREFIX "com.example.work."

static void succeed(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_task_info info = {.size = sizeof info};
    char message[256] = "";
    if (bgt_get_task_info(host, task, &info) == BGT_OK && info.payload_length > 0) {
        snprintf(message, sizeof message, "payload %.*s", (int)info.payload_length, (const char *)info.payload);
    }
    bgt_complete_with_message(host, task, BGT_OUTCOME_SUCCESS, message);
}

static void fail(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete_with_message(host, task, BGT_OUTCOME_FAILURE, "no route to the feed");
}

static void find_nothing(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete(host, task, BGT_OUTCOME_NO_DATA);
}

static void on_expiration(void *context, const bgt_host *host, bgt_task task, uint32_t reason) {
    (void)context;
    char message[64];
    snprintf(message, sizeof message, "expired for reason %u", reason);
    bgt_complete_with_message(host, task, BGT_OUTCOME_SUCCESS, message);
}

static void wait_for_expiration(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_set_expiration_handler(host, task, on_expiration, NULL);
}

static void keep_still(void *context, const bgt_host *host, bgt_task task, uint32_t reason) {
    (void)context, (void)host, (void)task, (void)reason;
}

static void overstay(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_set_expiration_handler(host, task, keep_still, NULL);
}

static void stay(void *context, const bgt_host *host, bgt_task task) {
    (void)context, (void)host, (void)task;
}

static void crash(void *context, const bgt_host *host, bgt_task task) {
    (void)context, (void)host, (void)task;
    raise(SIGSEGV);
}

static void leave(void *context, const bgt_host *host, bgt_task task) {
    (void)context, (void)host, (void)task;
    _exit(0);
}

static void complete_twice(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
    bgt_complete(host, task, BGT_OUTCOME_FAILURE);
}

static void complete_with_number(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete(host, task, 77);
}

static void set_setting(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    char value[64] = "", message[128];
    const int32_t status = bgt_setting(host, "colour", value, sizeof value, NULL);
    const int32_t missing = bgt_setting(host, "size", value + 32, 8, NULL);
    snprintf(message, sizeof message, "colour %s (%d), size (%d)", value, status, missing);
    bgt_complete_with_message(host, task, BGT_OUTCOME_SUCCESS, message);
}

static const struct {
    const char *identifier;
    bgt_handler handler;
} tasks[] = {
    {PREFIX "succeeds", succeed},       {PREFIX "fails", fail},
    {PREFIX "finds-nothing", find_nothing}, {PREFIX "waits", wait_for_expiration},
    {PREFIX "overstays", overstay},     {PREFIX "stays", stay},
    {PREFIX "crashes", crash},          {PREFIX "leaves", leave},
    {PREFIX "completes-twice", complete_twice}, {PREFIX "completes-with-number", complete_with_number},
    {PREFIX "reads-setting", set_setting},
};

static void receive(void *context, const bgt_host *host, bgt_task event) {
    (void)context;
    bgt_complete(host, event, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    plugin->receive = receive;
    for (size_t index = 0; index < sizeof tasks / sizeof *tasks; index++) {
        BGTASK_TRY(bgt_register(host, tasks[index].identifier, tasks[index].handler, NULL));
    }
    return BGT_OK;
}
