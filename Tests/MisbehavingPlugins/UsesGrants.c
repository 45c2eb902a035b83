/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Does the work for which plugins need the sandbox to be open: files in the container, temporary files, threads, time
 * zones and names, an executable mapping, and the place in the setting `place`. Writes a line `WORK ERRNO` for each to
 * `works.txt` in the container; 0 is a success. */

#define _GNU_SOURCE
#include <bgtask.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static char place[2048];
static char report[8192];

static void note(const char *work, long status) {
    const int error = status < 0 ? errno : 0;
    const size_t length = strlen(report);
    snprintf(report + length, sizeof report - length, "%s %d\n", work, error);
}

static const char *in(const char *directory, const char *name) {
    static char path[2][4096];
    static int turn;
    turn = !turn;
    snprintf(path[turn], sizeof path[turn], "%s/%s", directory, name);
    return path[turn];
}

static long opened(const char *path, int flags) {
    const int file = open(path, flags | O_CLOEXEC, 0600);
    const int error = errno;
    if (file >= 0) close(file);
    errno = error;
    return file;
}

static void *idle(void *context) { return context; }

static void work_in(const char *container) {
    note("create", opened(in(container, "one"), O_RDWR | O_CREAT));
    mkdir(in(container, "inner"), 0700);
    note("rename", rename(in(container, "one"), in(container, "inner/two")));
    note("truncate", truncate(in(container, "inner/two"), 10));
    note("symlink", symlink("inner/two", in(container, "three")));
    note("remove", unlink(in(container, "three")));
    const int file = open(in(container, "inner/two"), O_RDWR | O_CLOEXEC);
    note("mode", fchmod(file, 0640));
    note("times", futimens(file, NULL));
    close(file);
    FILE *temporary = NULL;
    char name[4096];
    snprintf(name, sizeof name, "%s/x-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    const int made = mkstemp(name);
    note("temporary", made);
    if (made >= 0) temporary = fdopen(made, "w");
    if (temporary != NULL) fclose(temporary);
    unlink(name);
}

static void work(void) {
    pthread_t thread;
    const int started = pthread_create(&thread, NULL, idle, NULL);
    if (started == 0) pthread_join(thread, NULL);
    errno = started;
    note("thread", started == 0 ? 0 : -1);
    int pair[2];
    note("pair", socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair));
    void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    note("code", code == MAP_FAILED ? -1 : 0);
    /* A user of its own has no entry there. */
    note("user", getpwuid(0) == NULL ? -1 : 0);
    note("zone", opened("/usr/share/zoneinfo/Europe/Berlin", O_RDONLY));
    note("status", opened("/proc/self/status", O_RDONLY));
    note("output", opened("/dev/stdout", O_WRONLY));
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    note("descriptors", setrlimit(RLIMIT_NOFILE, &limit));
    note("place-read", opened(place, O_RDONLY));
    note("place-write", opened(in(place, "new"), O_RDWR | O_CREAT));
    note("network", socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int status = system("exit 7");
    note("program", status == 7 << 8 ? 0 : -1);
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    char path[2048];
    int32_t outcome = BGT_OUTCOME_FAILURE;
    if (bgt_container_path(host, path, sizeof path - 32, NULL) == BGT_OK) {
        report[0] = '\0';
        work_in(path);
        work();
        FILE *file = fopen(strcat(path, "/works.txt"), "w");
        if (file != NULL && fputs(report, file) >= 0 && fclose(file) == 0) outcome = BGT_OUTCOME_SUCCESS;
    }
    bgt_complete(host, task, outcome);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    bgt_setting(host, "place", place, sizeof place, NULL);
    BGTASK_TRY(bgt_register(host, "com.example.usesgrants.task", run, NULL));
    return BGT_OK;
}
