/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* The model plugin of README.md in C. */

#include <bgtask.h>

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define NAME "com.example.model"

static void say(const bgt_host *host, bgt_task task, const char *line) { bgt_log_task(host, task, BGT_LOG_INFO, line); }

static int32_t visit(void *context, const bgt_host *host, const bgt_pending *request) {
    char line[128];
    (void)context;
    snprintf(line, sizeof line, "pending %s %s %.*s", request->identifier,
             bgt_name(host, BGT_VOCABULARY_KIND, request->kind), (int)request->payload_length,
             (const char *)request->payload);
    say(host, 0, line);
    return BGT_OK;
}

static void submit(const bgt_host *host, uint32_t kind) {
    char line[64];
    bgt_refusal refusal;
    bgt_request request = bgt_processing_request(NAME ".waits", BGT_NEEDS_NETWORK);
    request.kind = kind;
    request.earliest_begin_ns = bgt_seconds_from_now(3600);
    request.payload = (const uint8_t *)"again";
    request.payload_length = 5;
    const int32_t status = bgt_submit(host, &request, &refusal);
    snprintf(line, sizeof line, "submit %s %llu", bgt_status_name(host, status),
             (unsigned long long)refusal.submission);
    say(host, 0, line);
}

static void work(void *context, const bgt_host *host, bgt_task task) {
    char line[128], value[16];
    bgt_launch_info launch;
    bgt_task_info info;
    bgt_assertion assertion;
    uint64_t needed = 0;
    (void)context;
    if (bgt_get_launch_info(host, &launch) != BGT_OK || bgt_get_task_info(host, task, &info) != BGT_OK) {
        bgt_complete(host, task, BGT_OUTCOME_FAILURE);
        return;
    }
    snprintf(line, sizeof line, "work %s %llu %.*s", launch.plugin, (unsigned long long)info.submission,
             (int)info.payload_length, (const char *)info.payload);
    say(host, task, line);
    bgt_begin_assertion(host, "model", NULL, NULL, NULL, &assertion);
    submit(host, BGT_KIND_PROCESSING);
    submit(host, 99);
    bgt_visit_pending(host, visit, NULL);
    const int32_t status = bgt_setting(host, "colour", value, sizeof value, &needed);
    snprintf(line, sizeof line, "setting %s %s %llu", bgt_status_name(host, status), value, (unsigned long long)needed);
    say(host, task, line);
    bgt_end_assertion(host, assertion);
    bgt_complete_with_message(host, task, BGT_OUTCOME_SUCCESS, "worked");
}

static void expired(void *context, const bgt_host *host, bgt_task task, uint32_t reason) {
    (void)context;
    say(host, task, bgt_name(host, BGT_VOCABULARY_EXPIRED, reason));
    bgt_complete_with_message(host, task, BGT_OUTCOME_FAILURE, "stopped");
}

static void release(void *context) { atomic_fetch_add((atomic_int *)context, 1); }

static atomic_int releases;

static void waits(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_set_expiration_handler_with_release(host, task, expired, &releases, release);
}

static void receive(void *context, const bgt_host *host, bgt_task event) {
    bgt_task_info info;
    (void)context;
    if (bgt_get_task_info(host, event, &info) == BGT_OK) {
        say(host, event, bgt_name(host, BGT_VOCABULARY_EVENT, info.event));
    }
    bgt_complete(host, event, BGT_OUTCOME_NO_DATA);
}

static void stop(void *context, const bgt_host *host) {
    char line[32];
    (void)context;
    snprintf(line, sizeof line, "stop, %d released", atomic_load(&releases));
    say(host, 0, line);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    plugin->receive = receive;
    plugin->stop = stop;
    BGTASK_TRY(bgt_register(host, NAME ".work", work, NULL));
    return bgt_register(host, NAME ".waits", waits, NULL);
}
