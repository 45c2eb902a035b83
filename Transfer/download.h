/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#ifndef TRANSFER_DOWNLOAD_H
#define TRANSFER_DOWNLOAD_H

#include "transfer.h"

/* Reads the cursor, and prepares the first request, or begins to read the file of an earlier try. */
void download_start(struct transfer *transfer);
/* Reads the next slice of that file. After the last one it prepares the first request, or ends the try. */
void download_read(struct transfer *transfer);
/* Finds out whether the next request asks for the rest of the file. */
void download_question(struct transfer *transfer);
/* Sets the handle's options of a download. */
CURLcode download_set(struct transfer *transfer);
void download_continue(struct transfer *transfer, CURLcode code);
void download_tick(struct transfer *transfer, int64_t now);
/* Writes the file to the disk and then moves the cursor, if bytes were received. Returns 0 or an errno. */
int download_checkpoint(struct transfer *transfer, int is_durable);
/* Begins the file anew as the answer describes it. Returns 0, or -1 when the try has ended. */
int download_begin_file(struct transfer *transfer);
/* Counts a restart. Returns 0, or -1 when the try has ended, because restarts bring no progress. */
int download_count_restart(struct transfer *transfer);
/* Discards the kept bytes and requests the whole file again, or ends the try. */
void download_restart(struct transfer *transfer);
/* Discards all kept bytes, durably. Returns 0, or -1 when the try has ended. */
int download_discard(struct transfer *transfer);
/* Accepts the rest of the file. Returns 0, or -1 when the try has ended. */
int download_accept_part(struct transfer *transfer);
/* Checks size and digests of the complete file. */
void download_verify(struct transfer *transfer);
/* Milliseconds of the monotonic clock. */
int64_t download_now(void);

#endif
