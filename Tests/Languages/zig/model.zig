// Part of bgtask, under the Apache License 2.0; see LICENSE.

//! The model plugin of README.md in Zig, with the declarations that `zig translate-c` makes of bgtask.h.

const c = @import("bgtask.zig");

extern fn snprintf(buffer: [*]u8, size: usize, format: [*:0]const u8, ...) c_int;
extern fn time(result: ?*i64) i64;

/// The ELF note. `export` keeps it although no code reads it; its name must not begin with bgt_ or bgtask_.
const Note = extern struct {
    name_size: u32 = 7,
    descriptor_size: u32 = 12,
    type: u32 = 1,
    owner: [8]u8 = "bgtask\x00\x00".*,
    abi_major: u32 = c.BGTASK_ABI_MAJOR,
    required_minor: u32 = c.BGTASK_TARGET_MINOR,
    header_minor: u32 = c.BGTASK_ABI_MINOR,
};

export const model_note: Note linksection(".note.bgtask") = .{};

var releases = @import("std").atomic.Value(c_int).init(0);

/// A struct with zeroes, of which the host reads or fills `size` bytes.
fn sized(comptime T: type) T {
    var value = @import("std").mem.zeroes(T);
    value.size = @sizeOf(T);
    return value;
}

fn say(host: [*c]const c.bgt_host, task: c.bgt_task, line: [*c]const u8) void {
    host.*.log.?(host, task, c.BGT_LOG_INFO, line);
}

fn name(host: [*c]const c.bgt_host, vocabulary: u32, number: i64) [*c]const u8 {
    return host.*.name.?(host, vocabulary, number);
}

fn visit(_: ?*anyopaque, host: [*c]const c.bgt_host, request: [*c]const c.bgt_pending) callconv(.c) i32 {
    var line: [128]u8 = undefined;
    const length: c_int = @intCast(request.*.payload_length);
    const kind = name(host, c.BGT_VOCABULARY_KIND, request.*.kind);
    _ = snprintf(&line, line.len, "pending %s %s %.*s", request.*.identifier, kind, length, request.*.payload);
    say(host, 0, &line);
    return c.BGT_OK;
}

fn submit(host: [*c]const c.bgt_host, kind: u32) void {
    var line: [64]u8 = undefined;
    var refusal = sized(c.bgt_refusal);
    var request = sized(c.bgt_request);
    request.kind = kind;
    request.flags = c.BGT_NEEDS_NETWORK;
    request.identifier = "com.example.model.waits";
    request.earliest_begin_ns = (time(null) + 3600) * 1_000_000_000;
    request.payload = "again";
    request.payload_length = 5;
    const status = host.*.submit.?(host, &request, &refusal);
    const words = name(host, c.BGT_VOCABULARY_STATUS, status);
    _ = snprintf(&line, line.len, "submit %s %llu", words, refusal.submission);
    say(host, 0, &line);
}

fn work(_: ?*anyopaque, host: [*c]const c.bgt_host, task: c.bgt_task) callconv(.c) void {
    var line: [128]u8 = undefined;
    var value: [16]u8 = undefined;
    var needed: u64 = 0;
    var assertion: c.bgt_assertion = 0;
    var launch = sized(c.bgt_launch_info);
    var info = sized(c.bgt_task_info);
    if (host.*.launch_info.?(host, &launch) != c.BGT_OK or host.*.task_info.?(host, task, &info) != c.BGT_OK) {
        _ = host.*.complete.?(host, task, c.BGT_OUTCOME_FAILURE, null);
        return;
    }
    const length: c_int = @intCast(info.payload_length);
    _ = snprintf(&line, line.len, "work %s %llu %.*s", launch.plugin, info.submission, length, info.payload);
    say(host, task, &line);
    _ = host.*.begin_assertion.?(host, "model", null, null, null, &assertion, null);
    submit(host, c.BGT_KIND_PROCESSING);
    submit(host, 99);
    _ = host.*.pending.?(host, visit, null, null);
    const status = host.*.setting.?(host, "colour", &value, value.len, &needed);
    const words = name(host, c.BGT_VOCABULARY_STATUS, status);
    _ = snprintf(&line, line.len, "setting %s %s %llu", words, @as([*c]u8, &value), needed);
    say(host, task, &line);
    _ = host.*.end_assertion.?(host, assertion);
    _ = host.*.complete.?(host, task, c.BGT_OUTCOME_SUCCESS, "worked");
}

fn expired(_: ?*anyopaque, host: [*c]const c.bgt_host, task: c.bgt_task, reason: u32) callconv(.c) void {
    say(host, task, name(host, c.BGT_VOCABULARY_EXPIRED, reason));
    _ = host.*.complete.?(host, task, c.BGT_OUTCOME_FAILURE, "stopped");
}

fn release(_: ?*anyopaque) callconv(.c) void {
    _ = releases.fetchAdd(1, .seq_cst);
}

fn waits(_: ?*anyopaque, host: [*c]const c.bgt_host, task: c.bgt_task) callconv(.c) void {
    _ = host.*.set_expiration_handler.?(host, task, expired, &releases, release);
}

fn receive(_: ?*anyopaque, host: [*c]const c.bgt_host, event: c.bgt_task) callconv(.c) void {
    var info = sized(c.bgt_task_info);
    if (host.*.task_info.?(host, event, &info) == c.BGT_OK) {
        say(host, event, name(host, c.BGT_VOCABULARY_EVENT, info.event));
    }
    _ = host.*.complete.?(host, event, c.BGT_OUTCOME_NO_DATA, null);
}

fn stop(_: ?*anyopaque, host: [*c]const c.bgt_host) callconv(.c) void {
    var line: [32]u8 = undefined;
    _ = snprintf(&line, line.len, "stop, %d released", releases.load(.seq_cst));
    say(host, 0, &line);
}

export fn bgtask_plugin_entry(host: [*c]const c.bgt_host, plugin: [*c]c.bgt_plugin) callconv(.c) i32 {
    plugin.*.receive = receive;
    plugin.*.stop = stop;
    const register = host.*.register_handler.?;
    const status = register(host, "com.example.model.work", work, null, null, null);
    if (status != c.BGT_OK) return status;
    return register(host, "com.example.model.waits", waits, null, null, null);
}
