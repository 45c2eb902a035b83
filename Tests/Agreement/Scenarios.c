/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* The scenarios that a runner and the fake host of libbgtask-testing must answer in the same way. The setting
 * `scenario` selects one. Every answer is a line of the file answers.txt in the container. Tasks take turns, so that
 * the order of the lines is certain. */

#include <bgtask.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PLUGIN "com.example.agreement"
#define TASK PLUGIN ".task"
#define OTHER PLUGIN ".other"
#define WATCHED PLUGIN ".watched"
#define LATE PLUGIN ".album.summer"
#define PATTERN PLUGIN ".album.*"
#define UNREGISTERED PLUGIN ".unregistered"
#define FOREIGN "com.example.foreign.task"

static const bgt_host *host;
static int answers = -1;
static char released_file[4200]; /* exists once the host has prepared the next refusal */
static atomic_int turn;
static atomic_bool watched_is_over;
static bgt_task first_task;

static void say(const char *format, ...) {
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(line, sizeof line - 1, format, arguments);
    va_end(arguments);
    if (size > (int)sizeof line - 2) size = (int)sizeof line - 2;
    line[size++] = '\n';
    if (write(answers, line, (size_t)size) != size) abort();
}

static void answers_to(const char *call, int32_t status) { say("%s: %s", call, bgt_status_name(host, status)); }

/* The text is compared by its presence alone: the words of the runner may change. */
static void refused(const char *call, int32_t status, const bgt_refusal *refusal) {
    say("%s: %s, reason %u, submission %llu, text %s", call, bgt_status_name(host, status), refusal->sub_reason,
        (unsigned long long)refusal->submission, refusal->text[0] == 0 ? "empty" : "given");
}

static void released(void *context) {
    say("released %s", (const char *)context);
    if (strcmp(context, "watched task") == 0) atomic_fetch_add(&turn, 1);
}

static void wait_for_turn(int number) {
    while (atomic_load(&turn) != number) usleep(200);
}

static bool is_scenario(const char *name) {
    char value[32];
    return bgt_setting(host, "scenario", value, sizeof value, NULL) == BGT_OK && strcmp(value, name) == 0;
}

/* ---- Requests ------------------------------------------------------------------------------------------------------ */

static void submit(const char *call, const bgt_request *request) {
    bgt_refusal refusal;
    memset(&refusal, 0xff, sizeof refusal);
    const int32_t status = bgt_submit(host, request, &refusal);
    refused(call, status, &refusal);
}

