/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* What the plugin has submitted, cancelled, logged and violated. */

#include "host.h"
#include <string.h>

static size_t count(bgtt_host *host, const list *list) {
    lock(host);
    const size_t count = list->count;
    unlock(host);
    return count;
}

static void *item(bgtt_host *host, const list *list, size_t index) {
    lock(host);
    void *item = index < list->count ? list->items[index] : NULL;
    unlock(host);
    return item;
}

size_t bgtt_submission_count(bgtt_host *host) { return count(host, &host->submissions); }
const bgt_pending *bgtt_submission(bgtt_host *host, size_t index) { return item(host, &host->submissions, index); }

size_t bgtt_pending_count(bgtt_host *host) { return count(host, &host->pending); }

const bgt_pending *bgtt_pending_request(bgtt_host *host, const char *identifier) {
    lock(host);
    const bgt_pending *found = NULL;
    for (size_t index = 0; index < host->pending.count; index++) {
        const bgt_pending *next = host->pending.items[index];
        if (strcmp(next->identifier, identifier) == 0) found = next;
    }
    unlock(host);
    return found;
}

size_t bgtt_cancellation_count(bgtt_host *host) { return count(host, &host->cancellations); }
const char *bgtt_cancellation(bgtt_host *host, size_t index) { return item(host, &host->cancellations, index); }

uint64_t bgtt_fetch_interval(bgtt_host *host) {
    lock(host);
    const uint64_t interval = host->fetch_interval;
    unlock(host);
    return interval;
}

size_t bgtt_violation_count(bgtt_host *host) { return count(host, &host->violations); }
const char *bgtt_violation(bgtt_host *host, size_t index) { return item(host, &host->violations, index); }

size_t bgtt_line_count(bgtt_host *host) { return count(host, &host->lines); }
const bgtt_line *bgtt_line_at(bgtt_host *host, size_t index) { return item(host, &host->lines, index); }

static bool has_line(bgtt_host *host, const void *text) {
    for (size_t index = 0; index < host->lines.count; index++) {
        if (strstr(((const bgtt_line *)host->lines.items[index])->text, text) != NULL) return true;
    }
    return false;
}

bool bgtt_wait_for_line(bgtt_host *host, const char *text) {
    lock(host);
    const bool result = await(host, has_line, text);
    if (!result) complain("no line of the log contains \"%s\" after %u ms", text, host->timeout_ms);
    unlock(host);
    return result;
}
