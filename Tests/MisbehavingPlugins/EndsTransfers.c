/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Plays the transfer library of the host: it ends each transfer as finished with 5 bytes, without a connection. The
 * answers of the private interface are in `statuses.txt`, and `tasks.txt` has the identifier, the kind and the payload of
 * each task. In another launch than one of the lane `transfer` it registers nothing. */

#include <bgtask.h>

#include "../../Transfer/transfer_host.h"
#include "Records.h"

static void begin(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_task_info info;
    const bgt_transfer_library *library = (const bgt_transfer_library *)bgt_query(host, BGT_TRANSFER_LIBRARY);
    bgt_transfer_end end = {.size = sizeof end,
                            .result = BGT_TRANSFER_END_FINISHED,
                            .http_status = 200,
                            .retry_after_s = -1,
                            .bytes = 5,
                            .total = UINT64_MAX,
                            .message = "done"};
    if (bgt_get_task_info(host, task, &info) == BGT_OK) {
        record(host, "tasks.txt", "%s %u %.*s\n", info.identifier, info.kind, (int)info.payload_length,
               (const char *)info.payload);
    }
    record_status(host, "set_progress", bgt_set_progress(host, task, 5, BGT_TRANSFER_UNKNOWN_TOTAL));
    record_status(host, "checkpoint", bgt_checkpoint(host, task, "5", 1, 0));
    record_status(host, "ended with NULL", library->ended(host, task, NULL));
    end.fault = BGT_TRANSFER_NETWORK;
    record_status(host, "ended with a fault", library->ended(host, task, &end));
    end.fault = BGT_TRANSFER_NO_FAULT;
    record_status(host, "ended of another task", library->ended(host, task + 999, &end));
    record_status(host, "ended", library->ended(host, task, &end));
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
    record_status(host, "ended after the completion", library->ended(host, task, &end));
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    if (bgt_query(host, BGT_TRANSFER_LIBRARY) == NULL) {
        record_status(host, "register", bgt_register(host, BGT_TRANSFER_HANDLER, begin, NULL));
        return BGT_OK;
    }
    return bgt_register(host, BGT_TRANSFER_HANDLER, begin, NULL);
}
