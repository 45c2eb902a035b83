/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Uses sockets and devices, of its grants and others. The settings have the numbers of two TCP ports at which the test
 * listens (`port`, `other-port`), two free ports (`free-port`, `other-free-port`), the path of a Unix socket (`socket`)
 * and of the control socket (`control`). Writes a line `WORK ERRNO` for each to `sockets.txt` in the container; 0 is a
 * success. */

#define _GNU_SOURCE
#include <bgtask.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <termios.h>
#include <unistd.h>

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif

static char ports[4][16], unix_path[512], control_path[512];
static char report[4096];

static void note(const char *work, long status) {
    const int error = status < 0 ? errno : 0;
    const size_t length = strlen(report);
    snprintf(report + length, sizeof report - length, "%s %d\n", work, error);
}

static long closed(int file, long status) {
    const int error = errno;
    if (file >= 0) close(file);
    errno = error;
    return status;
}

static struct sockaddr_in local(const char *port) {
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port)), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static long connected(const char *port, int type, int protocol) {
    const struct sockaddr_in address = local(port);
    const int file = socket(AF_INET, type | SOCK_CLOEXEC, protocol);
    if (file < 0) return file;
    return closed(file, connect(file, (const struct sockaddr *)&address, sizeof address));
}

static long opened_fast(const char *port) {
    const struct sockaddr_in address = local(port);
    const int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (file < 0) return file;
    return closed(file, sendto(file, "x", 1, MSG_FASTOPEN | MSG_NOSIGNAL, (const struct sockaddr *)&address, sizeof address));
}

static long listening(const char *port) {
    const struct sockaddr_in address = local(port);
    const int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (file < 0) return file;
    if (bind(file, (const struct sockaddr *)&address, sizeof address) < 0) return closed(file, -1);
    return closed(file, listen(file, 1));
}

static int joined(const char *path, int isAbstract) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path + isAbstract, sizeof address.sun_path - 1, "%s", path);
    const socklen_t length =
        (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path) + 1);
    const int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (file < 0) return file;
    if (connect(file, (const struct sockaddr *)&address, length) < 0) return (int)closed(file, -1);
    return file;
}

/* Whether the host answers a call at the control socket with a list of plugins. */
static long called(void) {
    static const char call[] = "GET /v1/plugins HTTP/1.1\r\nHost: host\r\nConnection: close\r\n\r\n";
    char reply[64] = "";
    const int file = joined(control_path, 0);
    if (file < 0) return file;
    if (send(file, call, sizeof call - 1, MSG_NOSIGNAL) >= 0) recv(file, reply, sizeof reply - 1, MSG_WAITALL);
    close(file);
    errno = EPERM;
    return strstr(reply, " 200 ") != NULL ? 0 : -1;
}

/* A control of a device. A device without terminal properties gives ENOTTY when the call reaches it. */
static long controlled(const char *path) {
    struct termios properties;
    const int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) return file;
    return closed(file, ioctl(file, TCGETS, &properties));
}

static void work(void) {
    note("tcp", connected(ports[0], SOCK_STREAM, 0));
    note("tcp-other", connected(ports[1], SOCK_STREAM, IPPROTO_TCP));
    note("mptcp-other", connected(ports[1], SOCK_STREAM, IPPROTO_MPTCP));
    note("udp-other", connected(ports[1], SOCK_DGRAM, 0));
    note("fast-other", opened_fast(ports[1]));
    note("raw", closed(-1, socket(AF_INET, SOCK_RAW, 1)));
    note("listen", listening(ports[2]));
    note("listen-other", listening(ports[3]));
    const int file = joined(unix_path, 0);
    note("unix", closed(file, file));
    const int named = joined(unix_path, 1);
    note("unix-abstract", closed(named, named));
    note("control", called());
    note("device", controlled("/dev/null"));
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    char path[2048];
    int32_t outcome = BGT_OUTCOME_FAILURE;
    if (bgt_container_path(host, path, sizeof path - 32, NULL) == BGT_OK) {
        report[0] = '\0';
        work();
        FILE *file = fopen(strcat(path, "/sockets.txt"), "w");
        if (file != NULL && fputs(report, file) >= 0 && fclose(file) == 0) outcome = BGT_OUTCOME_SUCCESS;
    }
    bgt_complete(host, task, outcome);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    bgt_setting(host, "port", ports[0], sizeof ports[0], NULL);
    bgt_setting(host, "other-port", ports[1], sizeof ports[1], NULL);
    bgt_setting(host, "free-port", ports[2], sizeof ports[2], NULL);
    bgt_setting(host, "other-free-port", ports[3], sizeof ports[3], NULL);
    bgt_setting(host, "socket", unix_path, sizeof unix_path, NULL);
    bgt_setting(host, "control", control_path, sizeof control_path, NULL);
    BGTASK_TRY(bgt_register(host, "com.example.usessockets.task", run, NULL));
    return BGT_OK;
}
