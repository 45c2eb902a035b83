/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/*
 * A host for unit tests of plugins, inside of the test's own process. It needs neither bgtaskd nor a runner: a test links
 * the plugin's source with libbgtask-testing.a, C11 or C++17, and -pthread.
 *
 * A complete test, hello_test.c:
 *
 *     #include <assert.h>
 *     #include <bgtask-testing.h>
 *
 *     int main(void) {
 *         bgtt_host *host = bgtt_new("com.example.hello");
 *         bgtt_permit(host, "com.example.hello.refresh");
 *         assert(bgtt_enter(host, bgtask_plugin_entry) == BGT_OK);
 *         assert(bgtt_run(host, "com.example.hello.refresh", BGT_KIND_REFRESH) == BGT_OUTCOME_SUCCESS);
 *         assert(bgtt_pending_request(host, "com.example.hello.refresh") != NULL);
 *         assert(bgtt_end(host) == 0);
 *         bgtt_free(host);
 *     }
 *
 *     cc $(pkg-config --cflags bgtask-testing) hello.c hello_test.c $(pkg-config --libs bgtask-testing) -o hello-test
 *
 * The functions of the host table answer as in a launch of bgtask: the same statuses in the same order of checks, in
 * every phase, with the same violations. Handlers run on the queue of their identifier, expiration handlers on threads
 * of their own. Differences from a launch:
 *
 * - The clock stands still until bgtt_advance. `remaining` and the end of the budget follow this clock.
 * - The host accepts every well-formed request of a permitted identifier. Modes, entitlements, limits and conditions are
 *   decisions of a real host: bgtt_refuse_next plays them.
 * - Nothing is killed. A callback that does not return is reported by the functions that wait, after the timeout.
 * - The process is the test's: its handlers of signals, its directory and its streams are not watched. A test that
 *   needs a process per launch uses `bgtask plugin check` or a host.
 *
 * A function that fails writes one line to standard error and returns the value that its comment names. Lack of memory
 * or of threads ends the process. All functions may be called from any thread, but not inside of a callback of the
 * plugin, unless the comment allows it. Strings and structs that they return are valid until bgtt_free.
 */

#ifndef BGTASK_TESTING_H
#define BGTASK_TESTING_H

#include <bgtask.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bgtt_host bgtt_host;

/* The entry of the plugin under test, which BGTASK_PLUGIN_ENTRY defines. A test of several plugins loads their libraries
 * with dlopen instead. */
int32_t bgtask_plugin_entry(const bgt_host *host, bgt_plugin *plugin) BGTASK_NOEXCEPT;

/* ---- The launch: set these before bgtt_enter ---------------------------------------------------------------------- */

/* Creates the host of one launch of the plugin with this identifier: main, in the background lane, due, with a budget of
 * 600 s and a grace period of 5 s. End it with bgtt_end, and free it with bgtt_free. */
bgtt_host *bgtt_new(const char *plugin);

/* Frees the host, after bgtt_end if the launch still runs. While a callback still runs, the memory stays allocated. */
void bgtt_free(bgtt_host *host);

/* Takes the place of bgtt_free in tests of plugins whose threads and objects may call the host after the test, as those of
 * languages with reference counting or garbage collection may. Ends the launch if it still runs, and keeps table and
 * memory until the process ends: every later call returns BGT_ENDED. */
void bgtt_retire(bgtt_host *host);

/* Adds a name or a pattern to permitted-identifiers. */
void bgtt_permit(bgtt_host *host, const char *identifier);

/* BGT_ROLE_MAIN or BGT_ROLE_EXTENSION. */
void bgtt_set_role(bgtt_host *host, uint32_t role);

/* BGT_LANE_... and BGT_CAUSE_..., for launch_info. */
void bgtt_set_lane(bgtt_host *host, uint32_t lane, uint32_t cause);

/* Sets a setting; NULL removes it. */
void bgtt_set_setting(bgtt_host *host, const char *key, const char *value);

/* Sets the path of the container, which must exist. Default: the directory of the environment variable TMPDIR, or /tmp. */
void bgtt_set_container(bgtt_host *host, const char *path);

/* Sets budget and grace period in nanoseconds. BGTASK_NO_DEADLINE: no fixed budget. */
void bgtt_set_budget(bgtt_host *host, uint64_t budget_ns, uint64_t grace_ns);

/* BGT_RESOURCE_... that continued requests may require, for launch_info. */
void bgtt_set_supported_resources(bgtt_host *host, uint64_t resources);

/* Whether the manifest has the mode fetch, which legacy fetch requires. Default: true. */
void bgtt_set_fetch_mode(bgtt_host *host, bool has_mode);

/* Makes `query` return NULL for a feature, such as BGTASK_CURSOR, as a host without it does. */
void bgtt_withhold(bgtt_host *host, const char *id);

