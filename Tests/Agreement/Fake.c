/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Plays one scenario against the fake host: Fake SCENARIO CONTAINER. Writes the status of entry, the rules of the
 * violations, the completions and the lines of the log to the file records.txt of the container, in the form of
 * AgreementTests.swift. */

#include <bgtask-testing.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLUGIN "com.example.agreement"

static void require(bool holds, const char *what) {
    if (holds) return;
    printf("the fake host: %s\n", what);
    exit(1);
}

static bgt_task deliver(bgtt_host *host, bgtt_delivery delivery) {
    const bgt_task task = bgtt_deliver(host, &delivery);
    require(task != 0, "a task was not delivered");
    return task;
}

int main(int count, char **arguments) {
    require(count == 3, "usage: Fake SCENARIO CONTAINER");
    const char *scenario = arguments[1];
    char records[4200];
    snprintf(records, sizeof records, "%s/records.txt", arguments[2]);
    /* The library writes every violation to standard error. */
    require(freopen(records, "w", stdout) != NULL && freopen("/dev/null", "w", stderr) != NULL, "cannot write");
    const bool is_main = strcmp(scenario, "main") == 0;
    bgtt_host *host = bgtt_new(PLUGIN);
    bgtt_set_container(host, arguments[2]);
    bgtt_set_setting(host, "scenario", scenario);
    bgtt_set_setting(host, "value", "a value");
    bgtt_set_setting(host, "empty", "");
    bgtt_set_lane(host, BGT_LANE_BACKGROUND, BGT_CAUSE_USER);
    bgtt_set_budget(host, 600000000000u, 60000000000u);
    bgtt_set_supported_resources(host, BGT_RESOURCE_GPU);
    bgtt_set_timeout(host, 60000);
    bgtt_set_push_mode(host, false);
    if (strcmp(scenario, "extension") == 0) bgtt_set_role(host, BGT_ROLE_EXTENSION);
    if (strcmp(scenario, "fetch") != 0) {
        const char *names[] = {"task", "other", "watched", "unregistered", "album.*"};
        for (size_t index = 0; index < sizeof names / sizeof names[0]; index++) {
            char name[64];
            snprintf(name, sizeof name, PLUGIN ".%s", names[index]);
            bgtt_permit(host, name);
        }
    }
    bgt_task tasks[5];
    size_t tasks_count = 0;
    if (is_main) {
        tasks[tasks_count++] = deliver(host, (bgtt_delivery){.identifier = PLUGIN ".task",
                                                              .kind = BGT_KIND_HEALTH_RESEARCH,
                                                              .flags = BGT_NEEDS_EXTERNAL_POWER,
                                                              .payload = "payload",
                                                              .payload_length = 7});
        tasks[tasks_count++] = deliver(host, (bgtt_delivery){.identifier = PLUGIN ".album.autumn",
                                                              .kind = BGT_KIND_CONTINUED,
                                                              .title = "album",
                                                              .subtitle = "autumn"});
        tasks[tasks_count++] =
            deliver(host, (bgtt_delivery){.identifier = PLUGIN ".other", .kind = BGT_KIND_REFRESH});
        tasks[tasks_count++] =
            deliver(host, (bgtt_delivery){.identifier = PLUGIN ".watched",
                                          .kind = BGT_KIND_PROCESSING,
                                          .fleet_item = 71,
                                          .fence = INT64_MAX});
    }
    tasks[tasks_count++] = deliver(host, (bgtt_delivery){.event = BGT_EVENT_FETCH});

    const int32_t status = bgtt_enter(host, bgtask_plugin_entry);
    printf("entry %d\n", status);
    if (status == BGT_OK && is_main) {
        (void)bgtt_wait(host, tasks[1]);
        char path[4200];
        snprintf(path, sizeof path, "%s/release", arguments[2]);
        bgtt_refuse_next(host, BGT_UNAVAILABLE, BGT_REASON_NOT_RECORDED, "the disk is full");
        FILE *release = fopen(path, "w");
        require(release != NULL && fclose(release) == 0, "cannot write the file `release`");
        require(bgtt_wait_for_line(host, "ready to expire"), "the last task does not begin");
        require(bgtt_expire(host, 0, BGT_EXPIRED_NETWORK_LOST) == 1, "not one task expires");
    }
    if (status == BGT_OK) (void)bgtt_end(host);

    for (size_t index = 0; index < tasks_count; index++) {
        const char *message = bgtt_message(host, tasks[index]);
        printf("outcome %d %s\n", bgtt_outcome(host, tasks[index]), message == NULL ? "-" : message);
    }
    for (size_t index = 0; index < bgtt_violation_count(host); index++) {
        const char *text = bgtt_violation(host, index);
        printf("violation %.*s\n", strncmp(text, "BGT-ABI", 7) == 0 ? 10 : 0, text);
    }
    for (size_t index = 0; index < bgtt_line_count(host); index++) {
        const bgtt_line *line = bgtt_line_at(host, index);
        printf("log %u %s %s\n", line->level, line->task == 0 ? "launch" : "task", line->text);
    }
    if (strcmp(scenario, "fetch") == 0) printf("interval %llu\n", (unsigned long long)bgtt_fetch_interval(host));
    bgtt_free(host);
    return 0;
}
