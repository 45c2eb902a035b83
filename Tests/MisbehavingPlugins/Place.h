/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Calls `harm` in one place of a launch. The file `place` in the container names it: `constructor`, `entry`, `handler`
 * or `thread`, a second thread for which the handler waits. The default is the handler. */

#include <bgtask.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The damage of the plugin, which defines this function. */
static void harm(const char *container);

static char place[16] = "handler";

/* A constructor has no host that returns the container. The sandbox sets TMPDIR to a directory in the container. */
__attribute__((constructor)) static void harm_in_constructor(void) {
    char container[4096], name[4096 + 8];
    const char *const temporary = getenv("TMPDIR");
    if (temporary == NULL || strlen(temporary) > sizeof container - 8) return;
    snprintf(container, sizeof container, "%s/..", temporary);
    snprintf(name, sizeof name, "%s/place", container);
    FILE *const file = fopen(name, "re");
    if (file == NULL) return;
    if (fscanf(file, "%15s", place) != 1) strcpy(place, "handler");
    fclose(file);
    if (strcmp(place, "constructor") == 0) harm(container);
}

static void harm_in(const char *name, const bgt_host *host) {
    char container[4096];
    if (strcmp(place, name) != 0) return;
    if (bgt_container_path(host, container, sizeof container, NULL) == BGT_OK) harm(container);
}

static inline void harm_in_entry(const bgt_host *host) { harm_in("entry", host); }

static void *harm_in_thread(void *host) {
    harm_in("thread", host);
    return NULL;
}

static inline void harm_in_handler(const bgt_host *host) {
    pthread_t thread;
    harm_in("handler", host);
    if (strcmp(place, "thread") != 0) return;
    if (pthread_create(&thread, NULL, harm_in_thread, (void *)(uintptr_t)host) == 0) pthread_join(thread, NULL);
}
