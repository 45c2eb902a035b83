/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Submissions, cancellations, and calls in the visitor of pending requests. */

#include "Scenarios.h"

#include <string.h>

void submit(const char *call, const bgt_request *request) {
    bgt_refusal refusal;
    memset(&refusal, 0xff, sizeof refusal);
    const int32_t status = bgt_submit(host, request, &refusal);
    refused(call, status, &refusal);
}

static int32_t visitor(void *context, const bgt_host *visited, const bgt_pending *request) {
    say("visits %s %s: number %llu, kind %u, flags %u, strategy %u, date %lld, payload %llu, title %s, subtitle %s,"
        " resources %llu, deadline %lld, size %u",
        (const char *)context, request->identifier, (unsigned long long)request->submission, request->kind,
        request->flags, request->strategy, (long long)request->earliest_begin_ns,
        (unsigned long long)request->payload_length, request->title == NULL ? "NULL" : request->title,
        request->subtitle == NULL ? "NULL" : request->subtitle, (unsigned long long)request->resources,
        (long long)request->expires_at_ns, request->size);
    if (strcmp(context, "completes") == 0) {
        answers_to("complete in a visitor", bgt_complete_with_message(visited, open_task, BGT_OUTCOME_NO_DATA, "seen"));
    }
    if (strcmp(context, "calls") != 0) return strcmp(context, "ends") == 0 ? -42 : BGT_OK;
    bgt_launch_info launch;
    bgt_task_info task;
    bgt_assertion assertion;
    bgt_refusal refusal = {.size = sizeof refusal};
    answers_to("in a visitor launch_info", bgt_get_launch_info(visited, &launch));
    answers_to("in a visitor task_info", bgt_get_task_info(visited, first_task, &task));
    answers_to("in a visitor register", visited->register_handler(visited, TASK, NULL, "visitor", released, NULL));
    refused("in a visitor submit", visited->submit(visited, NULL, &refusal), &refusal);
    refused("in a visitor cancel", visited->cancel(visited, NULL, &refusal), &refusal);
    refused("in a visitor cancel_all", visited->cancel_all(visited, &refusal), &refusal);
    refused("in a visitor pending", visited->pending(visited, visitor, context, &refusal), &refusal);
    answers_to("in a visitor set_expiration_handler", bgt_set_expiration_handler(visited, first_task, NULL, NULL));
    answers_to("in a visitor complete task 0", bgt_complete(visited, 0, BGT_OUTCOME_SUCCESS));
    answers_to("in a visitor set_progress", bgt_set_progress(visited, first_task, 1, 2));
    answers_to("in a visitor set_title", bgt_set_title(visited, first_task, "title", NULL));
    answers_to("in a visitor begin_assertion", bgt_begin_assertion(visited, "a", NULL, NULL, NULL, &assertion));
    answers_to("in a visitor end_assertion", bgt_end_assertion(visited, 1));
    answers_to("in a visitor container_path", bgt_container_path(visited, NULL, 0, NULL));
    answers_to("in a visitor setting", bgt_setting(visited, "scenario", NULL, 0, NULL));
    say("in a visitor remaining: %d, is_expiring: %d, query: %d", bgt_remaining(visited) > 0,
        bgt_is_expiring(visited, first_task), bgt_query(visited, BGTASK_LEGACY_FETCH) != NULL);
    bgt_log(visited, BGT_LOG_INFO, "in a visitor");
    return BGT_OK;
}

void list(const char *context) {
    bgt_refusal refusal = {.size = sizeof refusal};
    refused("pending", host->pending(host, visitor, (void *)context, &refusal), &refusal);
}

