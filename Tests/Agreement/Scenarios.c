/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* The scenarios that a runner and the fake host of libbgtask-testing must answer in the same way. The setting
 * `scenario` selects one. Every answer is a line of the file answers.txt in the container. Tasks take turns, so that
 * the order of the lines is certain. */

#include "Scenarios.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

const bgt_host *host;
int answers = -1;
char released_file[4200];
atomic_int turn;
atomic_bool watched_is_over;
bgt_task first_task, open_task;

/* The manifest has no mode remote-notification. */
static void try_pushes(void) {
    const bgt_pushes *pushes = (const bgt_pushes *)bgt_query(host, BGTASK_PUSH);
    bgt_refusal refusal = {.size = sizeof refusal}, small = {.size = 4};
    uint8_t token[BGTASK_PUSH_TOKEN_MAX];
    uint64_t needed = 99;
    say("pushes: size %u, reserved %u", pushes->size, pushes->reserved);
    const int32_t status = pushes->register_plugin(host, token, sizeof token, &needed, &refusal);
    refused("register_plugin", status, &refusal);
    say("needed %llu", (unsigned long long)needed);
    answers_to("register_plugin with a small refusal", pushes->register_plugin(host, NULL, 0, NULL, &small));
    refused("unregister_plugin", pushes->unregister_plugin(host, &refusal), &refusal);
}

static int32_t never_visit(void *context, const bgt_host *table, const bgt_transfer_info *transfer) {
    (void)context, (void)table, (void)transfer;
    return BGT_OK;
}

/* Calls about transfers that a host refuses by itself. */
static void try_transfers(void) {
    const bgt_transfers *transfers = (const bgt_transfers *)bgt_query(host, BGTASK_TRANSFER);
    bgt_refusal refusal = {.size = sizeof refusal}, small = {.size = 4};
    bgt_transfer download = bgt_download("photos", "https://example.com/1.jpg"), short_one = download;
    uint64_t number = 99;
    short_one.size = 8;
    say("transfers: size %u, reserved %u", transfers->size, transfers->reserved);
    refused("begin of NULL", transfers->begin(host, NULL, &number, &refusal), &refusal);
    say("number %llu", (unsigned long long)number);
    refused("begin of a short one", transfers->begin(host, &short_one, NULL, &refusal), &refusal);
    answers_to("begin with a small refusal", transfers->begin(host, &download, NULL, &small));
    refused("list without a visitor", transfers->list(host, NULL, NULL, NULL, &refusal), &refusal);
    refused("list of a malformed session", transfers->list(host, "Photos", never_visit, NULL, &refusal), &refusal);
    refused("take with an unknown flag", transfers->take(host, 1, "1.jpg", 2, &refusal), &refusal);
    refused("take to nowhere", transfers->take(host, 1, NULL, 0, &refusal), &refusal);
    refused("take out of the container", transfers->take(host, 1, "../1.jpg", 0, &refusal), &refusal);
}

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
    try_pushes();
    try_transfers();
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
    try_pushes();
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
