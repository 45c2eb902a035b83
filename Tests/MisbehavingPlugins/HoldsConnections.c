/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Opens 300 connections to the control socket, whose path is the setting `control`, begins a call on each, and completes
 * its task. The connections stay open until the end of the launch. The number of connections goes to `held.txt`. */

#include <bgtask.h>

#include "Records.h"

#include <sys/socket.h>
#include <sys/un.h>

enum { MOST = 300 };

static char control[108];

static int is_held(void) {
    static const char call[] = "GET /v1/ho";
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", control);
    const int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(connection, (const struct sockaddr *)&address, sizeof address) != 0) return 0;
    /* The host may close a connection beyond its limits at once. */
    (void)send(connection, call, sizeof call - 1, MSG_NOSIGNAL);
    return 1;
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    int held = 0;
    for (int number = 0; number < MOST; number++) held += is_held();
    record(host, "held.txt", "%d\n", held);
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    bgt_setting(host, "control", control, sizeof control, NULL);
    return bgt_register(host, "com.example.holdsconnections.task", run, NULL);
}
