/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: expire-at-once */

/* Ignores the expiration when a user stops its task. */

#define TASK "com.example.ignoresuser.task"
#define IGNORED BGT_EXPIRED_STOPPED_BY_USER

#include "IgnoresReason.h"
