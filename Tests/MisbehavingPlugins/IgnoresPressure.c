/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: expire-late */

/* Ignores the expiration under memory pressure. */

#define TASK "com.example.ignorespressure.task"
#define IGNORED BGT_EXPIRED_MEMORY_PRESSURE

#include "IgnoresReason.h"
