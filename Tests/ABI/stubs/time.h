/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Stands for the C library's <time.h> of an architecture whose C library is not installed. */
#define TIME_UTC 1
typedef long time_t;
struct timespec {
    time_t tv_sec;
    long tv_nsec;
};
int timespec_get(struct timespec *time, int base);
