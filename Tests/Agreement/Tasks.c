/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Tasks and events: one handler for all of them, which runs one part at a time. */

#include "Scenarios.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void describe(bgt_task task) {
    bgt_task_info info;
    memset(&info, 0xff, sizeof info);
    const int32_t status = bgt_get_task_info(host, task, &info);
    answers_to("task_info", status);
    if (status != BGT_OK) return;
    say("kind %u, event %u, attempt %u, identifier %s, payload %.*s, flags %u, reason %u, title %s, subtitle %s,"
        " item %lld, fence %lld",
        info.kind, info.event, info.attempt, info.identifier, (int)info.payload_length,
        info.payload == NULL ? "" : (const char *)info.payload, info.flags, info.expiration_reason,
        info.title == NULL ? "NULL" : info.title, info.subtitle == NULL ? "NULL" : info.subtitle,
        (long long)info.fleet_item, (long long)info.fence);
}

void never_called(void *context, const bgt_host *called, bgt_task task, uint32_t reason) {
    (void)called, (void)task, (void)reason;
    say("%s is called", (const char *)context);
}

static void call_in_fork(bgt_task task) {
    const pid_t child = fork();
    if (child == 0) {
        bgt_request request = bgt_refresh_request(TASK);
        bgt_refusal refusal = {.size = sizeof refusal, .sub_reason = 77}, small = {.size = 4};
        int failed = 0;
        if (host->submit(host, &request, &refusal) != BGT_ENDED || refusal.sub_reason != 77) failed |= 1;
        if (host->submit(host, &request, &small) != BGT_ENDED) failed |= 2;
        if (host->cancel_all(host, &small) != BGT_ENDED) failed |= 4;
        if (host->register_handler(host, TASK, handle, "forked", released, &small) != BGT_ENDED) failed |= 8;
        if (bgt_is_expiring(host, task) != 1 || bgt_remaining(host) != 0) failed |= 16;
        if (bgt_complete(host, task, BGT_OUTCOME_SUCCESS) != BGT_ENDED) failed |= 32;
        if (bgt_checkpoint(host, task, "row 4", 5, 0) != BGT_ENDED) failed |= 64;
        _exit(failed);
    }
    int status = -1;
    waitpid(child, &status, 0);
    say("in a forked process: %d", status);
}

/* The first task: everything that is legal about a task that is not continued. */
static void handle_first(bgt_task task) {
    first_task = task;
    bgt_task_info small = {.size = 8}, early = {.size = offsetof(bgt_task_info, fleet_item), .fence = 77};
    describe(task);
    answers_to("task_info NULL", host->task_info(host, task, NULL));
    answers_to("task_info size 8", host->task_info(host, task, &small));
    answers_to("task_info that ends before the fence", host->task_info(host, task, &early));
    say("its fence is still %lld", (long long)early.fence);
    answers_to("task_info of task 0", host->task_info(host, 0, &small));
    ask_for_launch();
    ask_for_texts();
    try_register(OTHER, handle, "register after entry");
    try_register(UNREGISTERED, handle, "register a listed name after entry");
    try_register(LATE, handle, "register a composed name again");
    try_register(PLUGIN ".album.winter", handle, "winter");
    try_register(PATTERN, handle, "register a pattern again");
    try_register(FOREIGN, handle, "register a foreign name after entry");
    submit_malformed();
    cancel_some();
    try_assertions();
    answers_to("set_progress", bgt_set_progress(host, task, 1, 2));
    answers_to("set_title", bgt_set_title(host, task, "title", NULL));
    answers_to("set_progress of task 0", bgt_set_progress(host, 0, 5, 2));
    answers_to("set_expiration_handler of task 0",
               bgt_set_expiration_handler_with_release(host, 0, never_called, "handler of no task", released));
    answers_to("set_expiration_handler",
               bgt_set_expiration_handler_with_release(host, task, never_called, "first handler", released));
    answers_to("set_expiration_handler again",
               bgt_set_expiration_handler_with_release(host, task, never_called, "second handler", released));
    answers_to("set_expiration_handler NULL",
               bgt_set_expiration_handler_with_release(host, task, NULL, "no handler", released));
    answers_to("set_expiration_handler at last",
               bgt_set_expiration_handler_with_release(host, task, never_called, "last handler", released));
    try_cursors(task);
    call_in_fork(task);
    answers_to("complete task 0", bgt_complete(host, 0, BGT_OUTCOME_SUCCESS));
    answers_to("complete", bgt_complete_with_message(host, task, BGT_OUTCOME_NO_DATA, "nothing \xff new"));
    answers_to("complete again", bgt_complete(host, task, BGT_OUTCOME_FAILURE));
    answers_to("complete again with -1", bgt_complete(host, task, -1));
    describe(task);
    answers_to("set_expiration_handler of a completed task",
               bgt_set_expiration_handler_with_release(host, task, never_called, "late handler", released));
    answers_to("set_progress of a completed task", bgt_set_progress(host, task, 1, 2));
    try_cursors_in_vain(task);
    say("is_expiring of a completed task: %d", bgt_is_expiring(host, task));
}

