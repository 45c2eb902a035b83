/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#include "loop.h"

#include "download.h"

enum { POLL_MS = 250, SOON_MS = 20, PUBLISH_MS = 100, PUBLISHED_MAX = 64 };

int loop_open(struct loop *loop, int64_t at_once) {
    *loop = (struct loop){.multi = curl_multi_init(), .at_once = at_once};
    return loop->multi != NULL && pthread_mutex_init(&loop->mutex, NULL) == 0 ? 0 : -1;
}

void loop_close(struct loop *loop) {
    curl_multi_cleanup(loop->multi);
    pthread_mutex_destroy(&loop->mutex);
}

void loop_wake(struct loop *loop) { curl_multi_wakeup(loop->multi); }

void loop_add(struct loop *loop, struct transfer *transfer) {
    struct transfer **last = &loop->inbox;
    pthread_mutex_lock(&loop->mutex);
    while (*last != NULL) {
        last = &(*last)->next;
    }
    *last = transfer;
    pthread_mutex_unlock(&loop->mutex);
    loop_wake(loop);
}

void loop_stop(struct loop *loop) {
    pthread_mutex_lock(&loop->mutex);
    loop->is_stopping = 1;
    pthread_mutex_unlock(&loop->mutex);
    loop_wake(loop);
}

static size_t count_of(const struct loop *loop, enum transfer_state state) {
    size_t count = 0;
    for (const struct transfer *at = loop->running; at != NULL; at = at->next) {
        count += at->state == state;
    }
    return count;
}

static void add_request(struct loop *loop, struct transfer *transfer) {
    if (transfer->state == TRANSFER_REQUESTS && curl_multi_add_handle(loop->multi, transfer->easy) != CURLM_OK) {
        transfer_fail(transfer, BGT_TRANSFER_END_TRANSIENT, BGT_TRANSFER_NETWORK, "the request could not be started");
    }
}

/* The oldest waiting transfer, if another one may run; `goes_on` receives whether transfers are left or may come. */
static struct transfer *take_next(struct loop *loop, int *goes_on) {
    const size_t active = count_of(loop, TRANSFER_REQUESTS) + count_of(loop, TRANSFER_READS);
    const int has_place = (int64_t)active < loop->at_once
                       && count_of(loop, TRANSFER_READY) < PUBLISHED_MAX;
    pthread_mutex_lock(&loop->mutex);
    struct transfer *transfer = has_place ? loop->inbox : NULL;
    *goes_on = !loop->is_stopping || loop->inbox != NULL || loop->running != NULL;
    if (transfer != NULL) {
        loop->inbox = transfer->next;
    }
    pthread_mutex_unlock(&loop->mutex);
    return transfer;
}

/* Returns whether the loop has to go on. */
static int start_transfers(struct loop *loop) {
    int goes_on = 0;
    for (struct transfer *transfer; (transfer = take_next(loop, &goes_on)) != NULL;) {
        transfer->next = loop->running;
        loop->running = transfer;
        transfer->rate = transfer->spec.rate > 0 ? &loop->rate : &loop->no_rate;
        if (transfer->spec.rate > 0) {
            rate_lower(&loop->rate, transfer->spec.rate);
        }
        transfer_start(transfer);
        add_request(loop, transfer);
    }
    return goes_on;
}

static void continue_transfers(struct loop *loop) {
    int left = 0;
    for (CURLMsg *message; (message = curl_multi_info_read(loop->multi, &left)) != NULL;) {
        struct transfer *transfer = NULL;
        if (message->msg != CURLMSG_DONE) {
            continue;
        }
        const CURLcode code = message->data.result;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&transfer);
        curl_multi_remove_handle(loop->multi, message->easy_handle);
        transfer_continue(transfer, code);
        add_request(loop, transfer);
    }
}

static void tick(struct loop *loop) {
    const int64_t now = download_now();
    for (struct transfer *at = loop->running; at != NULL; at = at->next) {
        const int is_active = at->state == TRANSFER_REQUESTS || at->state == TRANSFER_READS;
        if (is_active && at->host->is_expiring(at->host->context, at->task)) {
            transfer_interrupt(at);
        } else if (at->state == TRANSFER_REQUESTS) {
            transfer_tick(at, now);
        }
    }
}

static void read_files(struct loop *loop) {
    for (struct transfer *at = loop->running; at != NULL; at = at->next) {
        if (at->state == TRANSFER_READS) {
            download_read(at);
            add_request(loop, at);
        }
    }
}

/* Whether complete files are renamed now: many together, because each write to the disk costs the same time for one as
 * for many, but soon. */
static int is_time_to_publish(struct loop *loop) {
    const size_t count = count_of(loop, TRANSFER_READY);
    const int64_t now = download_now();
    if (count == 0 || loop->ready_since == 0) {
        loop->ready_since = count == 0 ? 0 : now;
    }
    return count == PUBLISHED_MAX || count_of(loop, TRANSFER_REQUESTS) == 0 || now - loop->ready_since >= PUBLISH_MS;
}

static void publish(struct loop *loop) {
    struct transfer *ready[PUBLISHED_MAX];
    struct part *parts[PUBLISHED_MAX];
    int problems[PUBLISHED_MAX];
    size_t count = 0;
    for (struct transfer *at = loop->running; at != NULL && count < PUBLISHED_MAX; at = at->next) {
        if (at->state == TRANSFER_READY) {
            parts[count] = &at->part;
            ready[count++] = at;
        }
    }
    if (count == 0) {
        return;
    }
    loop->ready_since = 0;
    part_publish(parts, problems, count);
    for (size_t i = 0; i < count; i++) {
        transfer_published(ready[i], problems[i]);
    }
}

static void release_ended(struct loop *loop) {
    for (struct transfer **at = &loop->running; *at != NULL;) {
        struct transfer *transfer = *at;
        if (transfer->state == TRANSFER_ENDED) {
            *at = transfer->next;
            curl_multi_remove_handle(loop->multi, transfer->easy);
            transfer_release(transfer);
        } else {
            at = &transfer->next;
        }
    }
}

/* Waits for the network, a wake-up or the next tick, unless a transfer has more to do. */
static void wait(struct loop *loop) {
    int limit = loop->running != NULL && count_of(loop, TRANSFER_REQUESTS) == 0 ? 0 : POLL_MS;
    limit = count_of(loop, TRANSFER_READS) > 0 ? 0 : limit;
    for (const struct transfer *at = loop->running; at != NULL; at = at->next) {
        const int is_soon = at->is_paused || at->state == TRANSFER_READY;
        limit = at->state == TRANSFER_ENDED ? 0 : is_soon && limit > SOON_MS ? SOON_MS : limit;
    }
    curl_multi_poll(loop->multi, NULL, 0, limit, NULL);
}

/* Lets transfers go on that wait for the rate. */
static void resume_paused(struct loop *loop) {
    rate_refill(&loop->rate, download_now());
    for (struct transfer *at = loop->running; at != NULL && !rate_is_exhausted(&loop->rate); at = at->next) {
        if (at->is_paused && at->state == TRANSFER_REQUESTS) {
            at->is_paused = 0;
            curl_easy_pause(at->easy, CURLPAUSE_CONT);
        }
    }
}

void loop_run(struct loop *loop) {
    while (start_transfers(loop)) {
        int active = 0;
        wait(loop);
        resume_paused(loop);
        curl_multi_perform(loop->multi, &active);
        continue_transfers(loop);
        tick(loop);
        read_files(loop);
        if (is_time_to_publish(loop)) {
            publish(loop);
        }
        release_ended(loop);
    }
}
