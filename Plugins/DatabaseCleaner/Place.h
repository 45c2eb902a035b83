/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#ifndef DATABASE_CLEANER_PLACE_H
#define DATABASE_CLEANER_PLACE_H

#include <bgtask.h>

/* The place of a task in its work: the highest row id of its last committed batch. The host keeps it as the task's
 * cursor, over crashes and launches, until the task succeeds. */

/* The place where an earlier run of the task ended; INT64_MIN for the start. */
int64_t place_read(const bgt_host *host, bgt_task task);

/* Moves the place behind work that is committed. On a host without cursors it has no effect. */
void place_move(const bgt_host *host, bgt_task task, int64_t row);

/* 1 if the host runs the expiring task again at its place, without a new request. */
int place_is_kept(const bgt_host *host, bgt_task task);

#endif
