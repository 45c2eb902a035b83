/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
#define _GNU_SOURCE
#include "bgl_sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The same numbers on every architecture. */
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

/* O_TMPFILE without O_DIRECTORY. */
enum { O_TMPFILE_BIT = O_TMPFILE & ~O_DIRECTORY };

enum { LANDLOCK_VERSION = 1, LANDLOCK_PATH_BENEATH = 1, LANDLOCK_NET_PORT = 2 };

/* The kernel's struct landlock_ruleset_attr, as of version 6. */
struct ruleset {
    uint64_t files, network, scopes;
};

/* The kernel's struct landlock_path_beneath_attr. */
struct path_beneath {
    uint64_t rights;
    int32_t place;
} __attribute__((packed));

/* The kernel's struct landlock_net_port_attr. */
struct net_port {
    uint64_t rights, port;
};

static int answer(long status) { return status < 0 ? -errno : (int)status; }

int bgl_thread_count(void) {
    /* The directory has a link of its own, one from its parent, and one from the directory of each thread. */
    struct stat status;
    if (stat("/proc/self/task", &status) != 0) return -errno;
    return (int)status.st_nlink - 2;
}

void bgl_set_thread_name(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

int bgl_limit_of(pid_t process, int resource, uint64_t value) {
    const struct rlimit limit = {value, value};
    return answer(prlimit(process, (__rlimit_resource_t)resource, &limit, NULL));
}

int bgl_limit(int resource, uint64_t soft, uint64_t hard) {
    struct rlimit limit;
    if (getrlimit((__rlimit_resource_t)resource, &limit) != 0) return -errno;
    if (hard < limit.rlim_max) limit.rlim_max = hard;
    if (soft < limit.rlim_cur) limit.rlim_cur = soft;
    if (limit.rlim_cur > limit.rlim_max) limit.rlim_cur = limit.rlim_max;
    return answer(setrlimit((__rlimit_resource_t)resource, &limit));
}

int bgl_raise_limit(int resource) {
    struct rlimit limit;
    if (getrlimit((__rlimit_resource_t)resource, &limit) != 0) return -errno;
    limit.rlim_cur = limit.rlim_max;
    return answer(setrlimit((__rlimit_resource_t)resource, &limit));
}

void bgl_lower_priority(int nice) {
    enum { WHO_PROCESS = 1, LOWEST_BEST_EFFORT = 2 << 13 | 7 };
    errno = 0;
    const int present = getpriority(PRIO_PROCESS, 0);
    if (errno == 0) setpriority(PRIO_PROCESS, 0, present + nice > 19 ? 19 : present + nice);
    syscall(SYS_ioprio_set, WHO_PROCESS, 0, LOWEST_BEST_EFFORT);
}

int bgl_refuse_new_privileges(void) { return answer(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)); }

int bgl_drop_capabilities(void) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};
    return answer(syscall(SYS_capset, &header, none));
}

/* A program may open its standard output and error once more by their names. Only the owner of these pipes may. */
static int give_output_to(uint32_t user) {
    for (int output = STDOUT_FILENO; output <= STDERR_FILENO; output++) {
        struct stat status;
        if (fstat(output, &status) != 0) return -errno;
        if (S_ISFIFO(status.st_mode) && fchown(output, user, user) != 0) return -errno;
    }
    return 0;
}

int bgl_become_user(uint32_t user) {
    int status = give_output_to(user);
    if (status < 0) return status;
    /* Each of these calls changes the calling thread and all others of the process; there are none. */
    if (setgroups(0, NULL) != 0 || setresgid(user, user, user) != 0 || setresuid(user, user, user) != 0) return -errno;
    uid_t real, effective, saved;
    if (getresuid(&real, &effective, &saved) != 0) return -errno;
    if (real != user || effective != user || saved != user) return -EPERM;
    status = bgl_drop_capabilities();
    if (status < 0) return status;
    /* The kernel resets both when the user of a process changes. */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || prctl(PR_SET_DUMPABLE, 1) != 0) return -errno;
    return 0;
}

int bgl_landlock_create(uint64_t files, uint64_t network, uint64_t scopes) {
    const struct ruleset ruleset = {.files = files, .network = network, .scopes = scopes};
    return answer(syscall(SYS_landlock_create_ruleset, &ruleset, sizeof ruleset, 0));
}

int bgl_landlock_version(void) { return answer(syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_VERSION)); }

int bgl_landlock_allow(int ruleset, int place, uint64_t rights) {
    const struct path_beneath rule = {.rights = rights, .place = place};
    return answer(syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_PATH_BENEATH, &rule, 0));
}

int bgl_landlock_allow_port(int ruleset, uint16_t port, uint64_t rights) {
    const struct net_port rule = {.rights = rights, .port = port};
    return answer(syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_NET_PORT, &rule, 0));
}

