/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
#define _GNU_SOURCE
#include "bgl_process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef PIDFD_SIGNAL_PROCESS_GROUP
#define PIDFD_SIGNAL_PROCESS_GROUP (1U << 2)
#endif

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

struct thread_start {
    char name[16];
    void (*body)(void *context);
    void *context;
};

static void *run_thread(void *argument) {
    struct thread_start start = *(struct thread_start *)argument;
    free(argument);
    prctl(PR_SET_NAME, start.name, 0, 0, 0);
    start.body(start.context);
    return NULL;
}

int bgl_start_thread(const char *name, void (*body)(void *context), void *context) {
    struct thread_start *start = calloc(1, sizeof *start);
    if (start == NULL) return -ENOMEM;
    strncpy(start->name, name, sizeof start->name - 1);
    start->body = body;
    start->context = context;

    /* The mask is inherited, so that not even the first instruction can be interrupted. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    int status = pthread_create(&thread, NULL, run_thread, start);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (status != 0) {
        free(start);
        return -status;
    }
    pthread_detach(thread);
    return 0;
}

int bgl_become_subreaper(void) {
    /* SIG_IGN, inherited from the process that started the host, would discard the exit status of children. */
    struct sigaction action;
    if (sigaction(SIGCHLD, NULL, &action) != 0) return -errno;
    if (action.sa_handler == SIG_IGN) {
        struct sigaction standard = {.sa_handler = SIG_DFL};
        if (sigaction(SIGCHLD, &standard, NULL) != 0) return -errno;
    }
    return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0 ? 0 : -errno;
}

int bgl_pidfd_open(pid_t pid) {
    long descriptor = syscall(SYS_pidfd_open, pid, 0);
    return descriptor >= 0 ? (int)descriptor : -errno;
}

int bgl_peer_pidfd(int connection) {
    int descriptor = -1;
    socklen_t length = sizeof descriptor;
    return getsockopt(connection, SOL_SOCKET, SO_PEERPIDFD, &descriptor, &length) == 0 ? descriptor : -errno;
}

int bgl_pidfd_signal(int pidfd, int signal) {
    return syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0) == 0 ? 0 : -errno;
}

int bgl_pidfd_get(int pidfd, int number) {
    long descriptor = syscall(SYS_pidfd_getfd, pidfd, number, 0);
    return descriptor >= 0 ? (int)descriptor : -errno;
}

int bgl_pidfd_signal_group(int pidfd, pid_t pid, int signal) {
    if (syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, PIDFD_SIGNAL_PROCESS_GROUP) == 0) return 0;
    if (errno != EINVAL && errno != ENOSYS) return -errno;
    return kill(-pid, signal) == 0 ? 0 : -errno;
}

int bgl_wait(pid_t pid, int blocks, struct bgl_exit *result) {
    siginfo_t info;
    memset(&info, 0, sizeof info);
    int status;
    do {
        status = waitid(P_PID, (id_t)pid, &info, WEXITED | __WALL | (blocks ? 0 : WNOHANG));
    } while (status != 0 && errno == EINTR);
    if (status != 0) return -errno;
    if (info.si_pid == 0) return 0;
    if (result != NULL) {
        int exited = info.si_code == CLD_EXITED;
        *result = (struct bgl_exit){
            .signal = exited ? 0 : info.si_status,
            .code = exited ? info.si_status : 0,
        };
    }
    return 1;
}

/* The hard RLIMIT_RTTIME in /proc/PID/limits, which is readable for processes of other users; 0 without one. */
static uint64_t listed_mark(pid_t pid) {
    char path[32], text[4096];
    snprintf(path, sizeof path, "/proc/%d/limits", pid);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    ssize_t size = read(file, text, sizeof text - 1);
    close(file);
    if (size <= 0) return 0;
    text[size] = '\0';
    const char *line = strstr(text, "\nMax realtime timeout");
    if (line == NULL) return 0;
    unsigned long long soft = 0, hard = 0;
    /* "unlimited" is no number. */
    return sscanf(line + sizeof "\nMax realtime timeout" - 1, "%llu %llu", &soft, &hard) == 2 ? hard : 0;
}

