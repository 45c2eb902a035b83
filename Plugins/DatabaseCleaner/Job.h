/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#ifndef DATABASE_CLEANER_JOB_H
#define DATABASE_CLEANER_JOB_H

#include <bgtask.h>
#include <sqlite3.h>

/* Work on the database for one delivered task. It can be stopped at any time, and completes the task exactly once. It
 * is independent of the kind of work.
 *
 * The handler's thread does all the work, including the completion. The expiration handler only interrupts that thread;
 * it never completes the task, so the two cannot race. */
struct job;

/* Begins work on the task. NULL: out of memory, and the task is completed. */
struct job *job_begin(const bgt_host *host, bgt_task task);

/* Opens the database, which must exist; every statement on it stops with the job. NULL: the error is logged. */
sqlite3 *job_open(struct job *job, const char *path);

/* 1 when the task is expiring. Poll it between two steps; running statements stop by themselves. */
int job_must_stop(const struct job *job);

/* Waits unless the job must stop, and returns job_must_stop. */
int job_pause(struct job *job, int64_t milliseconds);

/* The reason to stop, as text for users. Valid until job_end. */
const char *job_stop_reason(const struct job *job);

/* Closes the database, completes the task and frees the job. */
void job_end(struct job *job, int32_t outcome);

#endif
