/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* libdispatch sets the nice value of each of its threads: 0, whatever nice or systemd's Nice= gave the program, and -4
 * or -2 for some. Without CAP_SYS_NICE it logs "Failed to set thread priority for worker thread" at each start. The
 * program defines the function before the C library does, so that its threads keep the value of the program. The host
 * sets no priority itself, and the runner, which loads plugins, does not link this file. */

#include "CKeptPriority.h"

#include <sys/resource.h>

int setpriority(__priority_which_t which, id_t who, int priority) {
    (void)which;
    (void)who;
    (void)priority;
    return 0;
}
