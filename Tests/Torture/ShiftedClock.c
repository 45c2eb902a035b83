/* Part of bgtask, under the Apache License 2.0; see LICENSE.
 *
 * Shifts the wall clock of the program into which it is preloaded by the seconds that the file $SHIFTED_CLOCK has
 * as int64_t. Also covers the newest timer on the wall clock: the program's first reading of a new shift makes that
 * timer fire, as the kernel does when the clock is set. */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *shift;
static int64_t seen;
static int timer = -1;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("SHIFTED_CLOCK");
    const int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) {
        return;
    }
    void *memory = mmap(NULL, sizeof *shift, PROT_READ, MAP_SHARED, file, 0);
    shift = memory == MAP_FAILED ? NULL : memory;
    close(file);
}

static int set(int number, int flags, int64_t seconds, long nanoseconds) {
    const struct itimerspec spec = {.it_value = {.tv_sec = seconds, .tv_nsec = nanoseconds}};
    return (int)syscall(SYS_timerfd_settime, number, flags, &spec, NULL);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    const long status = syscall(SYS_clock_gettime, clock, now);
    if (status == 0 && clock == CLOCK_REALTIME && shift) {
        const int64_t seconds = *shift;
        now->tv_sec += seconds;
        if (__atomic_exchange_n(&seen, seconds, __ATOMIC_SEQ_CST) != seconds && timer >= 0) {
            set(timer, TFD_TIMER_ABSTIME, 0, 1);
        }
    }
    return (int)status;
}

int timerfd_create(int clock, int flags) {
    const int number = (int)syscall(SYS_timerfd_create, clock, flags);
    if (clock == CLOCK_REALTIME) {
        timer = number;
    }
    return number;
}

int timerfd_settime(int number, int flags, const struct itimerspec *new, struct itimerspec *old) {
    const int is_set = new->it_value.tv_sec != 0 || new->it_value.tv_nsec != 0;
    if (number != timer || !shift || !is_set) {
        return (int)syscall(SYS_timerfd_settime, number, flags, new, old);
    }
    const int64_t seconds = new->it_value.tv_sec - *shift;
    return seconds < 0 ? set(number, flags, 0, 1) : set(number, flags, seconds, new->it_value.tv_nsec);
}
