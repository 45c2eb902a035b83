/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Uses every struct and table of the header, and with the grown header also each of its new members and numbers, after
 * BGTASK_HAS as vendors ask. Each result is one line of the log, as Tests/PluginLaunchTests/Minor1Tests expects it.
 * With OVERWRITES, entry writes its new hook without the question. */

#include <bgtask.h>

#include <stdio.h>
#include <string.h>

#define NAME "com.example.grows"

#define say(host, ...)                                                                                                 \
    do {                                                                                                               \
        char line_[256];                                                                                               \
        snprintf(line_, sizeof line_, __VA_ARGS__);                                                                    \
        bgt_log(host, BGT_LOG_INFO, line_);                                                                            \
    } while (0)

/* A struct that the host fills, before bytes that must stay as they are. */
#define GUARDED(type, name)                                                                                            \
    struct {                                                                                                           \
        type value;                                                                                                    \
        unsigned char guard[64];                                                                                       \
    } name;                                                                                                            \
    memset(&name, 0xa5, sizeof name);                                                                                  \
    name.value.size = sizeof name.value

static const char *kept(const unsigned char *guard, size_t count) {
    for (size_t index = 0; index < count; index++) {
        if (guard[index] != 0xa5) {
            return "the host wrote behind the struct";
        }
    }
    return "kept";
}

#define KEPT(name) kept(name.guard, sizeof name.guard)

static int32_t visit(void *context, const bgt_host *host, const bgt_pending *request) {
    (void)context;
    say(host, "pending %s %llu", request->identifier + sizeof NAME, (unsigned long long)request->submission);
#if BGTASK_ABI_MINOR >= 1
    say(host, "pending.later %lld", BGTASK_HAS(request, later) ? (long long)request->later : -1);
#endif
    return BGT_OK;
}

static void submit(const bgt_host *host, const char *name, const bgt_request *request) {
    bgt_refusal refusal;
    const int32_t status = bgt_submit(host, request, &refusal);
    const int explains = (status == BGT_OK) == (refusal.text[0] == 0);
    say(host, "submit %s %s%s", name, bgt_status_name(host, status), explains ? "" : " without a text");
}

#if BGTASK_ABI_MINOR >= 1
static void later(void *context, const bgt_host *host) {
    (void)context;
    say(host, "plugin.later");
}

static void submit_later(const bgt_host *host) {
    bgt_request field = bgt_processing_request(NAME ".task", 0);
    field.later = 7;
    submit(host, "field", &field);
    bgt_request kind = bgt_processing_request(NAME ".task", 0);
    kind.kind = BGT_KIND_LATER;
    submit(host, "kind", &kind);
    const bgt_request flag = bgt_processing_request(NAME ".task", BGT_NEEDS_LATER);
    submit(host, "flag", &flag);
    const bgt_request protection = bgt_health_research_request(NAME ".task", 0, BGT_PROTECTION_LATER);
    submit(host, "protection", &protection);
    bgt_request strategy = bgt_continued_request(NAME ".task", "Title", NULL);
    strategy.strategy = BGT_STRATEGY_LATER;
    submit(host, "strategy", &strategy);
    bgt_request resource = bgt_continued_request(NAME ".task", "Title", NULL);
    resource.resources = BGT_RESOURCE_LATER;
    submit(host, "resource", &resource);
}

static void name_later(const bgt_host *host) {
    static const int64_t numbers[] = {
        0,                BGT_LATER,        BGT_REASON_LATER,   BGT_KIND_LATER,       BGT_LANE_LATER,
        BGT_ROLE_LATER,   BGT_CAUSE_LATER,  BGT_EVENT_LATER,    BGT_OUTCOME_LATER,    BGT_EXPIRED_LATER,
        BGT_LOG_LATER,    BGT_NEEDS_LATER,  BGT_PROTECTION_LATER, BGT_STRATEGY_LATER, BGT_RESOURCE_LATER,
        BGT_VOCABULARY_LATER,
    };
    for (uint32_t vocabulary = 1; vocabulary < sizeof numbers / sizeof *numbers; vocabulary++) {
        say(host, "name %u %s", vocabulary, bgt_name(host, vocabulary, numbers[vocabulary]));
    }
}

