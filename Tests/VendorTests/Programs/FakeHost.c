/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Properties of the fake host that a runner does not have, or that need real time there: its clock, its records, its
 * reports. The rules of calls are compared with a runner in Tests/Agreement. A failed check ends the program. */

#include <bgtask-testing.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PLUGIN "com.example.fake"
#define TASK PLUGIN ".task"
#define OTHER PLUGIN ".other"
#define ALBUM PLUGIN ".album.summer"
#define SECOND 1000000000ull

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: not true: %s\n", __func__, __LINE__, #condition);                                  \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

/* Names that the library uses inside: a conflict would not link. */
int lock(void) { return 1; }
int append(void) { return 2; }
int await(void) { return 3; }

static atomic_int releases, calls, reason, go_on, overlaps, running;
static int32_t (*in_handler)(const bgt_host *host, bgt_task task);

static void count_release(void *context) { atomic_fetch_add(&releases, *(int *)context); }

static void handle(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    atomic_fetch_add(&calls, 1);
    const int32_t outcome = in_handler(host, task);
    if (outcome != 0) (void)bgt_complete(host, task, outcome);
}

static void expire(void *context, const bgt_host *host, bgt_task task, uint32_t why) {
    (void)context, (void)host, (void)task;
    atomic_store(&reason, (int)why);
}

static int one = 1;

static int32_t enter(const bgt_host *host, bgt_plugin *plugin) {
    (void)plugin;
    BGTASK_TRY(bgt_register_with_release(host, TASK, handle, &one, count_release));
    BGTASK_TRY(bgt_register_with_release(host, OTHER, handle, &one, count_release));
    return bgt_register_with_release(host, PLUGIN ".album.*", handle, &one, count_release);
}

/* A host whose tasks call `body` and complete with its result, unless it is 0. */
static bgtt_host *begin(int32_t (*body)(const bgt_host *host, bgt_task task)) {
    in_handler = body;
    atomic_store(&releases, 0);
    atomic_store(&calls, 0);
    atomic_store(&reason, 0);
    atomic_store(&go_on, 0);
    bgtt_host *host = bgtt_new(PLUGIN);
    bgtt_permit(host, TASK);
    bgtt_permit(host, OTHER);
    bgtt_permit(host, PLUGIN ".album.*");
    CHECK(bgtt_enter(host, enter) == BGT_OK);
    return host;
}

static void end(bgtt_host *host, int defects) {
    CHECK(bgtt_end(host) == defects);
    CHECK(atomic_load(&releases) == 3);
    bgtt_free(host);
}

static int32_t succeed(const bgt_host *host, bgt_task task) {
    (void)host, (void)task;
    return BGT_OUTCOME_SUCCESS;
}

static int32_t set_handler(const bgt_host *host, bgt_task task) {
    CHECK(bgt_set_expiration_handler(host, task, expire, NULL) == BGT_OK);
    bgt_log(host, BGT_LOG_INFO, "handler is set");
    return 0;
}

static bgt_task begin_task(bgtt_host *host, const char *identifier, uint32_t kind) {
    const bgtt_delivery delivery = {.identifier = identifier, .kind = kind, .title = "title"};
    const bgt_task task = bgtt_deliver(host, &delivery);
    CHECK(task != 0);
    return task;
}

static void the_budget_ends_when_the_clock_is_moved(void) {
    bgtt_host *host = begin(set_handler);
    const bgt_host *table = bgtt_table(host);
    const bgt_task task = begin_task(host, TASK, BGT_KIND_PROCESSING);
    const bgt_task album = begin_task(host, ALBUM, BGT_KIND_CONTINUED);
    CHECK(bgtt_settle(host));
    CHECK(bgt_remaining(table) == 600 * SECOND);
    bgtt_advance(host, 599 * SECOND);
    CHECK(bgt_remaining(table) == SECOND && bgt_is_expiring(table, task) == 0);
    bgtt_advance(host, SECOND);
    CHECK(bgtt_settle(host));
    CHECK(bgt_remaining(table) == 0 && bgt_is_expiring(table, task) == 1 && bgt_is_expiring(table, album) == 0);
    CHECK(atomic_load(&reason) == (int)BGT_EXPIRED_BUDGET);
    bgtt_advance(host, 5 * SECOND - 1);
    CHECK(bgt_complete(table, task, BGT_OUTCOME_FAILURE) == BGT_OK);
    CHECK(bgt_complete(table, album, BGT_OUTCOME_SUCCESS) == BGT_OK);
    end(host, 0);
}

