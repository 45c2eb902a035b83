/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* transfer-try: runs descriptions of transfers without a host, for tests and measurements. Cursors are files beside the
 * descriptions; each end is a line of JSON. SIGTERM expires all transfers.
 *
 *     transfer-try --container DIRECTORY [option value]... DESCRIPTION...
 */

#define _GNU_SOURCE

#include "loop.h"
#include "try_host.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct settings {
    const char *container;
    int64_t at_once;
    struct transfer_limits limits;
};

static int read_option(struct settings *settings, const char *name, const char *value) {
    struct transfer_limits *limits = &settings->limits;
    if (strcmp(name, "--container") == 0) {
        settings->container = value;
    } else if (strcmp(name, "--authorities") == 0) {
        limits->authorities = value;
    } else if (strcmp(name, "--name") == 0) {
        limits->names = curl_slist_append(limits->names, value);
    } else if (strcmp(name, "--secret") == 0) {
        try_add_secret(value);
    } else if (strcmp(name, "--at-once") == 0) {
        settings->at_once = atoll(value);
    } else if (strcmp(name, "--low-speed") == 0) {
        limits->low_speed = atoll(value);
    } else if (strcmp(name, "--low-speed-seconds") == 0) {
        limits->low_speed_seconds = atoll(value);
    } else if (strcmp(name, "--progress") == 0) {
        try_show_progress();
    } else if (strcmp(name, "--answer-seconds") == 0) {
        limits->answer_seconds = atoll(value);
    } else if (strcmp(name, "--waiting-ms") == 0) {
        limits->waiting_ms = atoll(value);
    } else if (strcmp(name, "--checkpoint-bytes") == 0) {
        limits->checkpoint_bytes = atoll(value);
    } else {
        return -1;
    }
    return 0;
}

static int add(struct loop *loop, const struct settings *settings, int container, const char *path) {
    char text[SPEC_TEXT_MAX];
    char flaw[SPEC_FLAW_MAX] = {0};
    struct spec spec = {0};
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t length = file < 0 ? -1 : read(file, text, sizeof text);
    if (file >= 0) {
        close(file);
    }
    if (length < 0 || spec_read(&spec, text, (size_t)length, flaw) != 0
        || spec_fill_secrets(&spec, try_secret, NULL, flaw) != 0) {
        fprintf(stderr, "%s: %s (fault %u)\n", path, length < 0 ? "cannot be read" : flaw, spec.fault);
        spec_release(&spec);
        return -1;
    }
    struct transfer *transfer =
        transfer_create((bgt_task)(uintptr_t)path, &try_host, &settings->limits, container, &spec);
    if (transfer == NULL) {
        return -1;
    }
    loop_add(loop, transfer);
    return 0;
}

static int run(const struct settings *settings, char **paths, int count) {
    struct loop loop;
    const int container = open(settings->container, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (container < 0 || curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK
        || loop_open(&loop, settings->at_once) != 0) {
        fprintf(stderr, "%s: cannot be opened\n", settings->container);
        return 1;
    }
    int status = 0;
    for (int i = 0; i < count; i++) {
        status |= add(&loop, settings, container, paths[i]) != 0;
    }
    loop_stop(&loop);
    loop_run(&loop);
    loop_close(&loop);
    return status;
}

int main(int count, char **words) {
    struct settings settings = {.at_once = 16, .limits = transfer_default_limits()};
    int at = 1;
    for (; at + 1 < count && strncmp(words[at], "--", 2) == 0; at += 2) {
        if (read_option(&settings, words[at], words[at + 1]) != 0) {
            fprintf(stderr, "transfer-try: the option %s is unknown\n", words[at]);
            return 2;
        }
    }
    if (settings.container == NULL || at == count) {
        fprintf(stderr, "usage: transfer-try --container DIRECTORY [option value]... DESCRIPTION...\n");
        return 2;
    }
    try_begin();
    return run(&settings, words + at, count - at);
}
