/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* The functions of the host's table, as bgtask.h describes them. */

#ifndef BGTASK_TESTING_TABLE_H
#define BGTASK_TESTING_TABLE_H

#include <bgtask-testing.h>

#define HIDDEN __attribute__((__visibility__("hidden")))

HIDDEN int32_t host_launch_info(const bgt_host *table, bgt_launch_info *out);
HIDDEN int32_t host_register_handler(const bgt_host *table, const char *identifier, bgt_handler handler, void *context,
                                     bgt_release release, bgt_refusal *refusal);
HIDDEN int32_t host_submit(const bgt_host *table, const bgt_request *request, bgt_refusal *refusal);
HIDDEN int32_t host_cancel(const bgt_host *table, const char *identifier, bgt_refusal *refusal);
HIDDEN int32_t host_cancel_all(const bgt_host *table, bgt_refusal *refusal);
HIDDEN int32_t host_pending(const bgt_host *table, bgt_pending_visitor visitor, void *context, bgt_refusal *refusal);
HIDDEN int32_t host_task_info(const bgt_host *table, bgt_task number, bgt_task_info *out);
HIDDEN int32_t host_set_expiration_handler(const bgt_host *table, bgt_task number, bgt_expiration_handler handler,
                                           void *context, bgt_release release);
HIDDEN int32_t host_complete(const bgt_host *table, bgt_task number, int32_t outcome, const char *message);
HIDDEN uint64_t host_remaining(const bgt_host *table);
HIDDEN int32_t host_is_expiring(const bgt_host *table, bgt_task number);
HIDDEN int32_t host_set_progress(const bgt_host *table, bgt_task number, int64_t completed, int64_t total);
HIDDEN int32_t host_set_title(const bgt_host *table, bgt_task number, const char *title, const char *subtitle);
HIDDEN int32_t host_begin_assertion(const bgt_host *table, const char *name, bgt_assertion_handler on_expire,
                                    void *context, bgt_release release, bgt_assertion *out, bgt_refusal *refusal);
HIDDEN int32_t host_end_assertion(const bgt_host *table, bgt_assertion number);
HIDDEN int32_t host_container_path(const bgt_host *table, char *buffer, uint64_t capacity, uint64_t *needed);
HIDDEN int32_t host_setting(const bgt_host *table, const char *key, char *buffer, uint64_t capacity, uint64_t *needed);
HIDDEN void host_log(const bgt_host *table, bgt_task number, uint32_t level, const char *message);
HIDDEN const char *host_name(const bgt_host *table, uint32_t vocabulary, int64_t number);
HIDDEN const void *host_query(const bgt_host *table, const char *id);

#endif /* BGTASK_TESTING_TABLE_H */
