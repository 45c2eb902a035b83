/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Reports the contents of the host table and of a feature's table, and makes calls inside a visitor. */

#include <bgtask.h>

#include <stdio.h>
#include <string.h>

#define PREFIX "com.example.table."

/* Number of NULL pointers in a table, which begins with two 32-bit numbers. */
static int nulls(const void *table, uint32_t size) {
    int count = 0;
    for (uint32_t offset = 8; offset + sizeof(void *) <= size; offset += sizeof(void *)) {
        void *entry;
        memcpy(&entry, (const char *)table + offset, sizeof entry);
        count += entry == NULL;
    }
    return count;
}

static void report_tables(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    const bgt_legacy_fetch *fetch = bgt_query(host, BGTASK_LEGACY_FETCH);
    const char *feature = "absent";
    if (fetch != NULL) {
        const int is_complete = fetch->size >= sizeof *fetch && fetch->reserved == 0 && nulls(fetch, fetch->size) == 0;
        feature = is_complete && fetch == bgt_query(host, BGTASK_LEGACY_FETCH) ? "complete" : "incomplete";
    }
    char message[256];
    snprintf(message, sizeof message, "size %s, NULL entries %d, legacy fetch %s, unknown feature %s, names %s %s",
             host->size >= sizeof *host ? "fits" : "short", nulls(host, host->size), feature,
             bgt_query(host, "com.example.unknown/1") == NULL ? "absent" : "offered",
             bgt_status_name(host, BGT_TOO_NEW), bgt_status_name(host, 99999));
    bgt_complete_with_message(host, task, BGT_OUTCOME_SUCCESS, message);
}

/* Structs that the host fills, each before guard bytes, with a size that ends in the middle. */
static void report_structs(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    struct {
        bgt_task_info info;
        uint8_t guard[64];
    } longer;
    memset(&longer, 0x55, sizeof longer);
    longer.info.size = sizeof longer;
    const int32_t status = host->task_info(host, task, &longer.info);
    int zeroes = 0;
    for (size_t index = 0; index < sizeof longer.guard; index++) zeroes += longer.guard[index] == 0;
    bgt_task_info small;
    memset(&small, 0x55, sizeof small);
    small.size = 8;
    const int32_t refused = host->task_info(host, task, &small);
    char message[128];
    snprintf(message, sizeof message, "longer %d with %s tail, shorter %d %s", status,
             zeroes == 64 ? "a zeroed" : "another", refused, small.kind == 0x55555555u ? "unchanged" : "changed");
    bgt_complete_with_message(host, task, BGT_OUTCOME_SUCCESS, message);
}

static int32_t visit(void *context, const bgt_host *host, const bgt_pending *request) {
    const bgt_task task = *(const bgt_task *)context;
    char message[64];
    const int expiring = bgt_is_expiring(host, task), has_time = bgt_remaining(host) > 0;
    snprintf(message, sizeof message, "is_expiring %d, remaining %d, cancel %d", expiring, has_time,
             bgt_cancel(host, request->identifier));
    return bgt_complete_with_message(host, task, BGT_OUTCOME_SUCCESS, message) == BGT_WRONG_PHASE ? -5 : BGT_OK;
}

static void complete_in_visitor(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_request later = bgt_processing_request(PREFIX "later", 0);
    later.earliest_begin_ns = bgt_seconds_from_now(3600);
    bgt_submit(host, &later, NULL);
    if (bgt_visit_pending(host, visit, &task) != -5) bgt_complete(host, task, BGT_OUTCOME_FAILURE);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    BGTASK_TRY(bgt_register(host, PREFIX "tables", report_tables, NULL));
    BGTASK_TRY(bgt_register(host, PREFIX "structs", report_structs, NULL));
    BGTASK_TRY(bgt_register(host, PREFIX "visits", complete_in_visitor, NULL));
    return bgt_register(host, PREFIX "later", report_tables, NULL);
}
