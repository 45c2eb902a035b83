/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#ifndef TRANSFER_LOOP_H
#define TRANSFER_LOOP_H

#include "transfer.h"

#include <pthread.h>

/* All transfers of a process, on one thread with one set of connections. */
struct loop {
    CURLM *multi;
    pthread_mutex_t mutex;
    struct transfer *inbox; /* oldest first; guarded by the mutex, as is `is_stopping` */
    int is_stopping;
    struct transfer *running;
    int64_t ready_since; /* when the oldest complete file was ready to be renamed, in milliseconds; 0: there is none */
    struct rate rate;    /* of the transfers that have a rate */
    struct rate no_rate; /* of the other ones, without a limit */
    int64_t at_once; /* most running transfers; further ones wait */
};

/* Returns 0, or -1 when curl cannot work. */
int loop_open(struct loop *loop, int64_t at_once);
/* Adds a transfer, from any thread. The loop releases it after its end. */
void loop_add(struct loop *loop, struct transfer *transfer);
/* Examines all transfers soon, because one is expiring. From any thread. */
void loop_wake(struct loop *loop);
/* Ends `loop_run` after the end of the last transfer. From any thread. */
void loop_stop(struct loop *loop);
/* Runs until `loop_stop`. */
void loop_run(struct loop *loop);
void loop_close(struct loop *loop);

#endif
