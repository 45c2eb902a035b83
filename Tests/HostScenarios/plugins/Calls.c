/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Makes calls that a host has to refuse, and reports the statuses in the messages of its completions. */

#include <bgtask.h>

#include <stdio.h>
#include <string.h>

#define NAME "com.example.calls"

/* A request of a later minor version: longer, with a field that this header does not have. */
struct longer {
    bgt_request request;
    uint64_t later;
};

static void report(const bgt_host *host, bgt_task task, const char *names, const int32_t *statuses, int count) {
    char message[256];
    size_t length = (size_t)snprintf(message, sizeof message, "%s", names);
    for (int index = 0; index < count && length < sizeof message; index++) {
        length += (size_t)snprintf(message + length, sizeof message - length, " %d", statuses[index]);
    }
    bgt_complete_with_message(host, task, BGT_OUTCOME_SUCCESS, message);
}

static void structs(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    struct longer zero = {.request = bgt_processing_request(NAME ".later", 0)};
    zero.request.earliest_begin_ns = bgt_seconds_from_now(3600);
    zero.request.size = sizeof zero;
    struct longer set = zero;
    set.later = 1;
    bgt_request shorter = zero.request;
    shorter.size = 8;
    const int32_t statuses[] = {
        bgt_submit(host, &zero.request, NULL),
        bgt_submit(host, &set.request, NULL),
        bgt_submit(host, &shorter, NULL),
    };
    report(host, task, "zero tail, set tail, too short:", statuses, 3);
}

static void submissions(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    const bgt_request foreign = bgt_processing_request("com.example.other.task", 0);
    const bgt_request unregistered = bgt_processing_request(NAME ".unregistered", 0);
    bgt_request kind = bgt_processing_request(NAME ".later", 0);
    kind.kind = 9999;
    const int32_t statuses[] = {
        bgt_submit(host, &foreign, NULL), bgt_submit(host, &unregistered, NULL), bgt_submit(host, &kind, NULL),
        bgt_submit(host, NULL, NULL),
    };
    report(host, task, "foreign, unregistered, unknown kind, NULL:", statuses, 4);
}

static int32_t count(void *context, const bgt_host *host, const bgt_pending *request) {
    (void)host;
    if (strcmp(request->identifier, NAME ".later") == 0) {
        ++*(int32_t *)context;
    }
    return BGT_OK;
}

static void pending(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_request later = bgt_processing_request(NAME ".later", 0);
    later.earliest_begin_ns = bgt_seconds_from_now(3600);
    int32_t found[3] = {0};
    bgt_submit(host, &later, NULL);
    bgt_visit_pending(host, count, &found[0]);
    bgt_submit(host, &later, NULL);
    bgt_visit_pending(host, count, &found[1]);
    bgt_cancel(host, NAME ".later");
    bgt_visit_pending(host, count, &found[2]);
    report(host, task, "submitted, replaced, cancelled:", found, 3);
}

static void tasks(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_task_info info = {.size = sizeof info};
    const int32_t statuses[] = {
        bgt_complete(host, 999999, BGT_OUTCOME_SUCCESS),
        bgt_get_task_info(host, 999999, &info),
        bgt_set_progress(host, task, 1, 2),
        bgt_query(host, "com.example.unknown/1") == NULL ? BGT_OK : BGT_INVALID,
        bgt_register(host, NAME ".foreign", tasks, NULL),
    };
    report(host, task, "complete, info, progress, query, register:", statuses, 5);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    BGTASK_TRY(bgt_register(host, NAME ".structs", structs, NULL));
    BGTASK_TRY(bgt_register(host, NAME ".submissions", submissions, NULL));
    BGTASK_TRY(bgt_register(host, NAME ".pending", pending, NULL));
    BGTASK_TRY(bgt_register(host, NAME ".tasks", tasks, NULL));
    return bgt_register(host, NAME ".later", tasks, NULL);
}
