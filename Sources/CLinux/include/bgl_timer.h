/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
#ifndef BGL_TIMER_H
#define BGL_TIMER_H

#include <stdint.h>

/* Timers that go off at an instant of CLOCK_MONOTONIC, or of CLOCK_REALTIME. Non-blocking, close-on-exec. */
int bgl_monotonic_timer_create(void);
int bgl_wall_timer_create(void);

/* Sets the instant, in nanoseconds of the timer's clock; 0 disarms. One in the past goes off at once.
 * A wall timer that is armed goes off as well when the wall clock is set. Any thread. */
int bgl_monotonic_timer_set(int timer, int64_t instant_ns);
int bgl_wall_timer_set(int timer, int64_t instant_ns);

/* After it was reported readable: 1 when it went off, also by a clock that was set; 0 when it had not. */
int bgl_timer_read(int timer);

#endif
