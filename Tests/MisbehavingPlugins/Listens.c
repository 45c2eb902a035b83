/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* An extension that behaves well, except that its entry tries the forbidden registration of its main plugin's .task
 * if the setting `registers` exists; the status goes to `registered.txt`. Each trigger appends its number, attempt
 * and length, and a textual payload, to `heard.txt`, and writes its whole payload to `payload.NUMBER`. The trigger
 * `submit IDENTIFIER` submits that processing request, and appends status, sub-reason and the number of pending
 * requests to `submitted.txt`; `crash` crashes; `wait` waits for a file named `go`. */

#include <bgtask.h>

#include "Records.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void place(const bgt_host *host, const char *file, char *path, size_t capacity) {
    if (bgt_container_path(host, path, capacity - 64, NULL) != BGT_OK) {
        abort();
    }
    strcat(strcat(path, "/"), file);
}

static void keep(const bgt_host *host, const bgt_task_info *info) {
    char file[32], path[4096];
    snprintf(file, sizeof file, "payload.%llu", (unsigned long long)info->submission);
    place(host, file, path, sizeof path);
    const int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (write(descriptor, info->payload, info->payload_length) != (ssize_t)info->payload_length) {
        abort();
    }
    close(descriptor);
}

static int32_t count(void *context, const bgt_host *host, const bgt_pending *request) {
    (void)host;
    (void)request;
    ++*(int *)context;
    return BGT_OK;
}

static void submit(const bgt_host *host, const char *identifier) {
    const bgt_request request = bgt_processing_request(identifier, 0);
    bgt_refusal refusal = {0};
    int pending = 0;
    const int32_t status = bgt_submit(host, &request, &refusal);
    bgt_visit_pending(host, count, &pending);
    record(host, "submitted.txt", "%s %u %d\n", bgt_status_name(host, status), refusal.sub_reason, pending);
}

static void receive(void *context, const bgt_host *host, bgt_task event) {
    (void)context;
    char text[512] = "", go[4096];
    bgt_task_info info;
    if (bgt_get_task_info(host, event, &info) != BGT_OK || info.event != BGT_EVENT_TRIGGER) {
        abort();
    }
    if (info.payload_length > 0 && info.payload_length < sizeof text) {
        memcpy(text, info.payload, info.payload_length);
        text[info.payload_length] = '\0';
    }
    record(host, "heard.txt", "%llu %u %llu %s\n", (unsigned long long)info.submission, info.attempt,
           (unsigned long long)info.payload_length, text);
    keep(host, &info);
    place(host, "go", go, sizeof go);
    if (strncmp(text, "submit ", 7) == 0) {
        submit(host, text + 7);
    } else if (strcmp(text, "crash") == 0) {
        abort();
    } else if (strcmp(text, "wait") == 0) {
        bgt_log(host, BGT_LOG_INFO, "the extension waits");
        while (access(go, F_OK) != 0 && !bgt_is_expiring(host, event)) {
            usleep(1000);
        }
    }
    bgt_complete(host, event, BGT_OUTCOME_SUCCESS);
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    record(host, "registered.txt", "an extension runs a task\n");
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    char identifier[256];
    plugin->receive = receive;
    if (bgt_setting(host, "registers", identifier, sizeof identifier, NULL) == BGT_OK) {
        const int32_t status = bgt_register(host, identifier, run, NULL);
        record(host, "registered.txt", "%s\n", bgt_status_name(host, status));
    }
    return BGT_OK;
}
