/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#ifndef TRANSFER_RATE_H
#define TRANSFER_RATE_H

#include <stdint.h>

/* The byte rate of a launch, which all its transfers with a rate share: a token bucket of a quarter of a second. curl's
 * own limit is one for each transfer, and does not slow down short ones. */
struct rate {
    int64_t per_second; /* 0: no limit */
    int64_t tokens;     /* may be negative: a piece is never split */
    int64_t refilled_at; /* in milliseconds */
};

/* Far above each network, and small enough for the multiplication below. */
#define RATE_MAX ((int64_t)1 << 50)

/* Lowers the rate: the lowest one of several transfers counts. */
static inline void rate_lower(struct rate *rate, int64_t per_second) {
    const int64_t bounded = per_second < RATE_MAX ? per_second : RATE_MAX;
    if (rate->per_second == 0 || bounded < rate->per_second) {
        rate->per_second = bounded;
    }
}

static inline int rate_is_exhausted(const struct rate *rate) { return rate->per_second > 0 && rate->tokens <= 0; }

static inline void rate_take(struct rate *rate, int64_t bytes) { rate->tokens -= rate->per_second > 0 ? bytes : 0; }

static inline void rate_refill(struct rate *rate, int64_t now) {
    const int64_t most = rate->per_second / 4 + 1;
    const int64_t elapsed = now - rate->refilled_at < 1000 ? now - rate->refilled_at : 1000;
    const int64_t tokens = rate->tokens + rate->per_second * elapsed / 1000;
    if (tokens != rate->tokens || rate->per_second == 0) {
        rate->tokens = tokens < most ? tokens : most;
        rate->refilled_at = now;
    }
}

#endif
