/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
#include "bgl_timer.h"

#include <errno.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static int create(clockid_t clock) {
    const int timer = timerfd_create(clock, TFD_NONBLOCK | TFD_CLOEXEC);
    return timer < 0 ? -errno : timer;
}

static int set(int timer, int64_t instant_ns, int flags) {
    struct itimerspec spec = {0};
    if (instant_ns != 0) {
        /* A time before the clock's origin becomes its first nanosecond; zero would disarm the timer. */
        const int64_t at = instant_ns < 1 ? 1 : instant_ns;
        spec.it_value.tv_sec = at / 1000000000;
        spec.it_value.tv_nsec = at % 1000000000;
    }
    return timerfd_settime(timer, TFD_TIMER_ABSTIME | flags, &spec, NULL) < 0 ? -errno : 0;
}

int bgl_monotonic_timer_create(void) { return create(CLOCK_MONOTONIC); }
int bgl_wall_timer_create(void) { return create(CLOCK_REALTIME); }

int bgl_monotonic_timer_set(int timer, int64_t instant_ns) { return set(timer, instant_ns, 0); }
int bgl_wall_timer_set(int timer, int64_t instant_ns) { return set(timer, instant_ns, TFD_TIMER_CANCEL_ON_SET); }

int bgl_timer_read(int timer) {
    uint64_t count;
    if (read(timer, &count, sizeof count) == (ssize_t)sizeof count) return 1;
    return errno == ECANCELED ? 1 : 0;
}
