/* Part of bgtask, under the Apache License 2.0; see LICENSE.
 *
 * The lateness of kills: those of a host, whose runners announce themselves as in Overstays.c, and, alternating
 * with them, those of this program by a timer and a child of its own, which has the session and the threads of a
 * runner. `Kills FIFO` prints one line for each, the nanoseconds from the kill time to the end of the process:
 * `host N`; `timer N M`, where M is the lateness of the wake-up alone. Runs until it is killed: the FIFO never reaches
 * its end. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* As many as a runner of one plugin without threads of its own has. */
enum { THREADS = 5 };

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Waits for the end of a process and returns the time of the end. */
static int64_t end_of(int process) {
    struct pollfd end = {.fd = process, .events = POLLIN};
    while (poll(&end, 1, -1) != 1) {
    }
    return now_ns();
}

static void *stay(void *unused) {
    for (;;) pause();
    return unused;
}

/* A process like a runner: with a session and some threads of its own. The kernel gives each session a fair share of
 * the processors, and every thread needs a processor to end. */
static void be_runner(void) {
    setsid();
    for (int index = 1; index < THREADS; index++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, stay, NULL) != 0) _exit(1);
    }
    stay(NULL);
}

static int kill_by_timer(void) {
    const int64_t due = now_ns() + 20000000;
    const struct itimerspec time = {.it_value = {.tv_sec = due / 1000000000, .tv_nsec = due % 1000000000}};
    const int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    const pid_t child = fork();
    if (child == 0) be_runner();
    const int process = (int)syscall(SYS_pidfd_open, child, 0);
    uint64_t count;
    if (timer < 0 || child < 0 || process < 0 || timerfd_settime(timer, TFD_TIMER_ABSTIME, &time, NULL) != 0 ||
        read(timer, &count, sizeof count) != sizeof count) {
        return 1;
    }
    const int64_t woken = now_ns();
    syscall(SYS_pidfd_send_signal, process, SIGKILL, NULL, 0);
    printf("timer %lld %lld\n", (long long)(end_of(process) - due), (long long)(woken - due));
    close(process);
    close(timer);
    return waitpid(child, NULL, 0) != child;
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    /* Opened for writing as well, so that the end of a launch is no end of the file. */
    const int fifo = open(argv[1], O_RDWR | O_CLOEXEC);
    if (fifo < 0) return 1;
    uint64_t record[2];
    while (read(fifo, record, sizeof record) == sizeof record) {
        const int process = (int)syscall(SYS_pidfd_open, (pid_t)record[0], 0);
        if (process < 0) {
            printf("missed %llu\n", (unsigned long long)record[0]);
        } else {
            printf("host %lld\n", (long long)(end_of(process) - (int64_t)record[1]));
            close(process);
        }
        fflush(stdout);
        if (kill_by_timer() != 0) return 1;
        fflush(stdout);
    }
    return 1;
}
