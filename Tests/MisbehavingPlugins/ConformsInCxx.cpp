/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* passes; tasks: task */

/* Keeps every rule, in C++: exceptions end in the handler, and the task completes as failed. */

#include <bgtask.h>

#include <chrono>
#include <stdexcept>
#include <thread>

static void work(const bgt_host *host, bgt_task task) {
    for (int step = 0; step < 10; step++) {
        if (bgt_is_expiring(host, task)) {
            throw std::runtime_error("expired");
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
}

static void run(void *, const bgt_host *host, bgt_task task) noexcept {
    try {
        work(host, task);
        bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
    } catch (const std::exception &error) {
        bgt_complete_with_message(host, task, BGT_OUTCOME_FAILURE, error.what());
    }
}

static void receive(void *, const bgt_host *host, bgt_task event) noexcept {
    bgt_complete(host, event, BGT_OUTCOME_NO_DATA);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    plugin->receive = receive;
    return bgt_register(host, "com.example.conformsincxx.task", run, nullptr);
}
