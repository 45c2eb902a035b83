/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#include <bgtask.h>

/* Registers the handler for every identifier of the launch. Composed identifiers are known before entry, too: the
 * launch was started for them. */
static inline int32_t register_launched(const bgt_host *host, bgt_handler handler) {
    bgt_launch_info launch;
    BGTASK_TRY(bgt_get_launch_info(host, &launch));
    for (uint64_t index = 0; index < launch.identifier_count; index++) {
        BGTASK_TRY(bgt_register(host, launch.identifiers[index], handler, NULL));
    }
    return BGT_OK;
}
