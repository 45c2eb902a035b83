/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Attacks the host, its files, a neighbour and the machine: from a constructor, from entry, from a handler and from a
 * second thread. Each attack writes a line `PLACE ATTACK ERRNO` to `attacks.txt` in the container; 0 is a success. The
 * paths of the host follow from the path of this library. The file `neighbour-process` in the container has the
 * process ID of a neighbour; without it, no process of a neighbour is attacked. No attack does lasting harm where it succeeds. */

#define _GNU_SOURCE
#include <bgtask.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/btrfs.h>
#include <linux/close_range.h>
#include <linux/fs.h>
#include <linux/fscrypt.h>
#include <linux/fsverity.h>
#include <linux/netlink.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

static char library[1024];
static char base[1024];
static char groups[1024] = "/sys/fs/cgroup";
static char report[65536];

static const char *at(const char *name) {
    static _Thread_local char path[2048];
    snprintf(path, sizeof path, "%s/%s", base, name);
    return path;
}

/* A place in the directory for temporary files, which is in the container. */
static const char *in_container(const char *name) {
    static _Thread_local char path[2048];
    const char *temporary = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/%s", temporary != NULL ? temporary : "/there/is/no", name);
    return path;
}

/* Finds a mounted hierarchy of control groups: of cgroup v2 if there is one. */
static void find_groups(void) {
    static char line[4096];
    char found[1024];
    FILE *mounts = fopen("/proc/self/mountinfo", "re");
    while (mounts != NULL && fgets(line, sizeof line, mounts) != NULL) {
        if (strstr(line, " - cgroup") == NULL || sscanf(line, "%*s %*s %*s %*s %1000s", found) != 1) continue;
        strcpy(groups, found);
        if (strstr(line, " - cgroup2 ") != NULL) break;
    }
    if (mounts != NULL) fclose(mounts);
}

static void note(const char *place, const char *attack, long status) {
    const int error = status < 0 ? errno : 0;
    const size_t length = strlen(report);
    snprintf(report + length, sizeof report - length, "%s %s %d\n", place, attack, error);
}

/* Like open, but nothing stays open. */
static long opened(const char *path, int flags) {
    const int file = open(path, flags | O_CLOEXEC, 0600);
    const int error = errno;
    if (file >= 0) close(file);
    errno = error;
    return file;
}

static long made(int file) {
    const int error = errno;
    if (file >= 0) close(file);
    errno = error;
    return file;
}

static long forked(void) {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    const int error = errno;
    if (child > 0) waitpid(child, NULL, 0);
    errno = error;
    return child;
}

/* Reads a neighbour's file through a symbolic link in its own container. */
static long opened_by_link(const char *target) {
    char link[2048];
    snprintf(link, sizeof link, "%s", in_container("neighbour"));
    unlink(link);
    if (symlink(target, link) != 0) return -1;
    const long file = opened(link, O_RDONLY);
    const int error = errno;
    unlink(link);
    errno = error;
    return file;
}

/* Moves a file to another name in its directory, and back. */
static long renamed(const char *path) {
    char other[2048];
    snprintf(other, sizeof other, "%s.old", path);
    const long status = rename(path, other);
    if (status == 0) rename(other, path);
    return status;
}

static void attack_groups(const char *place) {
    char path[2048];
    snprintf(path, sizeof path, "%s/bgtask-attack", groups);
    const long status = mkdir(path, 0700);
    note(place, "group-make", status);
    if (status == 0) rmdir(path);
    /* By this file a process moves others, or itself. Without O_TRUNC the open alone changes nothing. */
    snprintf(path, sizeof path, "%s/cgroup.procs", groups);
    note(place, "group-move", opened(path, O_WRONLY));
}

/* Executes a program that has no path. */
static long executed_from_memory(void) {
    char *const arguments[] = {"program", NULL};
    const int memory = memfd_create("program", MFD_CLOEXEC);
    const long status = syscall(SYS_execveat, memory, "", arguments, NULL, AT_EMPTY_PATH);
    const int error = errno;
    if (memory >= 0) close(memory);
    errno = error;
    return status;
}

