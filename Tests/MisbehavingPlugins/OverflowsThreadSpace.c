/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: load-now */

/* Keeps more variables per thread in the space that the loader reserved at the start of the program than it has: the
 * loader refuses the library. */

#include <bgtask.h>

static __thread __attribute__((tls_model("initial-exec"))) char variables[1 << 20];

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)host;
    (void)plugin;
    variables[sizeof variables - 1] += 1;
    return variables[sizeof variables - 1] > 0 ? BGT_OK : BGT_INVALID;
}