int bgl_landlock_restrict(int ruleset) { return answer(syscall(SYS_landlock_restrict_self, ruleset, 0)); }

int bgl_filters_system_calls(void) {
    const uint32_t action = SECCOMP_RET_ERRNO;
    return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

/* Has each call that the filter refuses with EPERM reported to the holder of the listener. */
static void report_refusals(struct sock_filter *instructions, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct sock_filter *instruction = &instructions[i];
        if (instruction->code != (BPF_RET | BPF_K) || instruction->k != (SECCOMP_RET_ERRNO | EPERM)) continue;
        instruction->k = SECCOMP_RET_USER_NOTIF;
    }
}

int bgl_load_system_call_filter(const void *filter, size_t size, int *listener) {
    const size_t count = size / sizeof(struct sock_filter);
    if (count == 0 || count > BPF_MAXINSNS || size % sizeof(struct sock_filter) != 0) return -EINVAL;
    struct sock_filter instructions[BPF_MAXINSNS];
    memcpy(instructions, filter, size);
    const struct sock_fprog program = {.len = (unsigned short)count, .filter = instructions};
    report_refusals(instructions, count);
    *listener = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
    if (*listener >= 0) return 0;
    /* Not before Linux 5.0, and not inside of another filter that has a listener. */
    memcpy(instructions, filter, size);
    const long status = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
    /* A positive number names a thread that has another filter. */
    return status > 0 ? -EBUSY : answer(status);
}

int bgl_memory_file(const char *name) {
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif
    const int file = memfd_create(name, MFD_CLOEXEC | MFD_NOEXEC_SEAL);
    /* Not before Linux 6.3. Later ones can demand it (vm.memfd_noexec). */
    return answer(file < 0 && errno == EINVAL ? memfd_create(name, MFD_CLOEXEC) : file);
}

int bgl_is_listener(int descriptor) {
    char link[40], name[40] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    /* A call to another kind of file could block. */
    return readlink(link, name, sizeof name - 1) > 0 && strcmp(name, "anon_inode:seccomp notify") == 0;
}

/* Stores the arguments of a refused call that decide. */
static void copy_arguments(const struct seccomp_data *data, struct bgl_refused_call *call) {
    switch (data->nr) {
    case SYS_socket:
        call->arguments[0] = data->args[0] & 0xff;
        call->arguments[1] = data->args[1] & 0xf;
        break;
    case SYS_clone: call->arguments[0] = data->args[0]; break;
    case SYS_fcntl: call->arguments[1] = data->args[1] & 0xffffffff; break;
    case SYS_openat:
        if (data->args[2] & (O_CREAT | O_TMPFILE_BIT)) call->arguments[1] = data->args[3] & (S_ISUID | S_ISGID);
        break;
#ifdef SYS_open
    case SYS_open:
        if (data->args[1] & (O_CREAT | O_TMPFILE_BIT)) call->arguments[1] = data->args[2] & (S_ISUID | S_ISGID);
        break;
#endif
    }
}

int bgl_answer_refused_call(int listener, struct bgl_refused_call *call) {
    struct pollfd waiting = {.fd = listener, .events = POLLIN};
    if (poll(&waiting, 1, 0) < 0) return errno == EINTR ? 0 : -errno;
    if (waiting.revents & POLLNVAL) return -EBADF;
    /* POLLERR alone is no failure: a signal interrupted the kernel. */
    if (!(waiting.revents & POLLIN)) return waiting.revents & POLLHUP ? -EPIPE : 0;
    /* A newer kernel writes a longer struct. */
    union {
        struct seccomp_notif head;
        char room[1024];
    } received;
    memset(&received, 0, sizeof received);
    /* ENOENT: the caller was killed. */
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &received) != 0) {
        return errno == ENOENT || errno == EINTR ? 0 : -errno;
    }
    *call = (struct bgl_refused_call){.number = received.head.data.nr};
    copy_arguments(&received.head.data, call);
    union {
        struct seccomp_notif_resp head;
        char room[1024];
    } answer;
    memset(&answer, 0, sizeof answer);
    answer.head.id = received.head.id;
    answer.head.error = -EPERM;
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer) != 0 && errno != ENOENT) return -errno;
    return 1;
}

int bgl_create_place(int directory, const char *name, int is_directory) {
    if (is_directory) return answer(mkdirat(directory, name, 0777));
    const int file = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0) close(file);
    return file < 0 ? answer(file) : 0;
}

int bgl_open_place(const char *path, int follows) {
    /* With O_PATH, O_NOFOLLOW alone would open the link itself. */
    return answer(open(path, O_PATH | O_CLOEXEC | (follows ? 0 : O_NOFOLLOW | O_DIRECTORY)));
}
