/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: no-unwinding */

/* An exception leaves the handler: the C++ runtime ends the process. */

#include <bgtask.h>

#include <stdexcept>

static void work() {
    throw std::runtime_error("nothing catches this");
}

static void run(void *, const bgt_host *, bgt_task) noexcept {
    work();
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    return bgt_register(host, "com.example.throwsthrough.task", run, nullptr);
}