static void a_completion_after_the_grace_period_is_too_late(void) {
    bgtt_host *host = begin(set_handler);
    const bgt_task task = begin_task(host, TASK, BGT_KIND_PROCESSING);
    const bgt_task other = begin_task(host, OTHER, BGT_KIND_PROCESSING);
    CHECK(bgtt_settle(host));
    CHECK(bgtt_expire(host, other, BGT_EXPIRED_NETWORK_LOST) == 1 && bgtt_expire(host, 0, BGT_EXPIRED_BUDGET) == 1);
    bgtt_advance(host, 5 * SECOND);
    CHECK(bgt_complete(bgtt_table(host), task, BGT_OUTCOME_SUCCESS) == BGT_ENDED);
    CHECK(bgt_complete(bgtt_table(host), other, BGT_OUTCOME_SUCCESS) == BGT_ENDED);
    CHECK(bgtt_outcome(host, task) == 0);
    end(host, 2);
}

static int32_t wait_for_go(const bgt_host *host, bgt_task task) {
    (void)task;
    if (atomic_fetch_add(&running, 1) > 0) atomic_fetch_add(&overlaps, 1);
    bgt_log(host, BGT_LOG_INFO, "waits");
    while (!atomic_load(&go_on)) usleep(200);
    atomic_fetch_sub(&running, 1);
    return BGT_OUTCOME_SUCCESS;
}

static void tasks_of_one_identifier_run_one_after_another(void) {
    bgtt_host *host = begin(wait_for_go);
    const bgt_task first = begin_task(host, TASK, BGT_KIND_REFRESH);
    const bgt_task second = begin_task(host, TASK, BGT_KIND_REFRESH);
    CHECK(bgtt_wait_for_line(host, "waits"));
    bgtt_set_timeout(host, 20);
    CHECK(bgtt_wait(host, second) == 0);
    CHECK(atomic_load(&calls) == 1);
    bgtt_set_timeout(host, 10000);
    atomic_store(&go_on, 1);
    CHECK(bgtt_wait(host, second) == BGT_OUTCOME_SUCCESS && bgtt_wait(host, first) == BGT_OUTCOME_SUCCESS);
    CHECK(atomic_load(&calls) == 2 && atomic_load(&overlaps) == 0);
    end(host, 0);
}

static int32_t forget(const bgt_host *host, bgt_task task) {
    (void)host, (void)task;
    return 0;
}

static void an_uncompleted_task_is_a_defect(void) {
    bgtt_host *host = begin(forget);
    bgtt_set_timeout(host, 20);
    CHECK(bgtt_run(host, TASK, BGT_KIND_REFRESH) == 0);
    bgtt_set_timeout(host, 10000);
    end(host, 1);
}

static int32_t exit_thread(const bgt_host *host, bgt_task task) {
    (void)bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
    pthread_exit(NULL);
}

static void a_callback_that_ends_its_thread_is_a_violation(void) {
    bgtt_host *host = begin(exit_thread);
    CHECK(bgtt_run(host, TASK, BGT_KIND_REFRESH) == BGT_OUTCOME_SUCCESS);
    CHECK(bgtt_settle(host));
    CHECK(bgtt_violation_count(host) == 1 && strncmp(bgtt_violation(host, 0), "BGT-ABI-15: ", 12) == 0);
    end(host, 1);
}

static int32_t read_payload(const bgt_host *host, bgt_task task) {
    bgt_task_info info;
    CHECK(bgt_get_task_info(host, task, &info) == BGT_OK);
    return info.payload_length == 2 && memcmp(info.payload, "ab", 2) == 0 && info.submission == 1 ? BGT_OUTCOME_SUCCESS
                                                                                                 : BGT_OUTCOME_FAILURE;
}

