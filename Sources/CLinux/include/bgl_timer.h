/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
#ifndef BGL_TIMER_H
#define BGL_TIMER_H

#include <stdint.h>

/* Timers that expire at a time of CLOCK_MONOTONIC, or of CLOCK_REALTIME. Non-blocking, close-on-exec. */
int bgl_monotonic_timer_create(void);
int bgl_wall_timer_create(void);

/* Sets the time, in nanoseconds of the timer's clock; 0 disarms the timer. A time in the past expires at once. An armed
 * wall timer also expires when the wall clock is set. Any thread. */
int bgl_monotonic_timer_set(int timer, int64_t instant_ns);
int bgl_wall_timer_set(int timer, int64_t instant_ns);

/* Reads a timer that was reported readable: 1 when it has expired or the clock was set; 0 otherwise. */
int bgl_timer_read(int timer);

#endif
