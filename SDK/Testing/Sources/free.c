/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* The end of the memory of a fake host. */

#include "host.h"
#include "submission.h"
#include "transfers.h"
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static void free_list(list *list, void (*free_item)(void *item)) {
    for (size_t index = 0; index < list->count; index++) free_item(list->items[index]);
    free(list->items);
}

void free_setting(void *item) {
    setting *setting = item;
    free(setting->key);
    free(setting->value);
    free(setting);
}

static void free_registration(void *item) {
    free(((registration *)item)->name);
    free(item);
}

static void free_task(void *item) {
    task *task = item;
    free(task->identifier);
    free(task->payload);
    free(task->title);
    free(task->subtitle);
    free(task->shown_title);
    free(task->shown_subtitle);
    free(task->message);
    free(task);
}

static void free_refusal(void *item) {
    free(((refusal *)item)->text);
    free(item);
}

static void free_submission(void *item) { free_request(item); }

static void free_cursor(void *item) {
    free(((cursor *)item)->identifier);
    free(((cursor *)item)->version);
    free(item);
}

static void free_line(void *item) {
    free((char *)((bgtt_line *)item)->text);
    free(item);
}

/* False in entry, which may still call the host. */
static bool end_launch(bgtt_host *host, const char *call) {
    lock(host);
    const phase phase = host->phase;
    unlock(host);
    if (phase == ENTRY) {
        complain("%s was called in entry; call it after bgtt_enter has returned", call);
        return false;
    }
    if (phase == RUNNING) (void)bgtt_end(host);
    return true;
}

/* Keeps the retired hosts reachable: a leak sanitizer reports no leak. */
static bgtt_host *retired;
static pthread_mutex_t retired_lock = PTHREAD_MUTEX_INITIALIZER;

void bgtt_retire(bgtt_host *host) {
    if (host == NULL || !end_launch(host, "bgtt_retire")) return;
    lock(host);
    host->phase = ENDED;
    unlock(host);
    (void)join_workers(host);
    pthread_mutex_lock(&retired_lock);
    host->next_retired = retired;
    retired = host;
    pthread_mutex_unlock(&retired_lock);
}

void bgtt_free(bgtt_host *host) {
    if (host == NULL || !end_launch(host, "bgtt_free")) return;
    if (!join_workers(host)) return;
    free_list(&host->permitted, free);
    free_list(&host->settings, free_setting);
    free_list(&host->registrations, free_registration);
    free_list(&host->tasks, free_task);
    free_list(&host->assertions, free);
    free_list(&host->refusals, free_refusal);
    free_list(&host->submissions, free_submission);
    free(host->pending.items);
    free_list(&host->cancellations, free);
    free_list(&host->violations, free);
    free_list(&host->lines, free_line);
    free_list(&host->cursors, free_cursor);
    free_list(&host->withheld, free);
    free_list(&host->texts, free);
    free_list(&host->workers, free);
    free_list(&host->transfers, free_transfer);
    free(host->batch);
    free(host->plugin);
    free(host->container);
    if (host->page != NULL) munmap(host->page, 2 * (size_t)sysconf(_SC_PAGESIZE));
    munmap((void *)host->table, (size_t)sysconf(_SC_PAGESIZE));
    pthread_cond_destroy(&host->changed);
    pthread_mutex_destroy(&host->lock);
    free(host);
}