static void a_pending_request_runs_with_its_payload(void) {
    bgtt_host *host = begin(read_payload);
    bgt_request request = bgt_processing_request(TASK, BGT_NEEDS_NETWORK);
    request.payload = (const uint8_t *)"ab";
    request.payload_length = 2;
    CHECK(bgt_submit(bgtt_table(host), &request, NULL) == BGT_OK);
    CHECK(bgtt_pending_count(host) == 1 && bgtt_pending_request(host, TASK)->flags == BGT_NEEDS_NETWORK);
    CHECK(bgtt_run_pending(host, TASK) == BGT_OUTCOME_SUCCESS);
    CHECK(bgtt_pending_count(host) == 0 && bgtt_submission_count(host) == 1 && bgtt_submission(host, 1) == NULL);
    CHECK(bgtt_run_pending(host, TASK) == 0);
    end(host, 0);
}

static void refusals_apply_in_turn(void) {
    bgtt_host *host = begin(succeed);
    bgt_refusal refusal;
    bgt_request request = bgt_refresh_request(TASK);
    bgtt_refuse_next(host, BGT_TOO_MANY_PENDING, BGT_REASON_REFRESH_LIMIT, "one is pending");
    bgtt_refuse_next(host, BGT_UNAVAILABLE, BGT_REASON_NOT_RECORDED, "the disk is full");
    CHECK(bgt_submit(bgtt_table(host), &request, &refusal) == BGT_TOO_MANY_PENDING);
    CHECK(refusal.sub_reason == BGT_REASON_REFRESH_LIMIT && strcmp(refusal.text, "one is pending") == 0);
    CHECK(bgt_submit(bgtt_table(host), NULL, &refusal) == BGT_INVALID);
    CHECK(bgt_cancel(bgtt_table(host), TASK) == BGT_UNAVAILABLE && bgtt_cancellation_count(host) == 0);
    CHECK(bgt_submit(bgtt_table(host), &request, &refusal) == BGT_OK);
    CHECK(bgt_cancel_all(bgtt_table(host)) == BGT_OK && strcmp(bgtt_cancellation(host, 0), "*") == 0);
    end(host, 0);
}

static void events_without_receiver_end_as_in_a_host(void) {
    bgtt_host *host = begin(succeed);
    CHECK(bgtt_send(host, BGT_EVENT_STARTED) == BGT_OUTCOME_SUCCESS);
    CHECK(bgtt_send(host, BGT_EVENT_TRIGGER) == 0);
    CHECK(bgtt_run(host, PLUGIN ".unknown", BGT_KIND_REFRESH) == 0);
    end(host, 0);
}

static void a_plugin_registers_for_pushes_and_gets_the_token_of_the_test(void) {
    const uint8_t other[] = {1, 2, 3};
    uint8_t token[BGTASK_PUSH_TOKEN_MAX];
    uint64_t needed = 0;
    bgtt_host *host = bgtt_new(PLUGIN);
    const bgt_host *table = bgtt_table(host);
    CHECK(bgt_register_for_pushes(table, token, 31, &needed) == BGT_TRUNCATED && needed == 32);
    CHECK(bgt_register_for_pushes(table, NULL, 1, NULL) == BGT_INVALID);
    CHECK(bgt_register_for_pushes(table, token, sizeof token, NULL) == BGT_OK && token[31] == 0x5a);
    CHECK(bgtt_is_registered_for_pushes(host));
    CHECK(bgtt_set_push_token(host, other, sizeof other) && !bgtt_set_push_token(host, other, 0));
    CHECK(bgt_register_for_pushes(table, token, sizeof token, &needed) == BGT_OK && needed == 3 && token[2] == 3);
    CHECK(bgt_unregister_for_pushes(table) == BGT_OK && !bgtt_is_registered_for_pushes(host));
    bgtt_refuse_next(host, BGT_UNAVAILABLE, BGT_REASON_NOT_RECORDED, "the disk is full");
    CHECK(bgt_register_for_pushes(table, token, sizeof token, NULL) == BGT_UNAVAILABLE);
    CHECK(!bgtt_is_registered_for_pushes(host));
    bgtt_withhold(host, BGTASK_PUSH);
    CHECK(bgt_register_for_pushes(table, token, sizeof token, NULL) == BGT_NOT_OFFERED);
    bgtt_free(host);
}

