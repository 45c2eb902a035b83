/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#define _POSIX_C_SOURCE 200809L

#include "Job.h"

#include "DatabaseCleaner.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STEPS_BETWEEN_POLLS = 1000, BUSY_RETRY_MS = 20 };

struct job {
    const bgt_host *host;
    bgt_task task;
    atomic_int holders; /* the handler's thread, and the host on behalf of the expiration handler */
    pthread_mutex_t lock;
    pthread_cond_t stopped;
    int is_stopped;    /* under lock */
    sqlite3 *database; /* set and cleared under lock: sqlite3_interrupt must not run during sqlite3_close */
};

static void job_release(void *context) {
    struct job *job = context;
    if (atomic_fetch_sub(&job->holders, 1) == 1) {
        pthread_cond_destroy(&job->stopped);
        pthread_mutex_destroy(&job->lock);
        free(job);
    }
}

static void expire(void *context, const bgt_host *host, bgt_task task, uint32_t reason) {
    (void)host, (void)task, (void)reason;
    struct job *job = context;
    pthread_mutex_lock(&job->lock);
    job->is_stopped = 1;
    if (job->database != NULL) {
        sqlite3_interrupt(job->database);
    }
    pthread_cond_broadcast(&job->stopped);
    pthread_mutex_unlock(&job->lock);
}

/* NULL: out of memory, and the task is completed. */
static struct job *begin(const bgt_host *host, bgt_task task) {
    struct job *job = calloc(1, sizeof *job);
    if (job == NULL) {
        bgt_log(host, BGT_LOG_ERROR, "out of memory");
        bgt_complete(host, task, BGT_OUTCOME_FAILURE);
        return NULL;
    }
    job->host = host;
    job->task = task;
    atomic_init(&job->holders, 2);
    pthread_mutex_init(&job->lock, NULL);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&job->stopped, &monotonic);
    pthread_condattr_destroy(&monotonic);
    /* Fails only when the launch is over; then the host has released its reference, and polling still works. */
    (void)bgt_set_expiration_handler_with_release(host, task, expire, job, job_release);
    return job;
}

/* An interrupt has no effect while no statement runs; this poll stops the next statement. */
static int poll_while_stepping(void *context) {
    return job_must_stop(context);
}

/* Another writer holds the lock: the other task, or a program that shares the file. Retries until the job must stop. */
static int wait_for_lock(void *context, int attempt) {
    (void)attempt;
    return !job_pause(context, BUSY_RETRY_MS);
}

/* NULL: the error is logged. */
static sqlite3 *open_database(struct job *job, const char *path) {
    if (access(path, F_OK) != 0) {
        log_line(job->host, BGT_LOG_ERROR, "database %s: %s; create it or correct the setting database", path,
                 strerror(errno));
        return NULL;
    }
    sqlite3 *database = NULL;
    const int result = sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE, NULL);
    if (result != SQLITE_OK) {
        log_line(job->host, BGT_LOG_ERROR, "database %s cannot be opened: %s", path,
                 database != NULL ? sqlite3_errmsg(database) : sqlite3_errstr(result));
        sqlite3_close(database);
        return NULL;
    }
    sqlite3_progress_handler(database, STEPS_BETWEEN_POLLS, poll_while_stepping, job);
    sqlite3_busy_handler(database, wait_for_lock, job);
    /* Otherwise a misspelt column name would be a string literal. */
    sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
    sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_FKEY, 1, NULL);
    pthread_mutex_lock(&job->lock);
    job->database = database;
    pthread_mutex_unlock(&job->lock);
    return database;
}

int job_must_stop(const struct job *job) {
    return bgt_is_expiring(job->host, job->task) || bgt_remaining(job->host) == 0;
}

int job_pause(struct job *job, int64_t milliseconds) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += milliseconds % 1000 * 1000000;
    until.tv_sec += milliseconds / 1000 + until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&job->lock);
    while (!job->is_stopped && pthread_cond_timedwait(&job->stopped, &job->lock, &until) == 0) {
    }
    pthread_mutex_unlock(&job->lock);
    return job_must_stop(job);
}

const char *job_stop_reason(const struct job *job) {
    bgt_task_info info;
    if (bgt_get_task_info(job->host, job->task, &info) != BGT_OK) {
        return "the launch is over";
    }
    switch (info.expiration_reason) {
    case BGT_EXPIRED_EXTERNAL_POWER_LOST: return "external power was lost";
    case BGT_EXPIRED_NETWORK_LOST: return "the network was lost";
    case BGT_EXPIRED_NOT_IDLE: return "the machine is in use";
    case BGT_EXPIRED_STOPPED_BY_USER: return "a user stopped it";
    case BGT_EXPIRED_MEMORY_PRESSURE: return "memory is short";
    case BGT_EXPIRED_HOST_SHUTDOWN: return "the host shuts down";
    default: return "the time budget is used up";
    }
}

/* Closes the database, completes the task and frees the job. */
static void end(struct job *job, int32_t outcome) {
    const bgt_host *host = job->host;
    const bgt_task task = job->task;
    pthread_mutex_lock(&job->lock);
    sqlite3 *database = job->database;
    job->database = NULL;
    pthread_mutex_unlock(&job->lock);
    sqlite3_close(database);
    job_release(job);
    /* Last, because the process may end after this call. */
    bgt_complete(host, task, outcome);
}

void job_run(const bgt_host *host, bgt_task task, const struct work *work) {
    struct job *job = begin(host, task);
    if (job == NULL) {
        return;
    }
    struct settings settings;
    const int settings_are_good = settings_read(host, &settings) == 0;
    const int64_t minutes = work->next_minutes(&settings);
    if (minutes > 0 && !work->submits_next) {
        submit_in(host, work->identifier, minutes);
    }
    sqlite3 *database = settings_are_good ? open_database(job, settings.database) : NULL;
    if (database == NULL && minutes > 0 && work->submits_next) {
        submit_in(host, work->identifier, minutes);
    }
    end(job, database != NULL ? work->run(job, host, task, database, &settings) : BGT_OUTCOME_FAILURE);
}