static void attack_files(const char *place) {
    char other[2048];
    note(place, "ledger-write", opened(at("state/ledger/ledger.sqlite"), O_RDWR));
    note(place, "ledger-read", opened(at("state/ledger/ledger.sqlite"), O_RDONLY));
    note(place, "ledger-truncate", truncate(at("state/ledger/ledger.sqlite"), 1 << 30));
    note(place, "ledger-mode", chmod(at("state/ledger/ledger.sqlite"), 0600));
    note(place, "ledger-times", utimensat(AT_FDCWD, at("state/ledger/ledger.sqlite"), NULL, 0));
    note(place, "ledger-attribute", setxattr(at("state/ledger/ledger.sqlite"), "user.bgtask", "x", 1, 0));
    snprintf(other, sizeof other, "%s/manifests/ledger", base);
    note(place, "ledger-link", link(at("state/ledger/ledger.sqlite"), other));
    note(place, "containers-list", opened(at("state/containers"), O_RDONLY | O_DIRECTORY));
    note(place, "neighbour-list", opened(at("state/containers/com.example.neighbour"), O_RDONLY | O_DIRECTORY));
    /* The mode 3 opens a file neither for reading nor for writing. */
    note(place, "neighbour-truncate", opened(at("state/containers/com.example.neighbour/ran.txt"), 3 | O_TRUNC));
    note(place, "manifest-write", opened(at("manifests/planted.yaml.txt"), O_WRONLY | O_CREAT));
    note(place, "library-write", opened(at("plugins/libNeighbour.so"), O_RDWR));
    /* With a descriptor for reading, fchmod takes away the permissions. */
    note(place, "manifest-read", opened(at("manifests/Attacks.yaml"), O_RDONLY));
    note(place, "library-read", opened(at("plugins/libNeighbour.so"), O_RDONLY));
    note(place, "own-library-write", opened(library, O_RDWR));
    note(place, "own-library-rename", renamed(library));
    snprintf(other, sizeof other, "%s/control.old", base);
    note(place, "socket-rename", rename(at("control.sock"), other));
    note(place, "temporary-write", opened("/tmp/bgtask-attack", O_WRONLY | O_CREAT));
    note(place, "shadow-read", opened("/etc/shadow", O_RDONLY));
    note(place, "groups-list", opened("/sys/fs/cgroup", O_RDONLY | O_DIRECTORY));
    note(place, "neighbour-link", opened_by_link(at("state/containers/com.example.neighbour/ran.txt")));
    note(place, "lock-open", opened(at("state/host.lock"), O_RDWR));
    note(place, "memory-file", opened("/dev/shm/bgtask-attack", O_WRONLY | O_CREAT));
}

static void note_of(const char *place, const char *target, const char *attack, long status) {
    char name[64];
    const int error = errno;
    snprintf(name, sizeof name, "%s-%s", target, attack);
    errno = error;
    note(place, name, status);
}

static long opened_of(pid_t process, const char *name, int flags) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", process, name);
    return opened(path, flags);
}

/* Copies the descriptor with which a runner writes to the host. */
static long copied_from(pid_t process) {
    const int handle = (int)syscall(SYS_pidfd_open, process, 0);
    const long status = made((int)syscall(SYS_pidfd_getfd, handle, 3, 0));
    const int error = errno;
    if (handle >= 0) close(handle);
    errno = error;
    return status;
}

static long signalled(pid_t process, int number) {
    const long status = kill(process, number);
    if (status == 0 && number == SIGSTOP) kill(process, SIGCONT);
    return status;
}

static void attack_process(const char *place, const char *target, pid_t process, int number) {
    char byte;
    const struct iovec here = {&byte, 1}, there = {report, 1};
    const struct rlimit limit = {0, 0}; /* Of file locks: the kernel stores this limit and never applies it. */
    struct rlimit mark;
    cpu_set_t processors;
    CPU_ZERO(&processors);
    CPU_SET(0, &processors);
    note_of(place, target, "trace", ptrace(PTRACE_SEIZE, process, NULL, NULL));
    note_of(place, target, "memory", opened_of(process, "mem", O_RDWR));
    note_of(place, target, "environment", opened_of(process, "environ", O_RDONLY));
    note_of(place, target, "vector", process_vm_readv(process, &here, 1, &there, 1, 0));
    note_of(place, target, "score", opened_of(process, "oom_score_adj", O_WRONLY));
    note_of(place, target, "signal", signalled(process, number));
    note_of(place, target, "limit", prlimit(process, __RLIMIT_LOCKS, &limit, NULL));
    note_of(place, target, "mark", prlimit(process, RLIMIT_RTTIME, NULL, &mark));
    note_of(place, target, "priority", setpriority(PRIO_PROCESS, (id_t)process, 1));
    note_of(place, target, "processors", sched_setaffinity(process, sizeof processors, &processors));
    note_of(place, target, "descriptor", copied_from(process));
}

