/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* An extension of FeedReader: it counts the words that a user types, from the texts in its triggers, and submits
 * requests for the main plugin's model update. It runs no tasks, so it registers no handlers. */

#include "Counts.h"

#define MODEL_UPDATE "com.example.feedreader.model-update"

/* Submits a model update. The counts are already on disk: after a refusal the next update includes them. */
static void ask_for_update(const bgt_host *host) {
    const bgt_request request = bgt_processing_request(MODEL_UPDATE, 0);
    bgt_refusal refusal = {0};
    const int32_t status = bgt_submit(host, &request, &refusal);
    if (status != BGT_OK) {
        log_line(host, BGT_LOG_WARNING, "%s was not submitted: %s: %s", MODEL_UPDATE, bgt_status_name(host, status),
                 refusal.text);
    }
}

static int32_t learn(const bgt_host *host, bgt_task event, const bgt_task_info *info) {
    struct lesson lesson;
    const struct words words = {info->payload, info->payload + info->payload_length};
    if (!is_utf8(info->payload, info->payload_length)) {
        log_line(host, BGT_LOG_ERROR, "event %llu carries %llu bytes that are not UTF-8; trigger it with a text",
                 (unsigned long long)info->submission, (unsigned long long)info->payload_length);
        return BGT_OUTCOME_FAILURE;
    }
    if (!count_words(host, event, info->submission, words, &lesson)) {
        return BGT_OUTCOME_FAILURE;
    }
    log_line(host, BGT_LOG_INFO, "counted %lld words of event %llu; %lld different ones are known",
             (long long)lesson.words, (unsigned long long)info->submission, (long long)lesson.known);
    ask_for_update(host);
    return BGT_OUTCOME_SUCCESS;
}

static void receive(void *context, const bgt_host *host, bgt_task event) {
    (void)context;
    bgt_task_info info;
    int32_t outcome = BGT_OUTCOME_NO_DATA;
    if (bgt_get_task_info(host, event, &info) == BGT_OK && info.event == BGT_EVENT_TRIGGER && info.payload_length > 0) {
        outcome = learn(host, event, &info);
    }
    bgt_complete(host, event, outcome);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)host;
    plugin->receive = receive;
    return BGT_OK;
}
