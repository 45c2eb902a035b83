/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#ifndef DATABASE_CLEANER_JOB_H
#define DATABASE_CLEANER_JOB_H

#include "Settings.h"

#include <bgtask.h>
#include <sqlite3.h>

/* Work on the database for one delivered task. It can be stopped at any time, and completes the task exactly once. It
 * is independent of the kind of work.
 *
 * The handler's thread does all the work, including the completion. The expiration handler only interrupts that thread;
 * it never completes the task, so the two cannot race. */
struct job;

/* A kind of work on the database. */
struct work {
    const char *identifier;                                   /* of the task that does the work */
    int64_t (*next_minutes)(const struct settings *settings); /* minutes to the next run; 0: none is submitted */
    /* 1: `run` submits the next run at its end, because a newer request would end the task in place of its continuation
     * after an interruption. 0: job_run submits it first. */
    int submits_next;
    /* Does the work and returns the outcome. Every statement on the database stops with the job. */
    int32_t (*run)(struct job *job, const bgt_host *host, bgt_task task, sqlite3 *database,
                   const struct settings *settings);
};

/* Opens the database, which must exist, does the work and completes the task. If a setting is invalid or the database
 * cannot be opened, it logs the error, and the task fails; the next run is submitted anyway. */
void job_run(const bgt_host *host, bgt_task task, const struct work *work);

/* 1 when the task is expiring or completed, or when the budget is used up. Poll it between two steps; running
 * statements stop by themselves. */
int job_must_stop(const struct job *job);

/* Waits unless the job must stop, and returns job_must_stop. */
int job_pause(struct job *job, int64_t milliseconds);

/* The reason to stop, as text for users. Valid until the end of the work. */
const char *job_stop_reason(const struct job *job);

#endif
