/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: condition-lost */

/* Ignores the expiration when the network is lost. */

#define TASK "com.example.ignoresloss.task"
#define IGNORED BGT_EXPIRED_NETWORK_LOST

#include "IgnoresReason.h"