void submit_malformed(void) {
    static const uint8_t payload[] = {1, 2, 3};
    char long_name[400], longer[2 * 72];
    memset(long_name, 'a', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = 0;
    submit("submit NULL", NULL);
    bgt_request request = bgt_refresh_request(TASK);
    request.size = 8;
    submit("submit size 8", &request);
    request.size = 5000;
    submit("submit size 5000", &request);
    memset(longer, 0, sizeof longer);
    request = bgt_refresh_request(TASK);
    request.size = sizeof longer;
    memcpy(longer, &request, sizeof request);
    submit("submit longer", (const bgt_request *)(const void *)longer);
    longer[100] = 1;
    submit("submit with an unknown field", (const bgt_request *)(const void *)longer);

    const char *names[] = {NULL, "", "nodot", "started", "com..empty", "com.example.", "com.exam ple", "com.ex\xff.a",
                           long_name, PATTERN, UNREGISTERED, FOREIGN, "com.\xc3\xa4.b"};
    for (size_t index = 0; index < sizeof names / sizeof names[0]; index++) {
        request = bgt_refresh_request(names[index]);
        submit("submit a name", &request);
    }
    for (uint32_t kind = 0; kind < 8; kind++) {
        request = bgtask_request_(kind, TASK);
        submit("submit a kind", &request);
    }
    const uint32_t flags[] = {1, 2, 3, 4, 0x80, 0x100, 0x200, 0x300, 0x301, 0x400, 0x80000000u};
    for (uint32_t kind = 1; kind <= 4; kind++) {
        for (size_t index = 0; index < sizeof flags / sizeof flags[0]; index++) {
            request = kind == BGT_KIND_CONTINUED ? bgt_continued_request(TASK, "title", NULL) : bgtask_request_(kind, TASK);
            request.flags = flags[index];
            submit("submit flags", &request);
        }
        for (int field = 0; field < 6; field++) {
            request = kind == BGT_KIND_CONTINUED ? bgt_continued_request(TASK, "title", NULL) : bgtask_request_(kind, TASK);
            if (field == 0) request.title = "title";
            if (field == 1) request.subtitle = "subtitle";
            if (field == 2) request.strategy = BGT_STRATEGY_FAIL;
            if (field == 3) request.strategy = 3;
            if (field == 4) request.resources = BGT_RESOURCE_GPU;
            if (field == 5) request.resources = 6;
            submit("submit a field", &request);
        }
    }
    const char *titles[] = {NULL, "", "\xff", long_name, "\xf0\x9f\x8e\xa8"};
    for (size_t index = 0; index < sizeof titles / sizeof titles[0]; index++) {
        request = bgt_continued_request(TASK, titles[index], NULL);
        submit("submit a title", &request);
        request = bgt_continued_request(TASK, "title", titles[index]);
        submit("submit a subtitle", &request);
    }
    request = bgt_refresh_request(TASK);
    request.payload = payload;
    submit("submit a payload without length", &request);
    request.payload_length = BGTASK_PAYLOAD_MAX + 1;
    submit("submit a long payload", &request);
    request.payload = NULL;
    request.payload_length = 3;
    submit("submit a length without payload", &request);
    request.payload = payload;
    request.earliest_begin_ns = INT64_MAX;
    submit("submit a payload", &request);
    const int64_t deadlines[] = {INT64_MIN, -1, INT64_MAX};
    for (size_t index = 0; index < sizeof deadlines / sizeof deadlines[0]; index++) {
        request = bgt_refresh_request(TASK);
        request.expires_at_ns = deadlines[index];
        submit("submit a deadline", &request);
    }
    request.size = offsetof(bgt_request, expires_at_ns);
    submit("submit a request that ends before the deadline", &request);

    bgt_refusal small = {.size = 16};
    request = bgt_refresh_request(TASK);
    answers_to("submit with a small refusal", host->submit(host, &request, &small));
    answers_to("submit without refusal", host->submit(host, &request, NULL));
    char refusal[512];
    memset(refusal, 0x55, sizeof refusal);
    ((bgt_refusal *)(void *)refusal)->size = sizeof refusal;
    answers_to("submit with a longer refusal", host->submit(host, &request, (bgt_refusal *)(void *)refusal));
    say("the tail of the refusal is %d", refusal[300]);
}

void cancel_some(void) {
    bgt_refusal refusal = {.size = sizeof refusal};
    const char *names[] = {NULL, "", "nodot", PATTERN, "com.ex\xff.a", FOREIGN, TASK};
    for (size_t index = 0; index < sizeof names / sizeof names[0]; index++) {
        refused("cancel", host->cancel(host, names[index], &refusal), &refusal);
    }
    list("after cancel");
    refused("pending without visitor", host->pending(host, NULL, NULL, &refusal), &refusal);
    bgt_request request = bgt_processing_request(OTHER, BGT_NEEDS_NETWORK);
    submit("submit another", &request);
    request = bgt_continued_request(LATE, "album", "summer");
    request.resources = BGT_RESOURCE_GPU;
    request.earliest_begin_ns = 5;
    submit("submit a composed identifier", &request);
    request = bgt_processing_request(LATE, 0);
    submit("submit a composed identifier for processing", &request);
    request = bgt_continued_request(UNREGISTERED, "late", NULL);
    submit("submit a listed identifier that was registered late", &request);
    request = bgt_processing_request(UNREGISTERED, 0);
    submit("submit it for processing", &request);
    list("all");
    list("ends");
    list("calls");
    refused("cancel_all", host->cancel_all(host, &refusal), &refusal);
    list("after cancel_all");
}