static void call_later(const bgt_host *host) {
    const bgt_legacy_fetch *fetch = bgt_query(host, BGTASK_LEGACY_FETCH);
#if BGTASK_TARGET_MINOR >= 1
    say(host, "host.later %s", bgt_status_name(host, bgt_later(host, 8)));
#else
    say(host, "host.later %s", BGTASK_HAS(host, later) ? bgt_status_name(host, host->later(host, 8)) : "absent");
#endif
    say(host, "fetch.later %s", BGTASK_HAS(fetch, later) ? bgt_status_name(host, fetch->later(host, 9)) : "absent");
}
#endif

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    GUARDED(bgt_launch_info, launch);
    int32_t status = bgt_get_launch_info(host, &launch.value);
    say(host, "launch_info %d %u %s %s", status, launch.value.role, launch.value.host_name, KEPT(launch));
    GUARDED(bgt_task_info, info);
    status = bgt_get_task_info(host, task, &info.value);
    say(host, "task_info %d %s %s", status, info.value.identifier + sizeof NAME, KEPT(info));
    const bgt_request request = bgt_processing_request(NAME ".task", BGT_NEEDS_NETWORK);
    submit(host, "plain", &request);
    GUARDED(bgt_refusal, refusal);
    status = host->cancel(host, "..", &refusal.value);
    say(host, "refusal %d %d %s", status, refusal.value.text[0] != 0, KEPT(refusal));
    say(host, "pending %d", bgt_visit_pending(host, visit, NULL));
    say(host, "never %d %d", bgt_seconds_from_now(INT64_MAX) == INT64_MAX, bgt_seconds_from_now(INT64_MIN) == 0);
    const bgt_legacy_fetch *fetch = bgt_query(host, BGTASK_LEGACY_FETCH);
    say(host, "fetch %s", bgt_status_name(host, fetch->set_minimum_interval(host, 60, NULL)));
#if BGTASK_ABI_MINOR >= 1
    say(host, "launch_info.later %llu", (unsigned long long)launch.value.later);
    say(host, "task_info.later %llu", (unsigned long long)info.value.later);
    say(host, "refusal.later %llu", (unsigned long long)refusal.value.later);
    submit_later(host);
    name_later(host);
    call_later(host);
#endif
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

/* A task of a kind that only a host of the next minor delivers, and the outcome that it then has. */
static void run_later(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
#if BGTASK_ABI_MINOR >= 1
    bgt_task_info info;
    if (bgt_get_task_info(host, task, &info) == BGT_OK) {
        say(host, "kind %s", info.kind == BGT_KIND_LATER ? "later" : "known");
    }
    say(host, "complete %s", bgt_status_name(host, bgt_complete(host, task, BGT_OUTCOME_LATER)));
#else
    bgt_complete(host, task, BGT_OUTCOME_NO_DATA);
#endif
}

static void receive(void *context, const bgt_host *host, bgt_task event) {
    (void)context;
    bgt_task_info info;
    if (bgt_get_task_info(host, event, &info) == BGT_OK) {
        say(host, "event %s", info.event > BGT_EVENT_FETCH ? "later" : "known");
    }
    bgt_complete(host, event, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    say(host, "host %u, table %u, plugin %u", host->minor, host->size, plugin->size);
    plugin->receive = receive;
#if BGTASK_ABI_MINOR >= 1
#ifndef OVERWRITES
    if (BGTASK_HAS(plugin, later))
#endif
        plugin->later = later;
#endif
    bgt_refusal refusal;
    BGTASK_TRY(bgt_register_or_explain(host, NAME ".later", run_later, NULL, NULL, &refusal));
    return bgt_register_or_explain(host, NAME ".task", run, NULL, NULL, &refusal);
}
