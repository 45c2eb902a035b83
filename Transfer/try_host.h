/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#ifndef TRANSFER_TRY_HOST_H
#define TRANSFER_TRY_HOST_H

#include "transfer.h"

/* The host of transfer-try. The number of a task is the address of the path of its description. */
extern const struct transfer_host try_host;

/* Installs the handler of SIGTERM. */
void try_begin(void);
/* Adds a secret setting, written as KEY=VALUE. */
void try_add_secret(const char *text);
/* Prints each progress report to the standard error. */
void try_show_progress(void);
/* As spec_secret. */
int try_secret(void *context, const char *key, char *buffer, size_t capacity);

#endif
