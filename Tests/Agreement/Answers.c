/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Writes the answers, one per line, and lets tasks take turns. */

#include "Scenarios.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void say(const char *format, ...) {
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(line, sizeof line - 1, format, arguments);
    va_end(arguments);
    if (size > (int)sizeof line - 2) size = (int)sizeof line - 2;
    line[size++] = '\n';
    if (write(answers, line, (size_t)size) != size) abort();
}

void answers_to(const char *call, int32_t status) { say("%s: %s", call, bgt_status_name(host, status)); }

/* The text is compared by its presence alone: the words of the runner may change. */
void refused(const char *call, int32_t status, const bgt_refusal *refusal) {
    say("%s: %s, reason %u, submission %llu, text %s", call, bgt_status_name(host, status), refusal->sub_reason,
        (unsigned long long)refusal->submission, refusal->text[0] == 0 ? "empty" : "given");
}

void released(void *context) {
    say("released %s", (const char *)context);
    if (strcmp(context, "watched task") == 0) atomic_fetch_add(&turn, 1);
}

void wait_for_turn(int number) {
    while (atomic_load(&turn) != number) usleep(200);
}

bool is_scenario(const char *name) {
    char value[32];
    return bgt_setting(host, "scenario", value, sizeof value, NULL) == BGT_OK && strcmp(value, name) == 0;
}
