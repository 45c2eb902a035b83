/* Part of bgtask, under the Apache License 2.0; see LICENSE.
 *
 * Launches without a host: spawns processes for SECONDS, two at a time. Each loads LIBRARY, calls its function
 * `noop_call` and exits. `Spawns LIBRARY SECONDS` prints the processor time of parent and children in nanoseconds, then
 * for each process the times of spawn and reap on the monotonic clock. `Spawns --child LIBRARY` is the spawned
 * process. */
#include <dlfcn.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

enum { AT_ONCE = 2, MOST = 1000000 };

extern char **environ;

static int64_t spans[MOST][2];

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int64_t processor_ns(int who) {
    struct rusage usage;
    getrusage(who, &usage);
    return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000LL
        + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000LL;
}

static int child(const char *library) {
    void *const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    int (*const function)(void) = handle == NULL ? NULL : (int (*)(void))dlsym(handle, "noop_call");
    return function == NULL ? 1 : function();
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    if (strcmp(argv[1], "--child") == 0) return child(argv[2]);
    char *const arguments[] = {argv[0], "--child", argv[1], NULL};
    const int64_t end = now_ns() + atoll(argv[2]) * 1000000000;
    struct {
        pid_t pid;
        int index;
    } running[AT_ONCE] = {0};
    int count = 0, reaped = 0;
    for (;;) {
        for (int place = 0; place < AT_ONCE; place++) {
            if (running[place].pid != 0 || count == MOST || now_ns() > end) continue;
            running[place].index = count;
            spans[count++][0] = now_ns();
            if (posix_spawn(&running[place].pid, "/proc/self/exe", NULL, NULL, arguments, environ) != 0) return 1;
        }
        if (reaped == count) break;
        int status;
        const pid_t ended = wait(&status);
        if (ended < 0 || status != 0) return 1;
        for (int place = 0; place < AT_ONCE; place++) {
            if (running[place].pid != ended) continue;
            spans[running[place].index][1] = now_ns();
            running[place].pid = 0;
        }
        reaped++;
    }
    printf("%lld\n", (long long)(processor_ns(RUSAGE_SELF) + processor_ns(RUSAGE_CHILDREN)));
    for (int index = 0; index < count; index++) {
        printf("%lld %lld\n", (long long)spans[index][0], (long long)spans[index][1]);
    }
    return 0;
}
