/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* At the event `started`, begins one download for each path in the setting `paths`, separated by spaces, from the server
 * of the setting `server`, in the session `files`. With the setting `upload` it uploads this file of the container to the
 * last path instead of a download. When the session has ended, it takes each file as `taken-NUMBER`, appends the state
 * of each transfer to `states.txt`, and completes the event. Statuses of calls are in `statuses.txt`. */

#include <bgtask.h>

#include "Records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void begin(const bgt_host *host, const char *path, const char *file) {
    char server[256], url[512];
    bgt_refusal refusal;
    uint64_t number = 0;
    if (bgt_setting(host, "server", server, sizeof server, NULL) != BGT_OK) {
        abort();
    }
    snprintf(url, sizeof url, "%s/%s", server, path);
    bgt_transfer transfer = file == NULL ? bgt_download("files", url) : bgt_upload("files", url, file);
    transfer.label = path;
    const int32_t status = bgt_begin_transfer(host, &transfer, &number, &refusal);
    record_status(host, "begin", status);
    if (status != BGT_OK) {
        record(host, "refusals.txt", "%u %s\n", refusal.sub_reason, refusal.text);
    }
}

static void begin_all(const bgt_host *host) {
    char paths[1024], file[256], *rest = paths;
    const int uploads = bgt_setting(host, "upload", file, sizeof file, NULL) == BGT_OK;
    if (bgt_setting(host, "paths", paths, sizeof paths, NULL) != BGT_OK) {
        abort();
    }
    if (uploads) {
        record(host, file, "the report\n");
    }
    for (char *path = strsep(&rest, " "); path != NULL; path = strsep(&rest, " ")) {
        begin(host, path, uploads && rest == NULL ? file : NULL);
    }
}

typedef struct ended {
    uint64_t numbers[16];
    int count;
    char text[4096];
} ended;

static int32_t collect(void *context, const bgt_host *host, const bgt_transfer_info *transfer) {
    (void)host;
    ended *all = (ended *)context;
    const size_t length = strlen(all->text);
    snprintf(all->text + length, sizeof all->text - length, "%s %u %s %u %llu\n", transfer->label, transfer->state,
             transfer->code == NULL ? "-" : transfer->code, transfer->http_status,
             (unsigned long long)transfer->bytes);
    if (transfer->file != NULL && all->count < 16) {
        all->numbers[all->count++] = transfer->number;
    }
    return BGT_OK;
}

static void take_all(const bgt_host *host) {
    ended all = {{0}, 0, ""};
    record_status(host, "list", bgt_visit_transfers(host, "files", collect, &all));
    record(host, "states.txt", "%s", all.text);
    for (int index = 0; index < all.count; index++) {
        char name[32];
        snprintf(name, sizeof name, "taken-%d", index);
        record_status(host, "take", bgt_take_transfer(host, all.numbers[index], name, 0));
        record_status(host, "take again", bgt_take_transfer(host, all.numbers[index], "again", 0));
    }
}

static void receive(void *context, const bgt_host *host, bgt_task event) {
    (void)context;
    bgt_task_info info;
    if (bgt_get_task_info(host, event, &info) != BGT_OK) {
        abort();
    }
    if (info.event == BGT_EVENT_STARTED) {
        begin_all(host);
    } else if (info.event == BGT_EVENT_TRANSFERS_FINISHED) {
        record(host, "events.txt", "%.*s\n", (int)info.payload_length, (const char *)info.payload);
        take_all(host);
    }
    bgt_complete(host, event, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)host;
    plugin->receive = receive;
    return BGT_OK;
}
