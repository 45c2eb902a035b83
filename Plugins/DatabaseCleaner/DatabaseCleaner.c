/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* The plugin's registrations and submissions. The work itself is in Prune.c and Vacuum.c. */

#include "DatabaseCleaner.h"

#include <string.h>

/* A refused submission is only logged, so that the current work continues. */
int32_t submit_in(const bgt_host *host, const char *identifier, int64_t minutes) {
    const uint32_t needs = strcmp(identifier, VACUUM) == 0 ? BGT_NEEDS_EXTERNAL_POWER : 0;
    bgt_request request = bgt_processing_request(identifier, needs);
    request.earliest_begin_ns = minutes > 0 ? bgt_seconds_from_now(minutes * 60) : 0;
    bgt_refusal refusal = {0};
    const int32_t status = bgt_submit(host, &request, &refusal);
    if (status != BGT_OK) {
        log_line(host, BGT_LOG_WARNING, "%s was not submitted: %s: %s", identifier, bgt_status_name(host, status),
                 refusal.text);
    }
    return status;
}

struct search {
    const char *identifier;
    int is_pending;
};

static int32_t compare(void *context, const bgt_host *host, const bgt_pending *request) {
    (void)host;
    struct search *search = context;
    search->is_pending |= strcmp(request->identifier, search->identifier) == 0;
    return BGT_OK;
}

int32_t submit_missing(const bgt_host *host, const char *identifier, int64_t minutes) {
    struct search search = {.identifier = identifier};
    if (bgt_visit_pending(host, compare, &search) != BGT_OK) {
        search.is_pending = 0; /* the host could not list them; an unneeded submission only replaces a request */
    }
    return search.is_pending ? BGT_OK : submit_in(host, identifier, minutes);
}

/* Submits only requests that are not pending: an update must not bring next week's vacuum forward. */
static void receive(void *context, const bgt_host *host, bgt_task event) {
    (void)context;
    bgt_task_info info;
    if (bgt_get_task_info(host, event, &info) != BGT_OK || info.event != BGT_EVENT_STARTED) {
        bgt_complete(host, event, BGT_OUTCOME_NO_DATA);
        return;
    }
    const int32_t prune_status = submit_missing(host, PRUNE, 0);
    const int32_t vacuum_status = submit_missing(host, VACUUM, 0);
    const int is_submitted = prune_status == BGT_OK && vacuum_status == BGT_OK;
    bgt_complete(host, event, is_submitted ? BGT_OUTCOME_SUCCESS : BGT_OUTCOME_FAILURE);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    plugin->receive = receive;
    BGTASK_TRY(bgt_register(host, PRUNE, prune, NULL));
    BGTASK_TRY(bgt_register(host, VACUUM, vacuum, NULL));
    return BGT_OK;
}
