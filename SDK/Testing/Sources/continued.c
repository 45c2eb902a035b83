/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Progress and titles of continued tasks. */

#include "host.h"
#include <stdlib.h>

static int32_t presence_of_continued(bgtt_host *host, bgt_task number, task **found) {
    const int32_t status = presence(host, number, found);
    return status == BGT_OK && (*found)->kind != BGT_KIND_CONTINUED ? BGT_WRONG_KIND : status;
}

int32_t host_set_progress(const bgt_host *table, bgt_task number, int64_t completed, int64_t total) {
    bgtt_host *host = host_of(table);
    int32_t status = bar(host, "set_progress");
    if (status != BGT_OK) return status;
    lock(host);
    task *task;
    status = presence_of_continued(host, number, &task);
    if (status == BGT_OK && (total <= 0 || completed < 0 || completed > total)) status = BGT_INVALID;
    if (status == BGT_OK) {
        task->has_progress = true;
        task->completed = completed;
        task->total = total;
    }
    unlock(host);
    return status;
}

int32_t host_set_title(const bgt_host *table, bgt_task number, const char *title, const char *subtitle) {
    bgtt_host *host = host_of(table);
    int32_t status = bar(host, "set_title");
    if (status != BGT_OK) return status;
    char *new_title = title == NULL || *title == 0 ? NULL : read_text(title, BGTASK_TITLE_MAX);
    char *new_subtitle = subtitle == NULL ? NULL : read_text(subtitle, BGTASK_TITLE_MAX);
    lock(host);
    task *task;
    status = presence_of_continued(host, number, &task);
    if (status == BGT_OK && (new_title == NULL || (subtitle != NULL && new_subtitle == NULL))) status = BGT_INVALID;
    if (status == BGT_OK) {
        /* A test may still hold the earlier ones. */
        append(&host->texts, task->shown_title);
        append(&host->texts, task->shown_subtitle);
        task->shown_title = new_title;
        task->shown_subtitle = new_subtitle;
    }
    unlock(host);
    if (status != BGT_OK) {
        free(new_title);
        free(new_subtitle);
    }
    return status;
}
