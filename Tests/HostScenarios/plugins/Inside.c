/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Reports the state of its process: as a host has to start it, in a forked child, and as seen from the control socket.
 * One handler ends its thread, and another one changes the process. */

#define _GNU_SOURCE

#include <bgtask.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define PREFIX "com.example.inside."

static void report_state(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    char directory[256] = "", message[512], byte;
    sigset_t blocked, none;
    sigemptyset(&none);
    pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    const mode_t mask = umask(022);
    int ends[2] = {-1, -1};
    const char *closed = "not tried";
    if (pipe2(ends, O_CLOEXEC) == 0) {
        close(ends[0]);
        closed = write(ends[1], "x", 1) < 0 && errno == EPIPE ? "EPIPE" : "written";
        close(ends[1]);
    }
    snprintf(message, sizeof message, "directory %s, umask %03o, signals %s, stdin %zd, closed pipe %s",
             getcwd(directory, sizeof directory), mask, memcmp(&blocked, &none, 8) == 0 ? "not blocked" : "blocked",
             read(STDIN_FILENO, &byte, 1), closed);
    bgt_complete_with_message(host, task, BGT_OUTCOME_SUCCESS, message);
}

/* Calls of a forked child have no effect: its completion as failed does not count. */
static void fork_and_call(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    const pid_t child = fork();
    if (child == 0) {
        const bgt_request request = bgt_processing_request(PREFIX "state", 0);
        int failures = bgt_complete(host, task, BGT_OUTCOME_FAILURE) == BGT_ENDED ? 0 : 1;
        failures |= bgt_submit(host, &request, NULL) == BGT_ENDED ? 0 : 2;
        failures |= bgt_is_expiring(host, task) == 1 && bgt_remaining(host) == 0 ? 0 : 4;
        _exit(failures);
    }
    int status = -1;
    waitpid(child, &status, 0);
    char message[64];
    snprintf(message, sizeof message, "failures in a forked child: %d", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    bgt_complete_with_message(host, task, BGT_OUTCOME_SUCCESS, message);
}

static void end_thread(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
    pthread_exit(NULL);
}

/* The status with which the control socket, beside the directory of this library, answers; 0 when it cannot be used. */
static int control_status(void) {
    static const char call[] = "GET /v1/tasks HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    Dl_info library;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (dladdr((const void *)end_thread, &library) == 0) return 0;
    const char *end = strstr(library.dli_fname, "/plugins/");
    if (end == NULL) return 0;
    snprintf(address.sun_path, sizeof address.sun_path, "%.*s/control.sock", (int)(end - library.dli_fname),
             library.dli_fname);
    char answer[64] = "";
    const int channel = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (channel >= 0 && connect(channel, (struct sockaddr *)&address, sizeof address) == 0 &&
        write(channel, call, sizeof call - 1) > 0 && read(channel, answer, sizeof answer - 1) < 0) {
        answer[0] = 0;
    }
    close(channel);
    return strlen(answer) > 9 ? atoi(answer + 9) : 0;
}

static void call_control_socket(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    char message[64];
    snprintf(message, sizeof message, "the control socket answers %d", control_status());
    bgt_complete_with_message(host, task, BGT_OUTCOME_SUCCESS, message);
}

static void write_container(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    char path[4096] = "", small[2] = "x", message[128];
    uint64_t needed = 0;
    const int32_t truncated = bgt_container_path(host, small, sizeof small, &needed);
    const int32_t status = bgt_container_path(host, path, needed, NULL);
    const char *fits = needed == strlen(path) + 1 && path[0] == '/' && small[0] == 0 ? "fits" : "differs";
    strcat(path, "/shared.txt");
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0660);
    const int written = file >= 0 && write(file, "blue", 4) == 4;
    close(file);
    snprintf(message, sizeof message, "truncated %d, path %d %s, written %d", truncated, status, fits, written);
    bgt_complete_with_message(host, task, BGT_OUTCOME_SUCCESS, message);
}

/* Changes all state that a host watches until the end of the launch. */
static void change_process(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    signal(SIGTERM, SIG_IGN);
    umask(0);
    close(STDIN_FILENO);
    bgt_complete(host, task, chdir("/proc") == 0 ? BGT_OUTCOME_SUCCESS : BGT_OUTCOME_FAILURE);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    BGTASK_TRY(bgt_register(host, PREFIX "changes", change_process, NULL));
    BGTASK_TRY(bgt_register(host, PREFIX "state", report_state, NULL));
    BGTASK_TRY(bgt_register(host, PREFIX "forks", fork_and_call, NULL));
    BGTASK_TRY(bgt_register(host, PREFIX "connects", call_control_socket, NULL));
    BGTASK_TRY(bgt_register(host, PREFIX "writes", write_container, NULL));
    return bgt_register(host, PREFIX "ends-thread", end_thread, NULL);
}
