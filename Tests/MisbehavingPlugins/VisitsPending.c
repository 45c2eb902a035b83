/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: visitor-calls; tasks: task later next */

/* Its .task visits its pending requests, submits .later and .next, and visits them again: unchanged, with writes
 * into the visited requests, with a visitor that ends at the first request, and with a visitor that makes forbidden
 * calls. Then it cancels a request that was never submitted, .later, and all. The visited requests go to
 * `seen.txt`. */

#include <bgtask.h>

#include "Records.h"

#include <stdio.h>
#include <string.h>

#define NAME "com.example.visitspending"

/* A visitor may not read the container's path: it fills this buffer, which is written after the visit. */
struct seen {
    char text[1024];
};

static uint64_t submitted[2];

static int32_t look(void *context, const bgt_host *host, const bgt_pending *request) {
    (void)host;
    struct seen *seen = context;
    const size_t length = strlen(seen->text);
    const char *number = request->submission == submitted[0]   ? "the first"
                         : request->submission == submitted[1] ? "the second"
                                                          : "neither";
    snprintf(seen->text + length, sizeof seen->text - length, "%s %s%s%s %lld %lld %s %.*s\n",
             request->identifier + sizeof NAME - 1, request->kind == BGT_KIND_PROCESSING ? "processing" : "refresh",
             request->flags & BGT_NEEDS_NETWORK ? " network" : "",
             request->flags & BGT_NEEDS_EXTERNAL_POWER ? " power" : "", (long long)request->earliest_begin_ns,
             (long long)request->expires_at_ns, number, (int)request->payload_length,
             request->payload_length == 0 ? "" : (const char *)request->payload);
    return BGT_OK;
}

static int32_t scribble(void *context, const bgt_host *host, const bgt_pending *request) {
    (void)host;
    bgt_pending *own = (bgt_pending *)request;
    (void)context;
    own->flags = 0;
    own->earliest_begin_ns = 1;
    own->expires_at_ns = 1;
    return BGT_OK;
}

static int32_t end_at_once(void *context, const bgt_host *host, const bgt_pending *request) {
    look(context, host, request);
    return -7;
}

static int32_t meddle(void *context, const bgt_host *host, const bgt_pending *request) {
    (void)context;
    return bgt_cancel(host, request->identifier);
}

static void visit(const bgt_host *host, const char *what, bgt_pending_visitor visitor) {
    struct seen seen = {""};
    const int32_t status = bgt_visit_pending(host, visitor, &seen);
    record(host, "seen.txt", "%s: %d %s\n%s", what, status, bgt_status_name(host, status), seen.text);
}

static void submit(const bgt_host *host, bgt_request request, int index) {
    bgt_refusal answer;
    const int32_t status = bgt_submit(host, &request, &answer);
    submitted[index] = status == BGT_OK ? answer.submission : 0;
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    visit(host, "nothing", look);
    bgt_request later = bgt_processing_request(NAME ".later", BGT_NEEDS_NETWORK);
    later.earliest_begin_ns = INT64_C(4102444800000000000);
    later.expires_at_ns = INT64_C(4102444800000000001);
    later.payload = (const uint8_t *)"colours";
    later.payload_length = 7;
    submit(host, later, 0);
    submit(host, bgt_processing_request(NAME ".next", BGT_NEEDS_EXTERNAL_POWER), 1);
    visit(host, "both", look);
    visit(host, "scribbled", scribble);
    visit(host, "unharmed", look);
    visit(host, "ended", end_at_once);
    visit(host, "meddled", meddle);
    record(host, "seen.txt", "unknown %s\n", bgt_status_name(host, bgt_cancel(host, NAME ".task")));
    record(host, "seen.txt", "later %s\n", bgt_status_name(host, bgt_cancel(host, NAME ".later")));
    visit(host, "one", look);
    record(host, "seen.txt", "all %s\n", bgt_status_name(host, bgt_cancel_all(host)));
    visit(host, "none", look);
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

static void succeed(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    BGTASK_TRY(bgt_register(host, NAME ".task", run, NULL));
    BGTASK_TRY(bgt_register(host, NAME ".later", succeed, NULL));
    return bgt_register(host, NAME ".next", succeed, NULL);
}
