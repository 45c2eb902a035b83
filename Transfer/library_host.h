/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#ifndef TRANSFER_LIBRARY_HOST_H
#define TRANSFER_LIBRARY_HOST_H

#include "transfer.h"

/* The functions of a transfer, by the host table. */
struct transfer_host library_host(const bgt_host *host);
/* Reports the end of a try, and completes its task. `context` is the host table. */
void library_ended(void *context, bgt_task task, const bgt_transfer_end *end);
/* As spec_secret. `context` is the host table. */
int library_secret(void *context, const char *key, char *buffer, size_t capacity);

#endif
