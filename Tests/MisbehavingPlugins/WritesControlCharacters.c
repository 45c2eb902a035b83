/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Writes characters that control a terminal or hide text: to both output streams from its constructor, from entry, from
 * a handler and from a second thread; to the log from the last three. The handler also puts them into titles and the
 * name of an assertion, waits for a file named `release` in the container, and puts them into the message of its
 * failure. Each text begins with its place. */

#include <bgtask.h>

#include "Records.h"

#include <pthread.h>

/* ESC [2J, CSI of C1, OSC of C1, DEL, right-to-left override, zero-width space, byte order mark, a tag. */
#define HOSTILE "\x1b[2J\xc2\x9b" "31m\xc2\x9d" "0;x\x7f\xe2\x80\xae\xe2\x80\x8b\xef\xbb\xbf\xf3\xa0\x81\x81"

static void print(const char *place) {
    /* The byte alone is the CSI of a terminal without UTF-8. */
    printf("%s on stdout " HOSTILE "\x9b" "31m\n", place);
    fflush(stdout);
    fprintf(stderr, "%s on stderr " HOSTILE "\x9b" "31m\n", place);
}

static void write_all(const bgt_host *host, const char *place) {
    char line[256];
    print(place);
    snprintf(line, sizeof line, "%s in the log " HOSTILE, place);
    bgt_log(host, BGT_LOG_INFO, line);
}

__attribute__((constructor)) static void construct(void) {
    print("constructor");
}

static void *write_from_thread(void *host) {
    write_all(host, "thread");
    return NULL;
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    pthread_t thread;
    bgt_assertion assertion;
    write_all(host, "handler");
    if (pthread_create(&thread, NULL, write_from_thread, (void *)(uintptr_t)host) == 0) pthread_join(thread, NULL);
    bgt_begin_assertion(host, "assertion " HOSTILE, NULL, NULL, NULL, &assertion);
    bgt_set_title(host, task, "title " HOSTILE, "subtitle " HOSTILE);
    while (!is_released(host) && !bgt_is_expiring(host, task)) usleep(1000);
    bgt_end_assertion(host, assertion);
    bgt_complete_with_message(host, task, BGT_OUTCOME_FAILURE, "message " HOSTILE);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    write_all(host, "entry");
    return bgt_register(host, "com.example.writescontrolcharacters.task", run, NULL);
}
