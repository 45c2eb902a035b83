/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* A continued task that reports invalid progress, progress of tasks of others, decreasing progress, and a million
 * reports in a row; the status of each call goes to `statuses.txt`. Its last report is complete, and then it
 * completes; later reports are refused. .task, which is not continued, has no progress and no title. */

#include <bgtask.h>

#include "Records.h"

#include <string.h>

static void report_nonsense(const bgt_host *host, bgt_task task) {
    static const int64_t nonsense[][2] = {{-1, 10}, {11, 10}, {0, 0}, {0, -1}, {INT64_MIN, INT64_MAX}};
    for (size_t index = 0; index < sizeof nonsense / sizeof nonsense[0]; index++) {
        record_status(host, "nonsense", bgt_set_progress(host, task, nonsense[index][0], nonsense[index][1]));
    }
    char longest[BGTASK_TITLE_MAX + 2];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    record_status(host, "no title", host->set_title(host, task, NULL, "subtitle"));
    record_status(host, "empty title", bgt_set_title(host, task, "", NULL));
    record_status(host, "long title", bgt_set_title(host, task, longest, NULL));
    record_status(host, "long subtitle", bgt_set_title(host, task, "title", longest));
    record_status(host, "no text", bgt_set_title(host, task, "\xff", NULL));
    record_status(host, "no task", bgt_set_progress(host, 0, 1, 2));
    record_status(host, "another's task", bgt_set_title(host, task + (1ull << 16), "title", NULL));
}

static void lie(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    report_nonsense(host, task);
    record_status(host, "far", bgt_set_progress(host, task, 9, 10));
    record_status(host, "back", bgt_set_progress(host, task, 1, 10));
    bgt_log(host, BGT_LOG_INFO, "liesaboutprogress begins to flood");
    int refused = 0;
    for (int64_t report = 0; report < 1000000; report++) {
        refused += bgt_set_progress(host, task, report % 1000, 1000) != BGT_OK;
        if (report % 10 == 0) {
            refused += bgt_set_title(host, task, report % 20 == 0 ? "even" : "odd", NULL) != BGT_OK;
        }
    }
    record(host, "statuses.txt", "flood %d refused\n", refused);
    bgt_set_title(host, task, "done", NULL);
    bgt_set_progress(host, task, 1000, 1000);
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
    record_status(host, "completed", bgt_set_progress(host, task, 1, 1));
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    record_status(host, "task", bgt_set_progress(host, task, 1, 2));
    record_status(host, "task", bgt_set_title(host, task, "title", NULL));
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    const int32_t status = bgt_register(host, "com.example.liesaboutprogress.task", run, NULL);
    if (status != BGT_OK && status != BGT_NOT_PERMITTED) {
        return status;
    }
    return bgt_register(host, "com.example.liesaboutprogress.export.*", lie, NULL);
}