uint64_t bgl_mark_of(pid_t pid) {
    struct rlimit limit;
    if (prlimit(pid, RLIMIT_RTTIME, NULL, &limit) != 0) return errno == EPERM ? listed_mark(pid) : 0;
    return limit.rlim_max == RLIM_INFINITY ? 0 : limit.rlim_max;
}

/* The structure of an entry of getdents64. */
struct entry {
    uint64_t inode;
    int64_t offset;
    unsigned short size;
    unsigned char type;
    char name[];
};

/* The number that a name consists of, or 0. */
static pid_t number_of(const char *name) {
    pid_t number = 0;
    for (; *name != '\0'; name++) {
        if (*name < '0' || *name > '9' || number > 100000000) return 0;
        number = number * 10 + (*name - '0');
    }
    return number;
}

/* Calls `visit` for each number in the directory, until it returns a negative errno. */
static int each_number(int directory, int (*visit)(pid_t number, void *context), void *context) {
    char buffer[8192] __attribute__((aligned(8)));
    if (lseek(directory, 0, SEEK_SET) != 0) return -errno;
    for (;;) {
        long size = syscall(SYS_getdents64, directory, buffer, sizeof buffer);
        if (size < 0) return -errno;
        if (size == 0) return 0;
        for (long at = 0; at < size; at += ((struct entry *)(buffer + at))->size) {
            pid_t number = number_of(((struct entry *)(buffer + at))->name);
            if (number == 0) continue;
            int status = visit(number, context);
            if (status < 0) return status;
        }
    }
}

struct collection {
    int directory;
    pid_t *numbers;
    int capacity;
    int count;
    int lists;
};

static int collect(pid_t number, void *context) {
    struct collection *collection = context;
    if (collection->count < collection->capacity) collection->numbers[collection->count] = number;
    collection->count++;
    return 0;
}

int bgl_numbers_in(int directory, pid_t *numbers, int capacity) {
    struct collection collection = {.directory = directory, .numbers = numbers, .capacity = capacity};
    int status = each_number(directory, collect, &collection);
    return status < 0 ? status : collection.count;
}

static int collect_children(pid_t thread, void *context) {
    struct collection *collection = context;
    char path[32];
    snprintf(path, sizeof path, "%d/children", thread);
    int file = openat(collection->directory, path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        /* The thread has ended, or the kernel has no such lists. */
        return errno == ENOENT || errno == ESRCH ? 0 : -errno;
    }
    collection->lists++;
    char buffer[4096];
    pid_t number = 0;
    ssize_t size;
    while ((size = read(file, buffer, sizeof buffer)) > 0) {
        for (ssize_t i = 0; i < size; i++) {
            if (buffer[i] >= '0' && buffer[i] <= '9') {
                number = number * 10 + (buffer[i] - '0');
            } else if (number != 0) {
                collect(number, collection);
                number = 0;
            }
        }
    }
    close(file);
    return 0;
}

int bgl_children(int threads, pid_t *children, int capacity) {
    struct collection collection = {.directory = threads, .numbers = children, .capacity = capacity};
    int status = each_number(threads, collect_children, &collection);
    if (status < 0) return status;
    return collection.lists == 0 ? -ENOSYS : collection.count;
}

static uint64_t soft_limit(__rlimit_resource_t resource) {
    struct rlimit limit;
    return getrlimit(resource, &limit) == 0 ? limit.rlim_cur : UINT64_MAX;
}

uint64_t bgl_descriptor_limit(void) { return soft_limit(RLIMIT_NOFILE); }

uint64_t bgl_process_limit(void) { return soft_limit(RLIMIT_NPROC); }

void bgl_fill_freed_memory(int byte) {
    /* The allocator does not fill blocks that it keeps in the cache of a thread: fill the cache up to its largest size. */
    enum { COUNT = 32, LARGEST = 1032 };
    mallopt(M_PERTURB, byte);
    for (size_t size = 24; size <= LARGEST; size += 16) {
        void *volatile blocks[COUNT];
        for (int index = 0; index < COUNT; index++) blocks[index] = malloc(size);
        for (int index = 0; index < COUNT; index++) free(blocks[index]);
    }
}
