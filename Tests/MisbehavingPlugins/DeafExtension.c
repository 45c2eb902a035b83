/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: receives-triggers; role: extension */

/* An extension without `receive`: its triggers have no receiver. */

#include <bgtask.h>

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    bgt_log(host, BGT_LOG_INFO, "entered, and deaf");
    return BGT_OK;
}
