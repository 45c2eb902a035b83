/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
#define _GNU_SOURCE
#include "bgl_process.h"
#include "bgl_spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef CLONE_PIDFD
#define CLONE_PIDFD 0x00001000
#endif
#ifndef CLONE_INTO_CGROUP
#define CLONE_INTO_CGROUP 0x200000000ULL
#endif

/* The kernel's struct clone_args, as of Linux 5.7. */
struct clone_arguments {
    uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls, set_tid, set_tid_size, cgroup;
};

/* State for reports of the child: parent and child share memory until the child's exec. */
struct child {
    const struct bgl_spawn *spawn;
    pid_t parent;
    int joins_cgroup;
    volatile int error;
    volatile int stage;
    volatile int is_in_cgroup;
    volatile int is_marked;
};

static void fail(struct child *child, int stage, int error) {
    child->stage = stage;
    child->error = error;
    _exit(127);
}

/* Copies a descriptor to a number outside of the range of targets. */
static int lifted(struct child *child, int descriptor) {
    if (descriptor >= BGL_SPAWN_DESCRIPTORS) return descriptor;
    int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, BGL_SPAWN_DESCRIPTORS);
    if (copy < 0) fail(child, BGL_STAGE_SETUP, errno);
    return copy;
}

static int close_range_of(unsigned first, unsigned last) {
    if (first > last) return 0;
#ifdef SYS_close_range
    return (int)syscall(SYS_close_range, first, last, 0);
#else
    errno = ENOSYS;
    return -1;
#endif
}

static void close_all_but(int kept, int first) {
    if (close_range_of((unsigned)first, (unsigned)kept - 1) == 0 && close_range_of((unsigned)kept + 1, ~0U) == 0) {
        return;
    }
    struct rlimit limit = {0};
    getrlimit(RLIMIT_NOFILE, &limit);
    int end = limit.rlim_cur > 65536 ? 65536 : (int)limit.rlim_cur;
    for (int descriptor = first; descriptor < end; descriptor++) {
        if (descriptor != kept) close(descriptor);
    }
}

static int join_cgroup(int directory) {
    int file = openat(directory, "cgroup.procs", O_WRONLY | O_CLOEXEC);
    if (file < 0) return 0;
    int joined = write(file, "0", 1) == 1;
    close(file);
    return joined;
}

/* Only system calls until the exec: the memory belongs to the parent, and other threads may hold its locks. */
__attribute__((noreturn, noinline)) static void run_child(struct child *child) {
    const struct bgl_spawn *spawn = child->spawn;

    /* The parent may have died before the parent-death signal was requested. */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) fail(child, BGL_STAGE_SETUP, errno);
    if (getppid() != child->parent) fail(child, BGL_STAGE_SETUP, ESRCH);
    if (setsid() < 0) fail(child, BGL_STAGE_SETUP, errno);

    if (child->joins_cgroup) child->is_in_cgroup = join_cgroup(spawn->cgroup);
    if (spawn->mark != 0) {
        struct rlimit limit = {.rlim_cur = spawn->mark, .rlim_max = spawn->mark};
        child->is_marked = setrlimit(RLIMIT_RTTIME, &limit) == 0;
    }
    if (spawn->leaves_no_core) {
        struct rlimit limit = {0};
        getrlimit(RLIMIT_CORE, &limit);
        limit.rlim_cur = 0;
        setrlimit(RLIMIT_CORE, &limit);
    }

    /* The exec resets handlers, but not ignored signals. */
    struct sigaction standard = {.sa_handler = SIG_DFL};
    for (int signal = 1; signal < NSIG; signal++) sigaction(signal, &standard, NULL);

    int sources[BGL_SPAWN_DESCRIPTORS];
    for (int i = 0; i < spawn->descriptor_count; i++) sources[i] = lifted(child, spawn->descriptors[i]);
    int executable = lifted(child, spawn->executable);
    for (int i = 0; i < spawn->descriptor_count; i++) {
        if (dup2(sources[i], i) < 0) fail(child, BGL_STAGE_SETUP, errno);
    }
    close_all_but(executable, spawn->descriptor_count);

    umask(022);
    if (chdir("/") != 0) fail(child, BGL_STAGE_SETUP, errno);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);

    syscall(SYS_execveat, executable, "", spawn->arguments, spawn->environment, AT_EMPTY_PATH);
    fail(child, BGL_STAGE_EXEC, errno);
    __builtin_unreachable();
}

