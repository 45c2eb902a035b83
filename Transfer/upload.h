/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#ifndef TRANSFER_UPLOAD_H
#define TRANSFER_UPLOAD_H

#include "transfer.h"

/* Opens the file and prepares the request. HTTP has no standard way to continue an upload: each try sends it whole. */
void upload_start(struct transfer *transfer);
CURLcode upload_set(struct transfer *transfer);
int upload_is_post(const struct transfer *transfer);
/* Keeps the beginning of the response's body: a write function of curl. */
size_t upload_read_answer(char *bytes, size_t size, size_t count, void *transfer);
void upload_continue(struct transfer *transfer, CURLcode code);
/* Ends an upload whose response cannot be stored. A POST is not repeated for it. */
void upload_fail_answer(struct transfer *transfer, int problem);
/* Reports progress, and limits the time of the wait for a response. `now` in milliseconds. */
void upload_tick(struct transfer *transfer, int64_t now);
/* Ends an expiring POST that was sent whole: a repetition could have its effect twice. */
void upload_interrupt(struct transfer *transfer);

#endif
