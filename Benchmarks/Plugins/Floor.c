/* Part of bgtask, under the Apache License 2.0; see LICENSE.
 *
 * The same work without a host: spawns a process, loads a library in it, calls a function. `Floor LIBRARY COUNT`
 * prints the nanoseconds of each round; `Floor --child LIBRARY START` is the spawned process. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static long long now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int child(const char *library, const char *start) {
    void *const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL || dlsym(handle, "bgtask_plugin_entry") == NULL) return 1;
    printf("%lld\n", now_ns() - atoll(start));
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 4 && strcmp(argv[1], "--child") == 0) return child(argv[2], argv[3]);
    if (argc != 3) return 2;
    for (int round = atoi(argv[2]); round > 0; round--) {
        char start[32];
        snprintf(start, sizeof start, "%lld", now_ns());
        char *const arguments[] = {argv[0], "--child", argv[1], start, NULL};
        pid_t pid;
        int status;
        if (posix_spawn(&pid, "/proc/self/exe", NULL, NULL, arguments, environ) != 0) return 1;
        if (waitpid(pid, &status, 0) != pid || status != 0) return 1;
        const struct timespec pause = {0, 20000000};
        nanosleep(&pause, NULL);
    }
    return 0;
}