static int32_t visitor(void *context, const bgt_host *visited, const bgt_pending *request) {
    say("visits %s %s: number %llu, kind %u, flags %u, strategy %u, date %lld, payload %llu, title %s, subtitle %s,"
        " resources %llu, size %u",
        (const char *)context, request->identifier, (unsigned long long)request->submission, request->kind,
        request->flags, request->strategy, (long long)request->earliest_begin_ns,
        (unsigned long long)request->payload_length, request->title == NULL ? "NULL" : request->title,
        request->subtitle == NULL ? "NULL" : request->subtitle, (unsigned long long)request->resources, request->size);
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
    answers_to("in a visitor complete", bgt_complete(visited, first_task, BGT_OUTCOME_SUCCESS));
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

static void list(const char *context) {
    bgt_refusal refusal = {.size = sizeof refusal};
    refused("pending", host->pending(host, visitor, (void *)context, &refusal), &refusal);
}

static void submit_malformed(void) {
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

    const char *names[] = {NULL, "", "nodot", "com..empty", "com.example.", "com.exam ple", "com.ex\xff.a", long_name,
                           PATTERN, UNREGISTERED, FOREIGN, "com.\xc3\xa4.b"};
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

static void cancel_some(void) {
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
    list("all");
    list("ends");
    list("calls");
    refused("cancel_all", host->cancel_all(host, &refusal), &refusal);
    list("after cancel_all");
}

/* ---- Information --------------------------------------------------------------------------------------------------- */

static void ask_for_texts(void) {
    char buffer[64];
    uint64_t needed = 99;
    answers_to("container_path NULL", bgt_container_path(host, NULL, 0, NULL));
    answers_to("container_path NULL with capacity", bgt_container_path(host, NULL, 5, &needed));
    say("needed %llu", (unsigned long long)needed);
    memset(buffer, 'x', sizeof buffer);
    answers_to("container_path short", bgt_container_path(host, buffer, 3, &needed));
    say("needed %d, buffer %d %c", needed > 3, buffer[0], buffer[1]);
    answers_to("setting NULL", bgt_setting(host, NULL, buffer, sizeof buffer, NULL));
    answers_to("setting unknown", bgt_setting(host, "unknown", buffer, sizeof buffer, &needed));
    answers_to("setting \\xff", bgt_setting(host, "\xff", buffer, sizeof buffer, NULL));
    answers_to("setting", bgt_setting(host, "value", buffer, sizeof buffer, &needed));
    say("%s, needed %llu", buffer, (unsigned long long)needed);
    answers_to("setting short", bgt_setting(host, "value", buffer, 5, &needed));
    say("\"%s\", needed %llu", buffer, (unsigned long long)needed);
    answers_to("setting empty", bgt_setting(host, "empty", buffer, 1, &needed));
    say("\"%s\", needed %llu", buffer, (unsigned long long)needed);
    answers_to("setting without buffer", bgt_setting(host, "value", NULL, 0, NULL));
}

static void ask_for_launch(void) {
    bgt_launch_info info, small = {.size = 8};
    char longer[256];
    memset(longer, 0x55, sizeof longer);
    ((bgt_launch_info *)(void *)longer)->size = sizeof longer;
    answers_to("launch_info NULL", host->launch_info(host, NULL));
    answers_to("launch_info size 8", host->launch_info(host, &small));
    answers_to("launch_info longer", host->launch_info(host, (bgt_launch_info *)(void *)longer));
    say("tail %d", longer[200]);
    memset(&info, 0xff, sizeof info);
    answers_to("launch_info", bgt_get_launch_info(host, &info));
    say("size %u, lane %u, cause %u, role %u, grace %llu, plugin %s, resources %llu, host %d %d", info.size, info.lane,
        info.cause, info.role, (unsigned long long)info.grace_ns, info.plugin,
        (unsigned long long)info.supported_resources, info.host_name != NULL, info.host_version != NULL);
    for (uint64_t index = 0; index < info.identifier_count; index++) say("batch %s", info.identifiers[index]);
    say("remaining %d, deadline %d", bgt_remaining(host) > 0, info.deadline_ns > 0);
}

static void ask_for_names(void) {
    for (uint32_t vocabulary = 0; vocabulary < 18; vocabulary++) {
        for (int64_t number = -2; number < 130; number++) {
            const char *name = bgt_name(host, vocabulary, number);
            if (strcmp(name, "unknown") != 0) say("name %u %lld %s", vocabulary, (long long)number, name);
        }
        say("name %u %s %s", vocabulary, bgt_name(host, vocabulary, 0x300), bgt_name(host, vocabulary, INT64_MIN));
    }
    say("query %d %d %d", bgt_query(host, NULL) != NULL, bgt_query(host, "bgtask.legacy-fetch/2") != NULL,
        bgt_query(host, BGTASK_LEGACY_FETCH) != NULL);
}

static void write_log(void) {
    char *line = malloc(6000);
    memset(line, 'l', 5999);
    line[5999] = 0;
    bgt_log(host, BGT_LOG_INFO, NULL);
    bgt_log(host, 0, "level 0");
    bgt_log(host, 9, "level 9");
    bgt_log_task(host, 12345, BGT_LOG_DEBUG, "unknown task");
    bgt_log(host, BGT_LOG_WARNING, "invalid \xff \xc3 \xe2\x82 \xed\xa0\x80 \xf0\x9f\x8e end");
    bgt_log(host, BGT_LOG_INFO, line);
    memcpy(line + 4094, "\xf0\x9f\x8e\xa8", 4);
    bgt_log(host, BGT_LOG_INFO, line);
    free(line);
}

/* ---- Registrations ------------------------------------------------------------------------------------------------- */

static void handle(void *context, const bgt_host *called, bgt_task task);

static void try_register(const char *name, bgt_handler handler, const char *context) {
    bgt_refusal refusal;
    memset(&refusal, 0xff, sizeof refusal);
    const int32_t status = bgt_register_or_explain(host, name, handler, (void *)context, released, &refusal);
    refused(context, status, &refusal);
}

static void register_some(void) {
    char name[300];
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = 0;
    try_register(TASK, NULL, "register without handler");
    try_register(NULL, handle, "register without name");
    try_register("nodot", handle, "register nodot");
    try_register(".*", handle, "register .*");
    try_register("com.example.*.b", handle, "register a star inside");
    try_register("com.ex\xff", handle, "register no UTF-8");
    try_register(name, handle, "register a long name");
    try_register(FOREIGN, handle, "register a foreign name");
    try_register("com.example.foreign.*", handle, "register a foreign pattern");
    try_register(LATE, handle, "register a composed name");
    try_register(PATTERN, handle, "register a pattern");
    try_register(TASK, handle, "task");
    try_register(OTHER, handle, "other");
    try_register(WATCHED, handle, "watched");
    try_register(TASK, handle, "register twice");
    bgt_refusal small = {.size = 4};
    answers_to("register with a small refusal",
               host->register_handler(host, OTHER, handle, "small refusal", released, &small));
}

/* ---- Assertions ---------------------------------------------------------------------------------------------------- */

static void assertion_expires(void *context, const bgt_host *called, bgt_assertion assertion, uint32_t reason) {
    while (!atomic_load(&watched_is_over)) usleep(200);
    say("assertion %s expires: %s", (const char *)context, bgt_name(called, BGT_VOCABULARY_EXPIRED, reason));
    bgt_assertion next;
    answers_to("begin_assertion while expiring", bgt_begin_assertion(called, "late", NULL, NULL, NULL, &next));
    answers_to("end_assertion in its handler", bgt_end_assertion(called, assertion));
    bgt_log(called, BGT_LOG_INFO, "ready to stop");
}

static void try_assertions(void) {
    char name[300];
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = 0;
    bgt_assertion number = 5, numbers[BGTASK_ASSERTIONS_MAX];
    bgt_refusal refusal = {.size = sizeof refusal};
    refused("begin_assertion without out",
            host->begin_assertion(host, "a", assertion_expires, "no out", released, NULL, &refusal), &refusal);
    refused("begin_assertion without name",
            host->begin_assertion(host, NULL, assertion_expires, "no name", released, &number, &refusal), &refusal);
    say("number %llu", (unsigned long long)number);
    refused("begin_assertion with a long name",
            host->begin_assertion(host, name, assertion_expires, "long name", released, &number, &refusal), &refusal);
    refused("begin_assertion", host->begin_assertion(host, "", NULL, "no handler", released, &number, &refusal),
            &refusal);
    answers_to("end_assertion", bgt_end_assertion(host, number));
    answers_to("end_assertion again", bgt_end_assertion(host, number));
    answers_to("end_assertion of another process", bgt_end_assertion(host, 0xffffffffffull));
    for (size_t index = 0; index < BGTASK_ASSERTIONS_MAX; index++) {
        (void)bgt_begin_assertion(host, "many", NULL, NULL, NULL, &numbers[index]);
    }
    refused("begin_assertion, one too many",
            host->begin_assertion(host, "a", assertion_expires, "too many", released, &number, &refusal), &refusal);
    for (size_t index = 0; index < BGTASK_ASSERTIONS_MAX; index++) (void)bgt_end_assertion(host, numbers[index]);
    answers_to("begin_assertion with handler",
               bgt_begin_assertion(host, "a", assertion_expires, "ended assertion", released, &number));
    answers_to("end_assertion with handler", bgt_end_assertion(host, number));
}

/* ---- Tasks --------------------------------------------------------------------------------------------------------- */

static void describe(bgt_task task) {
    bgt_task_info info;
    memset(&info, 0xff, sizeof info);
    const int32_t status = bgt_get_task_info(host, task, &info);
    answers_to("task_info", status);
    if (status != BGT_OK) return;
    say("kind %u, event %u, attempt %u, identifier %s, payload %.*s, flags %u, reason %u, title %s, subtitle %s",
        info.kind, info.event, info.attempt, info.identifier, (int)info.payload_length,
        info.payload == NULL ? "" : (const char *)info.payload, info.flags, info.expiration_reason,
        info.title == NULL ? "NULL" : info.title, info.subtitle == NULL ? "NULL" : info.subtitle);
}

static void never_called(void *context, const bgt_host *called, bgt_task task, uint32_t reason) {
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
        _exit(failed);
    }
    int status = -1;
    waitpid(child, &status, 0);
    say("in a forked process: %d", status);
}

/* The first task: everything that is legal about a task that is not continued. */
static void handle_first(bgt_task task) {
    first_task = task;
    bgt_task_info small = {.size = 8};
    describe(task);
    answers_to("task_info NULL", host->task_info(host, task, NULL));
    answers_to("task_info size 8", host->task_info(host, task, &small));
    answers_to("task_info of task 0", host->task_info(host, 0, &small));
    ask_for_launch();
    ask_for_texts();
    try_register(OTHER, handle, "register after entry");
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
    call_in_fork(task);
    answers_to("complete task 0", bgt_complete(host, 0, BGT_OUTCOME_SUCCESS));
    answers_to("complete", bgt_complete_with_message(host, task, BGT_OUTCOME_NO_DATA, "nothing \xff new"));
    answers_to("complete again", bgt_complete(host, task, BGT_OUTCOME_FAILURE));
    answers_to("complete again with -1", bgt_complete(host, task, -1));
    describe(task);
    answers_to("set_expiration_handler of a completed task",
               bgt_set_expiration_handler_with_release(host, task, never_called, "late handler", released));
    answers_to("set_progress of a completed task", bgt_set_progress(host, task, 1, 2));
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

static void handle(void *context, const bgt_host *called, bgt_task task) {
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

static void receive(void *context, const bgt_host *called, bgt_task event) {
    (void)called;
    if (is_scenario("main")) wait_for_turn(3);
    say("receive %s", (const char *)context);
    describe(event);
    answers_to("complete", bgt_complete(host, event, BGT_OUTCOME_SUCCESS));
    if (is_scenario("main")) atomic_store(&turn, 4);
}

static void stop(void *context, const bgt_host *called) {
    (void)context, (void)called;
    bgt_assertion number;
    bgt_request request = bgt_refresh_request(is_scenario("main") ? TASK : FOREIGN);
    say("stop");
    submit("submit in stop", &request);
    describe(first_task);
    try_register(OTHER, handle, "register in stop");
    answers_to("begin_assertion in stop", bgt_begin_assertion(host, "a", NULL, NULL, NULL, &number));
    say("is_expiring in stop: %d", bgt_is_expiring(host, first_task));
}

/* ---- Entry --------------------------------------------------------------------------------------------------------- */

static void enter_main(void) {
    bgt_refusal refusal = {.size = sizeof refusal};
    const bgt_legacy_fetch *fetch = (const bgt_legacy_fetch *)bgt_query(host, BGTASK_LEGACY_FETCH);
    bgt_request request = bgt_refresh_request(TASK);
    ask_for_launch();
    ask_for_names();
    write_log();
    submit("submit before the registration", &request);
    register_some();
    submit("submit in entry", &request);
    list("in entry");
    try_assertions();
    refused("set_minimum_interval", fetch->set_minimum_interval(host, 60, &refusal), &refusal);
    describe(1);
    answers_to("complete in entry", bgt_complete(host, 1, BGT_OUTCOME_SUCCESS));
    answers_to("set_expiration_handler in entry",
               bgt_set_expiration_handler_with_release(host, 1, never_called, "in entry", released));
    say("is_expiring in entry: %d", bgt_is_expiring(host, 1));
}

static void enter_extension(void) {
    bgt_refusal refusal = {.size = sizeof refusal};
    const bgt_legacy_fetch *fetch = (const bgt_legacy_fetch *)bgt_query(host, BGTASK_LEGACY_FETCH);
    bgt_request request = bgt_refresh_request(TASK);
    ask_for_launch();
    try_register(TASK, handle, "register by an extension");
    try_register("nodot", handle, "register nodot by an extension");
    submit("submit by an extension", &request);
    refused("set_minimum_interval", fetch->set_minimum_interval(host, 60, &refusal), &refusal);
}

static void enter_fetch(void) {
    bgt_refusal refusal = {.size = sizeof refusal}, small = {.size = 4};
    const bgt_legacy_fetch *fetch = (const bgt_legacy_fetch *)bgt_query(host, BGTASK_LEGACY_FETCH);
    say("size %u, reserved %u", fetch->size, fetch->reserved);
    refused("set_minimum_interval", fetch->set_minimum_interval(host, 60, &refusal), &refusal);
    answers_to("set_minimum_interval with a small refusal", fetch->set_minimum_interval(host, 90, &small));
    try_register(TASK, handle, "register without permitted identifiers");
}

BGTASK_PLUGIN_ENTRY(table, plugin) {
    char path[4096];
    host = table;
    if (bgt_container_path(host, path, sizeof path - 16, NULL) != BGT_OK) return -1;
    snprintf(released_file, sizeof released_file, "%s/release", path);
    strcat(path, "/answers.txt");
    answers = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (answers < 0) return -2;
    plugin->receive = receive;
    plugin->stop = stop;
    plugin->context = "context";
    if (is_scenario("main")) enter_main();
    if (is_scenario("extension")) enter_extension();
    if (is_scenario("fetch")) enter_fetch();
    if (is_scenario("fails")) {
        bgt_assertion number;
        try_register(TASK, handle, "task");
        try_register(OTHER, handle, "other");
        answers_to("begin_assertion", bgt_begin_assertion(host, "a", assertion_expires, "open", released, &number));
        return -5;
    }
    if (is_scenario("reserved")) {
        try_register(TASK, handle, "task");
        plugin->reserved = 7;
    }
    if (is_scenario("behind")) {
        try_register(TASK, handle, "task");
        plugin->reserved = 7;
        memset((char *)plugin + plugin->size + 100, 1, 8);
    }
    return BGT_OK;
}