static void calls_after_the_end_return_ended(void) {
    bgtt_host *host = begin(succeed);
    const bgt_host *table = bgtt_table(host);
    CHECK(bgtt_run(host, TASK, BGT_KIND_REFRESH) == BGT_OUTCOME_SUCCESS);
    CHECK(bgtt_end(host) == 0);
    bgt_request request = bgt_refresh_request(TASK);
    bgt_launch_info info;
    CHECK(bgt_submit(table, &request, NULL) == BGT_ENDED && bgt_cancel_all(table) == BGT_ENDED);
    CHECK(bgt_get_launch_info(table, &info) == BGT_ENDED && bgt_end_assertion(table, 1) == BGT_ENDED);
    CHECK(bgt_complete(table, 1, BGT_OUTCOME_SUCCESS) == BGT_ENDED && bgt_is_expiring(table, 1) == 1);
    CHECK(bgtt_deliver(host, &(bgtt_delivery){.identifier = TASK, .kind = BGT_KIND_REFRESH}) == 0);
    CHECK(bgtt_end(host) == 1);
    bgtt_free(host);
}

static void calls_to_a_retired_host_return_ended(void) {
    bgtt_host *host = begin(succeed);
    const bgt_host *table = bgtt_table(host);
    CHECK(bgtt_run(host, TASK, BGT_KIND_REFRESH) == BGT_OUTCOME_SUCCESS);
    bgtt_retire(host);
    bgtt_host *unused = bgtt_new(PLUGIN);
    const bgt_host *unused_table = bgtt_table(unused);
    bgtt_retire(unused);
    bgt_request request = bgt_refresh_request(TASK);
    CHECK(bgt_submit(table, &request, NULL) == BGT_ENDED && bgt_submit(unused_table, &request, NULL) == BGT_ENDED);
    CHECK(bgt_is_expiring(table, 1) == 1 && bgt_is_expiring(unused_table, 1) == 1);
    CHECK(bgt_set_progress(table, 1, 1, 2) == BGT_ENDED);
    bgt_log(table, BGT_LOG_INFO, "late");
}

static void a_copy_of_the_table_ends_the_process(void) {
    bgtt_host *host = begin(succeed);
    fflush(stderr);
    const pid_t child = fork();
    if (child == 0) {
        const bgt_host copy = *bgtt_table(host);
        (void)bgt_cancel_all(&copy);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    end(host, 0);
}

static void *submit_often(void *argument) {
    for (int count = 0; count < 200; count++) {
        bgt_request request = bgt_refresh_request(TASK);
        CHECK(bgt_submit(argument, &request, NULL) == BGT_OK);
        bgt_log(argument, BGT_LOG_DEBUG, "line");
    }
    return NULL;
}

static void threads_may_call_at_the_same_time(void) {
    bgtt_host *host = begin(succeed);
    pthread_t threads[4];
    for (int index = 0; index < 4; index++) {
        CHECK(pthread_create(&threads[index], NULL, submit_often, (void *)bgtt_table(host)) == 0);
    }
    for (int index = 0; index < 4; index++) pthread_join(threads[index], NULL);
    CHECK(bgtt_submission_count(host) == 800 && bgtt_line_count(host) == 800 && bgtt_pending_count(host) == 1);
    end(host, 0);
}

static int32_t enter_unpermitted(const bgt_host *host, bgt_plugin *plugin) {
    (void)plugin;
    return bgt_register(host, "com.example.fake.unpermitted", handle, NULL);
}

static void a_failed_entry_names_the_refused_call(void) {
    bgtt_host *host = bgtt_new(PLUGIN);
    CHECK(bgtt_enter(host, enter_unpermitted) == BGT_NOT_PERMITTED);
    bgtt_free(host);
}

int main(void) {
    CHECK(lock() + append() + await() == 6);
    the_budget_ends_when_the_clock_is_moved();
    a_completion_after_the_grace_period_is_too_late();
    tasks_of_one_identifier_run_one_after_another();
    an_uncompleted_task_is_a_defect();
    a_callback_that_ends_its_thread_is_a_violation();
    a_pending_request_runs_with_its_payload();
    refusals_apply_in_turn();
    a_failed_entry_names_the_refused_call();
    events_without_receiver_end_as_in_a_host();
    a_plugin_registers_for_pushes_and_gets_the_token_of_the_test();
    calls_after_the_end_return_ended();
    calls_to_a_retired_host_return_ended();
    a_copy_of_the_table_ends_the_process();
    threads_may_call_at_the_same_time();
    puts("every check holds");
    return 0;
}
