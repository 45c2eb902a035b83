/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Assertions that end, expire and are refused. */

#include "Scenarios.h"

#include <string.h>
#include <unistd.h>

void assertion_expires(void *context, const bgt_host *called, bgt_assertion assertion, uint32_t reason) {
    while (!atomic_load(&watched_is_over)) usleep(200);
    say("assertion %s expires: %s", (const char *)context, bgt_name(called, BGT_VOCABULARY_EXPIRED, reason));
    bgt_assertion next;
    answers_to("begin_assertion while expiring", bgt_begin_assertion(called, "late", NULL, NULL, NULL, &next));
    answers_to("end_assertion in its handler", bgt_end_assertion(called, assertion));
    bgt_log(called, BGT_LOG_INFO, "ready to stop");
}

void try_assertions(void) {
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
