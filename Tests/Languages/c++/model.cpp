// Part of bgtask, under the Apache License 2.0; see LICENSE.

// The model plugin of README.md in C++.

#include <bgtask.h>

#include <atomic>
#include <memory>
#include <string>

namespace {

const std::string name = "com.example.model";
std::atomic<int> releases{0};

/// The plugin's own object behind the context of a callback.
struct Waiting {
    ~Waiting() { releases += 1; }
};

void say(const bgt_host *host, bgt_task task, const std::string &line) noexcept {
    bgt_log_task(host, task, BGT_LOG_INFO, line.c_str());
}

std::string text(const uint8_t *bytes, uint64_t length) {
    return bytes == nullptr ? std::string() : std::string(reinterpret_cast<const char *>(bytes), length);
}

int32_t visit(void *, const bgt_host *host, const bgt_pending *request) noexcept {
    say(host, 0,
        std::string("pending ") + request->identifier + " " + bgt_name(host, BGT_VOCABULARY_KIND, request->kind) + " "
            + text(request->payload, request->payload_length));
    return BGT_OK;
}

void submit(const bgt_host *host, uint32_t kind) noexcept {
    const std::string identifier = name + ".waits", payload = "again";
    bgt_refusal refusal;
    bgt_request request = bgt_processing_request(identifier.c_str(), BGT_NEEDS_NETWORK);
    request.kind = kind;
    request.earliest_begin_ns = bgt_seconds_from_now(3600);
    request.payload = reinterpret_cast<const uint8_t *>(payload.data());
    request.payload_length = payload.size();
    const int32_t status = bgt_submit(host, &request, &refusal);
    say(host, 0, std::string("submit ") + bgt_status_name(host, status) + " " + std::to_string(refusal.submission));
}

void work(void *, const bgt_host *host, bgt_task task) noexcept {
    bgt_launch_info launch;
    bgt_task_info info;
    if (bgt_get_launch_info(host, &launch) != BGT_OK || bgt_get_task_info(host, task, &info) != BGT_OK) {
        bgt_complete(host, task, BGT_OUTCOME_FAILURE);
        return;
    }
    say(host, task,
        std::string("work ") + launch.plugin + " " + std::to_string(info.submission) + " "
            + text(info.payload, info.payload_length));
    bgt_assertion assertion = 0;
    bgt_begin_assertion(host, "model", nullptr, nullptr, nullptr, &assertion);
    submit(host, BGT_KIND_PROCESSING);
    submit(host, 99);
    bgt_visit_pending(host, visit, nullptr);
    char value[16];
    uint64_t needed = 0;
    const int32_t status = bgt_setting(host, "colour", value, sizeof value, &needed);
    say(host, task, std::string("setting ") + bgt_status_name(host, status) + " " + value + " " + std::to_string(needed));
    bgt_end_assertion(host, assertion);
    bgt_complete_with_message(host, task, BGT_OUTCOME_SUCCESS, "worked");
}

void waits(void *, const bgt_host *host, bgt_task task) noexcept {
    auto waiting = std::make_unique<Waiting>();
    const auto expired = [](void *, const bgt_host *host, bgt_task task, uint32_t reason) noexcept {
        say(host, task, bgt_name(host, BGT_VOCABULARY_EXPIRED, reason));
        bgt_complete_with_message(host, task, BGT_OUTCOME_FAILURE, "stopped");
    };
    bgt_set_expiration_handler_with_release(host, task, expired, waiting.release(), [](void *context) noexcept {
        delete static_cast<Waiting *>(context);
    });
}

void receive(void *, const bgt_host *host, bgt_task event) noexcept {
    bgt_task_info info;
    if (bgt_get_task_info(host, event, &info) == BGT_OK) {
        say(host, event, bgt_name(host, BGT_VOCABULARY_EVENT, info.event));
    }
    bgt_complete(host, event, BGT_OUTCOME_NO_DATA);
}

void stop(void *, const bgt_host *host) noexcept {
    say(host, 0, "stop, " + std::to_string(releases.load()) + " released");
}

} // namespace

BGTASK_PLUGIN_ENTRY(host, plugin) {
    plugin->receive = receive;
    plugin->stop = stop;
    BGTASK_TRY(bgt_register(host, (name + ".work").c_str(), work, nullptr));
    return bgt_register(host, (name + ".waits").c_str(), waits, nullptr);
}
