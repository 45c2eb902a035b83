/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#ifndef DATABASE_CLEANER_JOB_H
#define DATABASE_CLEANER_JOB_H

#include <bgtask.h>
#include <sqlite3.h>

/* One delivered task at work on the database: can be told to stop at any moment, and is completed exactly once.
 * What the work is, it does not know.
 *
 * The handler's thread does everything, the completion included. The expiration handler only breaks off what that
 * thread waits for; it never completes, so the two cannot race for it. */
struct job;

/* Takes the task on. NULL: out of memory, and the task is completed already. */
struct job *job_begin(const bgt_host *host, bgt_task task);

/* Opens the database, which must exist, and makes every statement on it stop with the job. NULL: logged. */
sqlite3 *job_open(struct job *job, const char *path);

/* 1 once the task is expiring. Poll it between two pieces of work; statements under way stop by themselves. */
int job_must_stop(const struct job *job);

/* Waits, unless the job must stop. As job_must_stop. */
int job_pause(struct job *job, int64_t milliseconds);

/* Why it must stop, for people. Until job_end. */
const char *job_stop_reason(const struct job *job);

/* Closes the database and completes the task. The job is gone. */
void job_end(struct job *job, int32_t outcome);

#endif
