// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The model plugin of README.md in D, without the runtime of D: a plugin has no place that starts it.
module model;

import bgtask;
import core.stdc.stdio : snprintf;
import core.stdc.stdlib : calloc, free;
import core.stdc.time : time;

extern (C) nothrow @nogc:

private __gshared int releases;

private void say(const(bgt_host)* host, bgt_task task, const(char)* line)
{
    host.log(host, task, BGT_LOG_INFO, line);
}

private int visit(void*, const(bgt_host)* host, const(bgt_pending)* request)
{
    char[128] line = 0;
    snprintf(line.ptr, line.length, "pending %s %s %.*s", request.identifier,
            host.name(host, BGT_VOCABULARY_KIND, request.kind), cast(int) request.payload_length,
            cast(const(char)*) request.payload);
    say(host, 0, line.ptr);
    return BGT_OK;
}

private void submit(const(bgt_host)* host, uint kind)
{
    char[64] line = 0;
    bgt_refusal refusal;
    bgt_request request;
    request.kind = kind;
    request.flags = BGT_NEEDS_NETWORK;
    request.identifier = "com.example.model.waits";
    request.earliest_begin_ns = (time(null) + 3600) * 1_000_000_000L;
    request.payload = cast(const(ubyte)*) "again".ptr;
    request.payload_length = 5;
    const status = host.submit(host, &request, &refusal);
    snprintf(line.ptr, line.length, "submit %s %llu", host.name(host, BGT_VOCABULARY_STATUS, status),
            refusal.submission);
    say(host, 0, line.ptr);
}

private void work(void*, const(bgt_host)* host, bgt_task task)
{
    char[128] line = 0;
    char[16] value = 0;
    ulong needed;
    bgt_launch_info launch;
    bgt_task_info info;
    bgt_assertion assertion;
    if (host.launch_info(host, &launch) != BGT_OK || host.task_info(host, task, &info) != BGT_OK)
    {
        host.complete(host, task, BGT_OUTCOME_FAILURE, null);
        return;
    }
    snprintf(line.ptr, line.length, "work %s %llu %.*s", launch.plugin, info.submission,
            cast(int) info.payload_length, cast(const(char)*) info.payload);
    say(host, task, line.ptr);
    host.begin_assertion(host, "model", null, null, null, &assertion, null);
    submit(host, BGT_KIND_PROCESSING);
    submit(host, 99);
    host.pending(host, &visit, null, null);
    const status = host.setting(host, "colour", value.ptr, value.length, &needed);
    snprintf(line.ptr, line.length, "setting %s %s %llu", host.name(host, BGT_VOCABULARY_STATUS, status), value.ptr,
            needed);
    say(host, task, line.ptr);
    host.end_assertion(host, assertion);
    host.complete(host, task, BGT_OUTCOME_SUCCESS, "worked");
}

private void expired(void*, const(bgt_host)* host, bgt_task task, uint reason)
{
    say(host, task, host.name(host, BGT_VOCABULARY_EXPIRED, reason));
    host.complete(host, task, BGT_OUTCOME_FAILURE, "stopped");
}

private void release(void* context)
{
    free(context);
    releases++;
}

private void waits(void*, const(bgt_host)* host, bgt_task task)
{
    host.set_expiration_handler(host, task, &expired, calloc(1, 16), &release);
}

private void receive(void*, const(bgt_host)* host, bgt_task event)
{
    bgt_task_info info;
    if (host.task_info(host, event, &info) == BGT_OK)
    {
        say(host, event, host.name(host, BGT_VOCABULARY_EVENT, info.event));
    }
    host.complete(host, event, BGT_OUTCOME_NO_DATA, null);
}

private void stop(void*, const(bgt_host)* host)
{
    char[32] line = 0;
    snprintf(line.ptr, line.length, "stop, %d released", releases);
    say(host, 0, line.ptr);
}

export int bgtask_plugin_entry(const(bgt_host)* host, bgt_plugin* plugin)
{
    plugin.receive = &receive;
    plugin.stop = &stop;
    const status = host.register_handler(host, "com.example.model.work", &work, null, null, null);
    if (status != BGT_OK)
    {
        return status;
    }
    return host.register_handler(host, "com.example.model.waits", &waits, null, null, null);
}