/* Whether the manifest has the mode remote-notification, which registrations for pushes require. Default: true. */
void bgtt_set_push_mode(bgtt_host *host, bool has_mode);

/* Sets the device token that a registration for pushes returns. Default: 32 bytes 0x5a. False for a length other than 1
 * to BGTASK_PUSH_TOKEN_MAX. Also allowed later: a host may issue another token between two registrations. */
bool bgtt_set_push_token(bgtt_host *host, const void *bytes, size_t length);

/* Whether the plugin has registered for pushes, and not unregistered afterwards. */
bool bgtt_is_registered_for_pushes(bgtt_host *host);

/* Copies the last content that the plugin set for a notification. Returns its number of bytes, 0 for none. */
size_t bgtt_notification_content(bgtt_host *host, void *buffer, size_t capacity);

/* The real time in milliseconds after which a function that waits gives up. Default: 10,000. */
void bgtt_set_timeout(bgtt_host *host, uint32_t milliseconds);

/* The host table. Use it to call helper functions of the plugin that take a host. */
const bgt_host *bgtt_table(bgtt_host *host);

/* ---- Course of the launch ------------------------------------------------------------------------------------------ */

/* Calls entry on this thread, and checks bgt_plugin afterwards (BGT-ABI-03). When entry succeeds, the tasks of the batch
 * are delivered. Returns the status of entry, or BGT_INVALID or BGT_TOO_NEW for a violation of BGT-ABI-03. */
int32_t bgtt_enter(bgtt_host *host, bgt_plugin_entry entry);

/* Calls run_main of the plugin on this thread, and returns when it returns. False when the plugin has none. */
bool bgtt_run_main(bgtt_host *host);

/* Ends the launch: waits for the callbacks, calls `stop`, refuses later calls, releases the contexts. Returns the number
 * of defects, and writes each to standard error: violations, tasks that are not completed, open assertions, callbacks
 * that do not return. */
int bgtt_end(bgtt_host *host);

/* Waits until every callback has returned. False after the timeout. */
bool bgtt_settle(bgtt_host *host);

/* ---- Tasks and events ---------------------------------------------------------------------------------------------- */

/* A task to deliver. Zero every field, then set those that the test needs. The host copies the struct. */
typedef struct bgtt_delivery {
    const char *identifier; /* required, except for an event */
    uint32_t kind;          /* BGT_KIND_...; required, except for an event */
    uint32_t event;         /* BGT_EVENT_... for an event, else 0 */
    uint32_t flags;         /* as submitted, with the protection */
    uint32_t attempt;       /* 0 counts as 1 */
    const void *payload;
    size_t payload_length;
    const char *title; /* continued */
    const char *subtitle;
    int64_t fleet_item; /* of a task from the queue of a fleet, else 0; with `fence` */
    int64_t fence;
} bgtt_delivery;

/* Delivers a task or an event, and returns its number at once. Before bgtt_enter, the task joins the batch, and is
 * delivered when entry has succeeded. A task without a handler is not delivered and gets no outcome: bgtt_is_delivered
 * is false. 0 after a failed entry and after the end of the launch. */
bgt_task bgtt_deliver(bgtt_host *host, const bgtt_delivery *delivery);

/* Delivers a task without payload, and waits until it is completed and its callbacks have returned. Returns its outcome;
 * 0 when it has none. */
int32_t bgtt_run(bgtt_host *host, const char *identifier, uint32_t kind);

/* The same for an event, BGT_EVENT_... */
int32_t bgtt_send(bgtt_host *host, uint32_t event);

/* Delivers the pending request of an identifier, and waits in the same way. The request is no longer pending. 0 when
 * none is pending. */
int32_t bgtt_run_pending(bgtt_host *host, const char *identifier);

/* Waits until the task is completed and its callbacks have returned. Returns its outcome; 0 after the timeout, and for a
 * task that was not delivered. */
int32_t bgtt_wait(bgtt_host *host, bgt_task task);

/* Whether a handler, or `receive`, got the task. */
bool bgtt_is_delivered(bgtt_host *host, bgt_task task);

/* The outcome of a completed task, 0 for every other one. An outcome that is none counts as BGT_OUTCOME_FAILURE. */
int32_t bgtt_outcome(bgtt_host *host, bgt_task task);

/* The message of the completion; NULL without one. */
const char *bgtt_message(bgtt_host *host, bgt_task task);

/* The newest progress; false when none was reported. */
bool bgtt_progress(bgtt_host *host, bgt_task task, int64_t *completed, int64_t *total);

/* The newest title and subtitle of a continued task; NULL without one. */
const char *bgtt_title(bgtt_host *host, bgt_task task);
const char *bgtt_subtitle(bgtt_host *host, bgt_task task);