/* The second task: continued, completed with a number that is no outcome. */
static void handle_second(bgt_task task) {
    char title[300];
    memset(title, 't', sizeof title - 1);
    title[sizeof title - 1] = 0;
    describe(task);
    answers_to("set_progress 0 of 0", bgt_set_progress(host, task, 0, 0));
    answers_to("set_progress -1 of 5", bgt_set_progress(host, task, -1, 5));
    answers_to("set_progress 6 of 5", bgt_set_progress(host, task, 6, 5));
    answers_to("set_progress 5 of 5", bgt_set_progress(host, task, 5, 5));
    answers_to("set_title NULL", bgt_set_title(host, task, NULL, NULL));
    answers_to("set_title empty", bgt_set_title(host, task, "", NULL));
    answers_to("set_title long", bgt_set_title(host, task, title, NULL));
    answers_to("set_title no UTF-8", bgt_set_title(host, task, "\xc0\x80", NULL));
    answers_to("set_title with a long subtitle", bgt_set_title(host, task, "title", title));
    answers_to("set_title", bgt_set_title(host, task, "title", ""));
    describe(task);
    answers_to("complete with 0", bgt_complete(host, task, 0));
}

static void expire(void *context, const bgt_host *called, bgt_task task, uint32_t reason) {
    say("%s expires: %s, is_expiring %d", (const char *)context, bgt_name(called, BGT_VOCABULARY_EXPIRED, reason),
        bgt_is_expiring(called, task));
    describe(task);
    bgt_request request = bgt_refresh_request(TASK);
    submit("submit in an expiration handler", &request);
    answers_to("set_expiration_handler in the handler",
               bgt_set_expiration_handler_with_release(called, task, never_called, "too late", released));
    answers_to("complete in the handler", bgt_complete(called, task, BGT_OUTCOME_FAILURE));
}

/* The last task: it expires, with an assertion. Its handler goes on until then, and completes it, too. */
static void handle_watched(bgt_task task) {
    bgt_assertion assertion;
    answers_to("begin_assertion that expires",
               bgt_begin_assertion(host, "open", assertion_expires, "open", released, &assertion));
    answers_to("set_expiration_handler",
               bgt_set_expiration_handler_with_release(host, task, expire, "watched task", released));
    bgt_log_task(host, task, BGT_LOG_INFO, "ready to expire");
    wait_for_turn(5);
    answers_to("complete after the expiration", bgt_complete(host, task, BGT_OUTCOME_SUCCESS));
    bgt_log(host, BGT_LOG_INFO, "ready to expire assertions");
    atomic_store(&watched_is_over, true);
}

void handle(void *context, const bgt_host *called, bgt_task task) {
    (void)called;
    bgt_task_info info;
    (void)bgt_get_task_info(host, task, &info);
    if (strcmp(info.identifier, TASK) == 0) {
        wait_for_turn(0);
        say("handler %s", (const char *)context);
        handle_first(task);
        atomic_store(&turn, 1);
    } else if (info.kind == BGT_KIND_CONTINUED) {
        wait_for_turn(1);
        say("handler %s", (const char *)context);
        handle_second(task);
        atomic_store(&turn, 2);
    } else if (strcmp(info.identifier, OTHER) == 0) {
        wait_for_turn(2);
        while (access(released_file, F_OK) != 0) usleep(200);
        say("handler %s", (const char *)context);
        bgt_request request = bgt_refresh_request(TASK);
        submit("submit, refused by the host", &request);
        submit("submit, accepted by the host", &request);
        answers_to("complete with 7", bgt_complete(host, task, 7));
        atomic_store(&turn, 3);
    } else {
        wait_for_turn(4);
        say("handler %s", (const char *)context);
        handle_watched(task);
    }
}

void receive(void *context, const bgt_host *called, bgt_task event) {
    (void)called;
    if (is_scenario("main")) wait_for_turn(3);
    say("receive %s", (const char *)context);
    describe(event);
    try_cursors_in_vain(event);
    if (is_scenario("main")) {
        open_task = event;
        list("completes");
        say("is_expiring after the visit: %d", bgt_is_expiring(host, event));
    }
    answers_to("complete", bgt_complete(host, event, BGT_OUTCOME_SUCCESS));
    if (is_scenario("main")) atomic_store(&turn, 4);
}

void stop(void *context, const bgt_host *called) {
    (void)context, (void)called;
    bgt_assertion number;
    bgt_request request = bgt_refresh_request(is_scenario("main") ? TASK : FOREIGN);
    say("stop");
    submit("submit in stop", &request);
    describe(first_task);
    try_cursors_in_vain(first_task);
    try_register(OTHER, handle, "register in stop");
    answers_to("begin_assertion in stop", bgt_begin_assertion(host, "a", NULL, NULL, NULL, &number));
    say("is_expiring in stop: %d", bgt_is_expiring(host, first_task));
}
