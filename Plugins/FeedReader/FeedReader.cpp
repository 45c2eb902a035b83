// Part of bgtask, under the Apache License 2.0; see LICENSE.

// The plugin: what it registers, when it asks to run, and where exceptions end. The work itself is in Refresh.cpp.

#include "Host.hpp"
#include "Refresh.hpp"

#include <exception>
#include <string_view>

namespace {

constexpr const char *refreshIdentifier = "com.example.feedreader.refresh";

std::int32_t submitIn(const Host &host, std::int64_t minutes) {
    bgt_request request = bgt_refresh_request(refreshIdentifier);
    request.earliest_begin_ns = minutes > 0 ? bgt_seconds_from_now(minutes * 60) : 0;
    bgt_refusal refusal{};
    const std::int32_t status = bgt_submit(host.table(), &request, &refusal);
    if (status != BGT_OK) {
        host.log(BGT_LOG_WARNING, std::string("the next refresh was not submitted: ")
                                      + bgt_status_name(host.table(), status) + ": " + refusal.text);
    }
    return status;
}

// First thing: whatever happens to this refresh, the next one is on its way.
void submitNext(const Host &host) {
    std::int64_t minutes = 30;
    try {
        minutes = host.number("every-minutes", minutes, 0, 525600);
    } catch (const std::exception &problem) {
        host.log(BGT_LOG_ERROR, problem.what());
    }
    if (minutes > 0) {
        submitIn(host, minutes);
    }
}

// No expiration handler: the download polls is_expiring, and everything else is quick.
void refresh(void *, const bgt_host *table, bgt_task task) noexcept {
    const Host host(table);
    std::int32_t outcome = BGT_OUTCOME_FAILURE;
    try {
        submitNext(host);
        outcome = refreshFeed(host, task);
    } catch (const std::exception &problem) {
        bgt_log(table, host.isExpiring(task) ? BGT_LOG_WARNING : BGT_LOG_ERROR, problem.what());
    } catch (...) {
        bgt_log(table, BGT_LOG_ERROR, "something that is no std::exception was thrown");
    }
    bgt_complete(table, task, outcome);
}

std::int32_t notePending(void *context, const bgt_pending *request) noexcept {
    if (std::string_view(request->identifier) == refreshIdentifier) {
        *static_cast<bool *>(context) = true;
    }
    return BGT_OK;
}

void receive(void *, const bgt_host *table, bgt_task event) noexcept {
    bgt_task_info info{};
    std::int32_t outcome = BGT_OUTCOME_NO_DATA;
    if (bgt_get_task_info(table, event, &info) == BGT_OK && info.event == BGT_EVENT_STARTED) {
        bool isPending = false;
        bgt_visit_pending(table, notePending, &isPending);
        try {
            const bool isRefused = !isPending && submitIn(Host(table), 0) != BGT_OK;
            outcome = isRefused ? BGT_OUTCOME_FAILURE : BGT_OUTCOME_SUCCESS;
        } catch (const std::exception &problem) {
            bgt_log(table, BGT_LOG_ERROR, problem.what());
            outcome = BGT_OUTCOME_FAILURE;
        }
    }
    bgt_complete(table, event, outcome);
}

} // namespace

BGTASK_PLUGIN_ENTRY(host, plugin) {
    plugin->receive = receive;
    BGTASK_TRY(bgt_register(host, refreshIdentifier, refresh, nullptr));
    return BGT_OK;
}
