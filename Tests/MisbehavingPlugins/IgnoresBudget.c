/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: expire-in-time */

/* Ignores the expiration when its budget is used up. */

#define TASK "com.example.ignoresbudget.task"
#define IGNORED BGT_EXPIRED_BUDGET

#include "IgnoresReason.h"
