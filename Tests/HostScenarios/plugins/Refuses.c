/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Its entry fails. */

#include <bgtask.h>

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    bgt_log(host, BGT_LOG_ERROR, "entry fails");
    return -7;
}
