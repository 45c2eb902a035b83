// Part of bgtask, under the Apache License 2.0; see LICENSE.

// The plugin's registrations and submissions, and the place where exceptions are caught. The work itself is in
// Refresh.cpp and ModelUpdate.cpp.

#include "Host.hpp"
#include "ModelUpdate.hpp"
#include "Refresh.hpp"

#include <exception>
#include <string_view>

namespace {

constexpr const char *refreshIdentifier = "com.example.feedreader.refresh";
constexpr const char *updateIdentifier = "com.example.feedreader.model-update";

std::int32_t submit(const Host &host, const bgt_request &request) {
    bgt_refusal refusal{};
    const std::int32_t status = bgt_submit(host.table(), &request, &refusal);
    if (status != BGT_OK) {
        host.log(BGT_LOG_WARNING, std::string(request.identifier) + " was not submitted: "
                                      + bgt_status_name(host.table(), status) + ": " + refusal.text);
    }
    return status;
}

std::int32_t submitIn(const Host &host, std::int64_t minutes) {
    bgt_request request = bgt_refresh_request(refreshIdentifier);
    request.earliest_begin_ns = minutes > 0 ? bgt_seconds_from_now(minutes * 60) : 0;
    return submit(host, request);
}

// Called first: the next refresh is scheduled, whatever happens to this one.
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

// Runs the work of a task and completes it. There are no expiration handlers: both tasks poll is_expiring between short
// steps.
template <typename Work>
void complete(const Host &host, bgt_task task, Work work) noexcept {
    std::int32_t outcome = BGT_OUTCOME_FAILURE;
    try {
        outcome = work();
    } catch (const std::exception &problem) {
        bgt_log(host.table(), host.isExpiring(task) ? BGT_LOG_WARNING : BGT_LOG_ERROR, problem.what());
    } catch (...) {
        bgt_log(host.table(), BGT_LOG_ERROR, "an exception that is not a std::exception was thrown");
    }
    bgt_complete(host.table(), task, outcome);
}

void refresh(void *, const bgt_host *table, bgt_task task) noexcept {
    const Host host(table);
    complete(host, task, [&] {
        submitNext(host);
        return refreshFeed(host, task);
    });
}

// Submits a request to continue later when the update was stopped; the scores so far are stored.
void update(void *, const bgt_host *table, bgt_task task) noexcept {
    const Host host(table);
    complete(host, task, [&] {
        const std::int32_t outcome = updateModel(host, task);
        if (host.isExpiring(task)) {
            bgt_request request = bgt_processing_request(updateIdentifier, 0);
            request.earliest_begin_ns = bgt_seconds_from_now(15 * 60);
            submit(host, request);
        }
        return outcome;
    });
}

std::int32_t notePending(void *context, const bgt_host *, const bgt_pending *request) noexcept {
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
    BGTASK_TRY(bgt_register(host, updateIdentifier, update, nullptr));
    return BGT_OK;
}
