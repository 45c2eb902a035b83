/* Part of bgtask, under the Apache License 2.0; see LICENSE.
 *
 * The lateness of a plain timer: `Timers SECONDS` sleeps until a time, every 10 ms, and prints this time and the time
 * of the wake-up, in nanoseconds of the monotonic clock. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    struct timespec due, now;
    clock_gettime(CLOCK_MONOTONIC, &due);
    for (long round = atol(argv[1]) * 100; round > 0; round--) {
        due.tv_nsec += 10000000;
        if (due.tv_nsec >= 1000000000) {
            due.tv_sec++;
            due.tv_nsec -= 1000000000;
        }
        if (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL) != 0) return 1;
        clock_gettime(CLOCK_MONOTONIC, &now);
        printf("%lld %lld\n", (long long)due.tv_sec * 1000000000 + due.tv_nsec,
               (long long)now.tv_sec * 1000000000 + now.tv_nsec);
    }
    return 0;
}
