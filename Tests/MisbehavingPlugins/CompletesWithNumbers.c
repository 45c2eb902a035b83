/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: completes-with-outcome; tasks: zero negative later failure */

/* Completes each task with another number and message. The statuses go to `statuses.txt`. */

#include <bgtask.h>

#include "Records.h"

#define NAME "com.example.completeswithnumbers"

struct completion {
    const char *name;
    int32_t outcome;
    const char *message;
};

static const struct completion completions[] = {
    {NAME ".zero", 0, NULL},
    {NAME ".negative", -1, "minus one"},
    {NAME ".later", 99, NULL},
    {NAME ".failure", BGT_OUTCOME_FAILURE, "the disk is full\x1b[31m"},
};

static void run(void *context, const bgt_host *host, bgt_task task) {
    const struct completion *completion = context;
    const int32_t status = bgt_complete_with_message(host, task, completion->outcome, completion->message);
    record_status(host, completion->name + sizeof NAME, status);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    for (size_t index = 0; index < sizeof completions / sizeof *completions; index++) {
        BGTASK_TRY(bgt_register(host, completions[index].name, run, (void *)&completions[index]));
    }
    return BGT_OK;
}