/* The process ID in the container's file `neighbour-process`; 0 without one. */
static pid_t neighbour(void) {
    int process = 0;
    FILE *file = fopen(in_container("../neighbour-process"), "re");
    if (file == NULL) return 0;
    if (fscanf(file, "%d", &process) != 1 || process <= 1) process = 0;
    fclose(file);
    return process;
}

static void attack_processes(const char *place) {
    const struct rlimit limit = {1000, 1000};
    const pid_t other = neighbour();
    attack_process(place, "host", getppid(), SIGWINCH);
    if (other != 0) attack_process(place, "neighbour", other, SIGSTOP);
    note(place, "mark-lower", setrlimit(RLIMIT_RTTIME, &limit));
    note(place, "mark-lower-again", syscall(SYS_prlimit64, 0, (1L << 32) | RLIMIT_RTTIME, &limit, NULL));
    note(place, "death-signal", prctl(PR_SET_PDEATHSIG, 0));
    note(place, "fork", forked());
    note(place, "execute", execl("/there/is/no/program", "program", NULL));
    note(place, "clone3", syscall(SYS_clone3, NULL, 0));
    note(place, "namespace", unshare(CLONE_NEWUSER));
    note(place, "execute-memory", executed_from_memory());
}

/* Makes more timers than a user has by default on a small machine. The kernel counts them for the user. */
static long made_timers(void) {
    static timer_t timers[4096];
    struct sigevent event = {.sigev_notify = SIGEV_NONE};
    int count = 0, status = 0;
    while (count < 4096 && status == 0) status = timer_create(CLOCK_MONOTONIC, &event, &timers[count++]);
    const int error = errno;
    if (status != 0) count -= 1;
    while (count > 0) timer_delete(timers[--count]);
    errno = error;
    return status;
}

static void attack_machine(const char *place) {
    int pair[2];
    note(place, "unix", made(socket(AF_UNIX, SOCK_STREAM, 0)));
    note(place, "unix-datagrams", socketpair(AF_UNIX, SOCK_DGRAM, 0, pair));
    note(place, "internet-stream", made(socket(AF_INET, SOCK_STREAM, 0)));
    note(place, "internet-datagrams", made(socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0)));
    note(place, "internet-raw", made(socket(AF_INET, SOCK_RAW, 1)));
    note(place, "packets", made(socket(AF_PACKET, SOCK_RAW, 0)));
    note(place, "netlink-audit", made(socket(AF_NETLINK, SOCK_RAW, NETLINK_AUDIT)));
    note(place, "vsock", made(socket(AF_VSOCK, SOCK_STREAM, 0)));
    note(place, "io_uring", syscall(SYS_io_uring_setup, 1, NULL));
    note(place, "userfaultfd", syscall(SYS_userfaultfd, 0));
    note(place, "keys", syscall(SYS_keyctl, 0, 0, 0, 0, 0));
    note(place, "bpf", syscall(SYS_bpf, 0, NULL, 0));
    note(place, "performance", syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0));
    note(place, "shared-memory", syscall(SYS_shmget, 1, 4096, 0600));
    const int memory = memfd_create("attack", MFD_CLOEXEC), flags = 0;
    note(place, "allocate", fallocate(memory, FALLOC_FL_KEEP_SIZE, 0, 4096));
    note(place, "file-flags", ioctl(memory, FS_IOC_SETFLAGS, &flags));
    close(memory);
    note(place, "unknown", syscall(9999));
    note(place, "fifo", mkfifo(in_container("fifo"), 0600));
    note(place, "timers", made_timers());
}

