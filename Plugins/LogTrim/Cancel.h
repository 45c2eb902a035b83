/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#ifndef LOGTRIM_CANCEL_H
#define LOGTRIM_CANCEL_H

#include <stdint.h>

/* Another thread may set the flag at any time. It publishes no other data, so relaxed order suffices. */
static inline int is_cancelled(const int32_t *cancel) {
    return cancel != 0 && __atomic_load_n(cancel, __ATOMIC_RELAXED) != 0;
}

#endif
