/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Runs continued tasks: each reports its progress and a title, and waits until it expires. The task .submits submits
 * one. */

#include <bgtask.h>

#include <stdio.h>

#define PREFIX "com.example.exports."

static void expire(void *context, const bgt_host *host, bgt_task task, uint32_t reason) {
    (void)context;
    char message[64];
    snprintf(message, sizeof message, "expired as %s", bgt_name(host, BGT_VOCABULARY_EXPIRED, reason));
    bgt_complete_with_message(host, task, BGT_OUTCOME_SUCCESS, message);
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_set_expiration_handler(host, task, expire, NULL);
    const int32_t statuses[] = {
        bgt_set_progress(host, task, 4, 3),
        bgt_set_progress(host, task, 3, 10),
        bgt_set_title(host, task, "", NULL),
        bgt_set_title(host, task, "Exporting", "3 of 10"),
    };
    for (size_t index = 0; index < sizeof statuses / sizeof *statuses; index++) {
        if (statuses[index] != (index % 2 == 0 ? BGT_INVALID : BGT_OK)) bgt_complete(host, task, BGT_OUTCOME_FAILURE);
    }
}

static void submit(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_request request = bgt_continued_request(PREFIX "album", "Album", NULL);
    char message[64];
    snprintf(message, sizeof message, "submit %d", bgt_submit(host, &request, NULL));
    bgt_complete_with_message(host, task, BGT_OUTCOME_SUCCESS, message);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    BGTASK_TRY(bgt_register(host, PREFIX "album", run, NULL));
    BGTASK_TRY(bgt_register(host, PREFIX "video", run, NULL));
    return bgt_register(host, PREFIX "submits", submit, NULL);
}
