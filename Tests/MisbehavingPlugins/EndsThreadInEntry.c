/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: thread-kept */

/* Ends the main thread in entry. */

#include <bgtask.h>

#include <pthread.h>

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)host, (void)plugin;
    pthread_exit(NULL);
}
