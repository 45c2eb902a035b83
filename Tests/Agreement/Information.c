/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Texts, names, the launch and the log. */

#include "Scenarios.h"

#include <stdlib.h>
#include <string.h>

void ask_for_texts(void) {
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

void ask_for_launch(void) {
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

void ask_for_names(void) {
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

void write_log(void) {
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