/* Always inlined: the child continues in the parent's frame, where a return address below it would be overwritten. */
__attribute__((always_inline)) static inline long clone3(struct clone_arguments *arguments) {
#if defined(__x86_64__)
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"((long)SYS_clone3), "D"(arguments), "S"(sizeof *arguments)
                     : "rcx", "r11", "memory");
    return result;
#elif defined(__aarch64__)
    register long number __asm__("x8") = SYS_clone3;
    register long first __asm__("x0") = (long)arguments;
    register long second __asm__("x1") = sizeof *arguments;
    __asm__ volatile("svc #0" : "+r"(first) : "r"(number), "r"(second) : "memory");
    return first;
#else
    (void)arguments;
    return -ENOSYS;
#endif
}

__attribute__((noinline)) static long start_by_clone3(struct child *child, int *pidfd, int into_cgroup) {
    struct clone_arguments arguments = {
        .flags = CLONE_VM | CLONE_VFORK | CLONE_PIDFD | (into_cgroup ? CLONE_INTO_CGROUP : 0),
        .pidfd = (uint64_t)(uintptr_t)pidfd,
        .exit_signal = SIGCHLD,
        .cgroup = into_cgroup ? (uint64_t)child->spawn->cgroup : 0,
    };
    long pid = clone3(&arguments);
    if (pid == 0) run_child(child);
    return pid;
}

/* For kernels and sandboxes without clone3. */
__attribute__((noinline)) static long start_by_vfork(struct child *child, int *pidfd) {
    pid_t pid = vfork();
    if (pid == 0) run_child(child);
    if (pid < 0) return -errno;
    /* The child is not reaped yet, so its number has not been reused. */
    *pidfd = bgl_pidfd_open(pid);
    if (*pidfd < 0) {
        kill(pid, SIGKILL);
        bgl_wait(pid, 1, NULL);
        return *pidfd;
    }
    return pid;
}

/* Whether the error would also occur with another way of starting. */
static int is_shortage(long result) {
    return result == -EAGAIN || result == -ENOMEM || result == -EMFILE || result == -ENFILE;
}

static long start(struct child *child, int *pidfd) {
    if (child->spawn->cgroup >= 0) {
        /* Much cheaper than joining afterwards, which synchronizes the whole machine. */
        long pid = start_by_clone3(child, pidfd, 1);
        if (pid > 0) child->is_in_cgroup = 1;
        if (pid > 0 || is_shortage(pid)) return pid;
        child->joins_cgroup = 1;
    }
    long pid = start_by_clone3(child, pidfd, 0);
    if (pid > 0 || is_shortage(pid)) return pid;
    return start_by_vfork(child, pidfd);
}

int bgl_spawn(const struct bgl_spawn *spawn, struct bgl_spawned *spawned) {
    *spawned = (struct bgl_spawned){.pidfd = -1, .failed_stage = BGL_STAGE_CLONE};
    if (spawn->descriptor_count < 0 || spawn->descriptor_count > BGL_SPAWN_DESCRIPTORS) return -EINVAL;

    struct child child = {.spawn = spawn, .parent = getpid()};
    int pidfd = -1;
    /* A signal handler in the child would run on the parent's memory. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    long pid = start(&child, &pidfd);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (pid < 0) return (int)pid;

    if (child.error != 0) {
        bgl_wait((pid_t)pid, 1, NULL);
        close(pidfd);
        spawned->failed_stage = child.stage;
        return -child.error;
    }
    spawned->pid = (pid_t)pid;
    spawned->pidfd = pidfd;
    spawned->is_in_cgroup = child.is_in_cgroup;
    spawned->is_marked = child.is_marked;
    spawned->failed_stage = 0;
    return 0;
}
