/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#ifndef TRANSFER_UPLOAD_H
#define TRANSFER_UPLOAD_H

#include "transfer.h"

/* Opens the file and prepares the request. HTTP has no standard way to continue an upload: each try sends it whole. */
void upload_start(struct transfer *transfer);
CURLcode upload_set(struct transfer *transfer);
void upload_continue(struct transfer *transfer, CURLcode code);
void upload_tick(struct transfer *transfer);

#endif