/* A lease delays the host when it opens the file; the owner of a descriptor gets its signals. */
static void attack_by_descriptor(const char *place) {
    int pair[2];
    const int file = open(library, O_RDONLY | O_CLOEXEC);
    note(place, "lease", fcntl(file, F_SETLEASE, F_RDLCK));
    note(place, "directory-notification", fcntl(file, F_NOTIFY, DN_MODIFY));
    close(file);
    if (pipe2(pair, O_CLOEXEC) != 0) return;
    const struct f_owner_ex owner = {F_OWNER_PID, getppid()};
    note(place, "signal-owner", fcntl(pair[0], F_SETOWN, getppid()));
    note(place, "signal-owner-extended", fcntl(pair[0], F_SETOWN_EX, &owner));
    note(place, "signal-number", fcntl(pair[0], F_SETSIG, SIGWINCH));
    close(pair[0]);
    close(pair[1]);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return;
    const int host = getppid();
    note(place, "signal-owner-request", ioctl(pair[0], FIOSETOWN, &host));
    close(pair[0]);
    close(pair[1]);
}

/* Landlock examines no request of a file system. Those of btrfs are complete: without the sandbox they create the
 * subvolume `made` in the container and delete `given`. A wrong address makes the others fail without the sandbox. */
static void attack_file_system(const char *place) {
    struct btrfs_ioctl_vol_args made = {.name = "made"}, given = {.name = "given"};
    const int directory = open(in_container(".."), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    note(place, "subvolume-make", ioctl(directory, BTRFS_IOC_SUBVOL_CREATE, &made));
    note(place, "subvolume-delete", ioctl(directory, BTRFS_IOC_SNAP_DESTROY, &given));
    note(place, "directory-encrypt", ioctl(directory, FS_IOC_SET_ENCRYPTION_POLICY, NULL));
    note(place, "file-seal", ioctl(directory, FS_IOC_ENABLE_VERITY, NULL));
    note(place, "file-version", ioctl(directory, FS_IOC_SETVERSION, NULL));
    close(directory);
}

static int end_thread(void *unused) {
    (void)unused;
    return 0;
}

/* The limit of descriptors concerns each table of descriptors. */
static void attack_descriptor_tables(const char *place) {
    static char stack[1 << 16];
    const int flags = CLONE_VM | CLONE_FS | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
    note(place, "table-thread", clone(end_thread, stack + sizeof stack, flags, NULL));
    note(place, "table-unshare", unshare(CLONE_FILES));
    note(place, "table-close", syscall(SYS_close_range, 1 << 20, 1 << 20, CLOSE_RANGE_UNSHARE));
}

/* Another user who executes such a file gets the authority of the plugin's user. */
static void attack_by_identity(const char *place) {
    note(place, "set-user-make", made(open(in_container("passed"), O_WRONLY | O_CREAT | O_CLOEXEC, 04755)));
    const int file = open(in_container("own"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    note(place, "set-user-mode", fchmod(file, 04755));
    note(place, "set-group-mode", fchmod(file, 02755));
    close(file);
}

static void attack(const char *place) {
    attack_files(place);
    attack_processes(place);
    attack_machine(place);
    attack_groups(place);
    attack_by_descriptor(place);
    attack_file_system(place);
    attack_descriptor_tables(place);
    attack_by_identity(place);
}

static void *attack_from_thread(void *place) {
    attack(place);
    return NULL;
}

__attribute__((constructor)) static void construct(void) {
    Dl_info own;
    if (dladdr((void *)(uintptr_t)construct, &own) == 0) return;
    snprintf(library, sizeof library, "%s", own.dli_fname);
    strcpy(base, library);
    /* BASE/plugins/libAttacks.so */
    for (int part = 0; part < 2; part++) {
        char *slash = strrchr(base, '/');
        if (slash != NULL) *slash = '\0';
    }
    find_groups();
    attack("constructor");
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    attack("handler");
    pthread_t thread;
    if (pthread_create(&thread, NULL, attack_from_thread, "thread") == 0) pthread_join(thread, NULL);

    char path[2048];
    int32_t outcome = BGT_OUTCOME_FAILURE;
    if (bgt_container_path(host, path, sizeof path - 32, NULL) == BGT_OK) {
        FILE *file = fopen(strcat(path, "/attacks.txt"), "w");
        if (file != NULL && fputs(report, file) >= 0 && fclose(file) == 0) outcome = BGT_OUTCOME_SUCCESS;
    }
    bgt_complete(host, task, outcome);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    attack("entry");
    BGTASK_TRY(bgt_register(host, "com.example.attacks.task", run, NULL));
    return BGT_OK;
}
