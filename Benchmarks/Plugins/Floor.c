/* Part of bgtask, under the Apache License 2.0; see LICENSE.
 *
 * The same work without a host: spawns a process, loads a library in it, calls a function. `Floor LIBRARY COUNT`
 * prints the nanoseconds of each round; `Floor --child LIBRARY START` is the spawned process. In every second round the
 * process first confines itself as a runner does: resource limits, no new privileges, the same number of Landlock rules,
 * and a filter of system calls of the same size, which the parent compiled. These rounds are printed with a minus. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* The places that every plugin may use: Sources/Sandbox/BasePlaces.swift. */
static const char *const places[] = {
    "/usr", "/opt", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc/alternatives", "/etc/ca-certificates",
    "/etc/gai.conf", "/etc/group", "/etc/host.conf", "/etc/hosts", "/etc/ld.so.cache", "/etc/ld.so.conf",
    "/etc/ld.so.conf.d", "/etc/localtime", "/etc/mime.types", "/etc/nsswitch.conf", "/etc/passwd", "/etc/pki",
    "/etc/protocols", "/etc/resolv.conf", "/etc/services", "/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/timezone",
    "/proc", "/sys/devices/system/cpu", "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/tmp",
};

static int restrict_files(const char *library) {
    const struct landlock_ruleset_attr handled = {.handled_access_fs = (1 << 13) - 1};
    const int ruleset = (int)syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0);
    if (ruleset < 0) return -1;
    for (size_t index = 0; index <= sizeof places / sizeof *places; index++) {
        const char *const path = index < sizeof places / sizeof *places ? places[index] : library;
        const int place = open(path, O_PATH | O_CLOEXEC);
        struct stat status;
        if (place < 0) continue;
        if (fstat(place, &status) != 0) return -1;
        const unsigned long rights = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE;
        const struct landlock_path_beneath_attr rule = {
            .allowed_access = S_ISDIR(status.st_mode) ? rights | LANDLOCK_ACCESS_FS_READ_DIR : rights,
            .parent_fd = place,
        };
        if (syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0) return -1;
        close(place);
    }
    const long status = syscall(SYS_landlock_restrict_self, ruleset, 0);
    close(ruleset);
    return (int)status;
}

/* The filter arrives in the file with this descriptor. */
static int confine(const char *library, int filter) {
    static const int limits[] = {RLIMIT_NOFILE, RLIMIT_MEMLOCK, RLIMIT_MSGQUEUE, RLIMIT_SIGPENDING, RLIMIT_RTPRIO};
    for (int index = 0; index < 5; index++) {
        const struct rlimit limit = {index == 0 ? 1024 : 0, index == 0 ? 4096 : 0};
        if (setrlimit((__rlimit_resource_t)limits[index], &limit) != 0) return -1;
    }
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || restrict_files(library) != 0) return -1;
    static struct sock_filter instructions[4096];
    const ssize_t size = pread(filter, instructions, sizeof instructions, 0);
    if (size <= 0) return -1;
    const struct sock_fprog program = {(unsigned short)((size_t)size / sizeof *instructions), instructions};
    close(filter);
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

/* A filter with as many rules as that of a plugin; the calls of this program are allowed. */
static int compile_filter(void) {
    const int file = memfd_create("filter", 0);
    scmp_filter_ctx context = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
    if (file < 0 || context == NULL) return -1;
    seccomp_attr_set(context, SCMP_FLTATR_CTL_OPTIMIZE, 2);
    for (int call = 0; call < 335; call++) {
        /* Blocks of refused calls among the allowed ones, away from those that a loader makes. */
        const int is_refused = (call >= 100 && call < 130) || (call >= 163 && call < 190) || (call >= 236 && call < 256);
        const uint32_t action = is_refused ? SCMP_ACT_ERRNO(EPERM) : SCMP_ACT_ALLOW;
        if (seccomp_rule_add_array(context, action, call, 0, NULL) != 0) return -1;
    }
    const int status = seccomp_export_bpf(context, file);
    seccomp_release(context);
    return status == 0 ? file : -1;
}

static long long now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int child(const char *library, const char *start, const char *filter) {
    if (filter != NULL && confine(library, atoi(filter)) != 0) return 1;
    void *const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL || dlsym(handle, "bgtask_plugin_entry") == NULL) return 1;
    printf("%s%lld\n", filter != NULL ? "-" : "", now_ns() - atoll(start));
    return 0;
}

int main(int argc, char **argv) {
    if (argc >= 4 && strcmp(argv[1], "--child") == 0) return child(argv[2], argv[3], argv[4]);
    if (argc != 3) return 2;
    const int filter = compile_filter();
    if (filter < 0) return 1;
    char number[16];
    snprintf(number, sizeof number, "%d", filter);
    for (int round = 2 * atoi(argv[2]); round > 0; round--) {
        char start[32];
        snprintf(start, sizeof start, "%lld", now_ns());
        char *const arguments[] = {argv[0], "--child", argv[1], start, round % 2 == 0 ? number : NULL, NULL};
        pid_t pid;
        int status;
        if (posix_spawn(&pid, "/proc/self/exe", NULL, NULL, arguments, environ) != 0) return 1;
        if (waitpid(pid, &status, 0) != pid || status != 0) return 1;
        const struct timespec pause = {0, 20000000};
        nanosleep(&pause, NULL);
    }
    return 0;
}