/* ---- Time and expiration ------------------------------------------------------------------------------------------- */

/* Expires one task, or each open task for 0, with BGT_EXPIRED_..., and calls its expiration handler on a thread of its
 * own. When no task is left that is not expiring, the open assertions expire too. Returns the number of tasks that were
 * not expiring before. */
int bgtt_expire(bgtt_host *host, bgt_task task, uint32_t reason);

/* Moves the clock forward. At the deadline of the launch, the tasks that are not continued expire with
 * BGT_EXPIRED_BUDGET. After the grace period, completions return BGT_ENDED. */
void bgtt_advance(bgtt_host *host, uint64_t nanoseconds);

/* ---- Requests ------------------------------------------------------------------------------------------------------ */

/* Refuses the next well-formed call of submit, cancel, cancel_all, pending, register_plugin, unregister_plugin, begin,
 * cancel and list of transfers, or checkpoint with BGT_CHECKPOINT_DURABLE, with a status (such as BGT_UNAVAILABLE), a
 * sub-reason (BGT_REASON_...) and a text. A refused checkpoint has moved the cursor. Several refusals apply in turn. Also allowed inside of a callback. */
void bgtt_refuse_next(bgtt_host *host, int32_t status, uint32_t sub_reason, const char *text);

/* The accepted submissions, in their order, with replaced and cancelled ones. NULL beyond the last. */
size_t bgtt_submission_count(bgtt_host *host);
const bgt_pending *bgtt_submission(bgtt_host *host, size_t index);

/* The pending request of an identifier; NULL when none is pending. */
const bgt_pending *bgtt_pending_request(bgtt_host *host, const char *identifier);
size_t bgtt_pending_count(bgtt_host *host);

/* The identifiers of the recorded cancellations, in their order; "*" for cancel_all. NULL beyond the last. */
size_t bgtt_cancellation_count(bgtt_host *host);
const char *bgtt_cancellation(bgtt_host *host, size_t index);

/* The interval of legacy fetch in seconds, UINT64_MAX for never. */
uint64_t bgtt_fetch_interval(bgtt_host *host);

/* Sets the cursor of an identifier, as an earlier run left it. `version`: of the plugin that wrote it, or NULL. False for a
 * length other than 1 to BGTASK_CURSOR_MAX. */
bool bgtt_set_cursor(bgtt_host *host, const char *identifier, const void *bytes, size_t length, const char *version);

/* Copies the cursor of an identifier, if it fits, and returns its length; 0 when it has none. It stays for the next run of
 * the identifier, until a run succeeds or discards it. */
size_t bgtt_cursor(bgtt_host *host, const char *identifier, void *buffer, size_t capacity);

/* ---- Transfers ----------------------------------------------------------------------------------------------------- */

/* The transfers that the plugin has begun, in the order of their numbers: the first one has the number 1. They stay open
 * until the test ends them. NULL beyond the last. */
size_t bgtt_transfer_count(bgtt_host *host);
const bgt_transfer *bgtt_transfer(bgtt_host *host, size_t index);

/* Ends an open transfer as finished, with the contents of its file: the download, or the body of the answer to an upload,
 * which may be empty. Writes it below .transfers of the container. False when the transfer is not open. */
bool bgtt_finish_transfer(bgtt_host *host, uint64_t number, const void *bytes, size_t length);

/* Ends an open transfer as failed, with a code such as "http-status". False when the transfer is not open. */
bool bgtt_fail_transfer(bgtt_host *host, uint64_t number, const char *code, uint32_t http_status);

/* Delivers BGT_EVENT_TRANSFERS_FINISHED with the name of the session, and waits as bgtt_send does. After a success, the
 * ended transfers of the session without a file that is left to take are forgotten. */
int32_t bgtt_send_session(bgtt_host *host, const char *session);

/* ---- Records of the launch ----------------------------------------------------------------------------------------- */

/* The violations, each with its rule: "BGT-ABI-09: task 1.1 was completed again ...". NULL beyond the last. */
size_t bgtt_violation_count(bgtt_host *host);
const char *bgtt_violation(bgtt_host *host, size_t index);

typedef struct bgtt_line {
    bgt_task task; /* 0 for the launch */
    uint32_t level;
    const char *text;
} bgtt_line;

/* The lines of the log. NULL beyond the last. */
size_t bgtt_line_count(bgtt_host *host);
const bgtt_line *bgtt_line_at(bgtt_host *host, size_t index);

/* Waits until a line of the log contains the text. False after the timeout. */
bool bgtt_wait_for_line(bgtt_host *host, const char *text);

/* The number of open assertions. */
size_t bgtt_assertion_count(bgtt_host *host);

#ifdef __cplusplus
}
#endif

#endif /* BGTASK_TESTING_H */
