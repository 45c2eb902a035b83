// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import HostTestKit
import TaskModel
import Testing

@Suite("JSON bodies about plugins keep the shape that clients depend on")
struct PluginShapeTests: WireShapeSuite {
    let document: APIDocument

    init() throws { document = try APIDocument() }

    private let summary = """
        "identifier": "com.example.feed", "name": "Feed", "version": "1.4.0", "role": "main",
        "library": "/opt/libFeed.so", "modes": ["fetch", "processing"],
        "permitted": ["com.example.feed.refresh", "com.example.feed.export.*"],
        "extensions": ["com.example.feed.keyboard"], "pending": 2, "events": 1, "running": 1, "enabled": true,
          "state": "running"
        """

    @Test func `the JSON reply to a purge keeps its shape`() throws {
        try check(
            PluginPurgeReply(try Samples.plugin(), dropped: 2, hadContainer: true),
            "PluginPurgeReply",
            is: #"{"plugin": "com.example.feed", "dropped": 2, "had_container": true}"#
        )
    }

    @Test func `the JSON of a pause, a resumption and a stop of a launch and their replies keeps its shape`() throws {
        try check(PluginPauseOrder(), "PluginPauseOrder", is: "{}")
        try check(
            PluginPauseOrder(until: Samples.now),
            "PluginPauseOrder",
            is: #"{"until": "2026-01-31T01:48:00Z"}"#
        )
        let pause = """
            {"since": "2026-01-31T01:48:00Z", "since_ns": "1769824080000000000",
             "until": "2026-01-31T03:48:00Z", "until_ns": "1769831280000000000",
             "user": {"uid": 1000, "pid": 4711, "command": "bgtask"}}
            """
        try check(
            PluginPauseReply(try Samples.plugin(), Samples.pause),
            "PluginPauseReply",
            is: #"{"plugin": "com.example.feed", "pause": \#(pause)}"#
        )
        try check(
            PluginResumeReply(try Samples.plugin(), wasPaused: true),
            "PluginResumeReply",
            is: #"{"plugin": "com.example.feed", "was_paused": true}"#
        )
        try check(
            LaunchStopReply(LaunchNumber(rawValue: 41), tasks: [try Samples.task().text]),
            "LaunchStopReply",
            is: #"{"launch": 41, "tasks": ["com.example.feed.refresh"]}"#
        )
    }

    @Test func `a pause whose end has passed is refused with the field until`() throws {
        let order = PluginPauseOrder(until: Samples.now)
        #expect(try order.validated(at: Samples.now + .seconds(-1)) == Samples.now)
        let refusal = #expect(throws: RouteError.self) { try order.validated(at: Samples.now) }
        #expect(refusal?.reply.error.field == "until" && refusal?.reply.error.subReason == "time-invalid")
    }

    @Test func `the JSON of replies about work that waits for the end of a pause names the pause`() throws {
        let reason = WaitingReason(.pluginPaused(try Samples.plugin(), Samples.pause), at: Samples.moment)
        let golden = """
            [{"code": "plugin-paused", "message": "plugin com.example.feed is paused by uid 1000",
              "until": "2026-01-31T03:48:00Z", "until_ns": "1769831280000000000"}]
            """
        try check(
            RunReply(launching: [], waiting: [reason]),
            "RunReply",
            is: #"{"launching": [], "waiting": \#(golden)}"#
        )
        try check(
            TaskSubmissionReply(
                SubmissionNumber(rawValue: 12),
                plugin: try Samples.plugin(),
                identifier: try Samples.task(),
                replacing: nil,
                waiting: [reason]
            ),
            "TaskSubmissionReply",
            is: """
                {"submission": 12, "plugin": "com.example.feed", "identifier": "com.example.feed.refresh",
                 "waiting": \(golden)}
                """
        )
    }

    @Test func `the JSON of a trigger and its reply keeps its shape`() throws {
        try check(PluginTrigger(payload: [0, 255, 10]), "PluginTrigger", is: #"{"payload": "AP8K"}"#)
        try check(PluginTrigger(), "PluginTrigger", is: "{}")
        try check(
            PluginTriggerReply(SubmissionNumber(rawValue: 14), plugin: try Samples.plugin("com.example.feed.keyboard")),
            "PluginTriggerReply",
            is: #"{"plugin": "com.example.feed.keyboard", "event_name": "trigger", "submission": 14}"#
        )
    }

    @Test func `the JSON list of plugins and refused manifests keeps its shape`() throws {
        try check(
            try Samples.pluginList(),
            "PluginList",
            is: """
                {"plugins": [{\(summary)}],
                 "refused": [{"file": "/etc/bgtask/manifests/broken.yaml", "identifier": "com.example.broken",
                   "problems": [
                     {"severity": "error", "line": 4, "column": 3, "key": "role", "message": "\\"mian\\" is not a role"},
                     {"severity": "error", "message": "library is missing"}]}], "partial": false}
                """
        )
    }

    @Test func `the cursor in a page of plugins is a plugin, the end of the plugins or a refused manifest`() throws {
        let file = "/etc/bgtask/manifests/broken.yaml"
        for (next, text) in [
            (PluginCursor.plugin(try Samples.plugin()), "com.example.feed"), (.endOfPlugins, "/"),
            (.refused(file), file),
        ] {
            try check(
                PluginListReply(plugins: [], refused: [], next: next, isPartial: true),
                "PluginList",
                is: #"{"plugins": [], "refused": [], "next": "\#(text)", "partial": true}"#
            )
            #expect(PluginCursor(text: text) == next)
        }
    }

    @Test func `the JSON reply for one plugin has all keys of the plugin list and further keys`() throws {
        try check(
            try Samples.pluginShow(),
            "Plugin",
            is: """
                {\(summary),
                 "manifest": "/etc/bgtask/manifests/feed.yaml", "manifest_digest": "cd34", "library_digest": "ab12",
                 "requires": ["bgtask.legacy-fetch/1"], "architectures": ["aarch64", "x86_64"],
                 "main_bundle": false,
                 "libraries_to_load": [],
                 "provenance": {"source": "signed", "pinned": true, "files": [{"name": "libhelper.so", "sha256": "ef56"}],
                   "signer": {"key_type": "ssh-ed25519", "fingerprint": "SHA256:abc", "principals": "com.example.*"}},
                 "settings": {"feed-url": "https://example.com/feed.xml"},
                 "secrets": [{"setting": "token", "source": "file /etc/bgtask/feed-token"}],
                 "handlers": [{"identifier": "com.example.feed.refresh", "symbol": "feed_read",
                               "signature": "int32_t feed_read(const char *, char *, size_t, int32_t *)",
                               "arguments": ["setting: feed-url", "out-string: 64", "cancel-flag"],
                               "success": "success-when-zero"}],
                 "notes": [{"severity": "note", "line": 9, "key": "modes", "message": "audio has no effect"}],
                 "limits": [{"kind": "refresh", "limit": 1, "used": 1}, {"kind": "processing", "limit": 10, "used": 3}],
                 "budgets": [{"kind": "refresh", "budget_ns": 30000000000}],
                 "grace_period_ns": 5000000000, "spacing_ns": 1000000000, "batch_size": 100,
                 "day_budget_ns": 14400000000000, "background_refresh": true, "background_denied": false,
                 "grants": {"rights": [{"grant": "network", "requested": "true", "effective": ["true"]},
                    {"grant": "write", "requested": "/srv/photos", "setting": "directory",
                     "effective": ["/srv/photos/new"], "cause": "grant-limits.*.write is /srv/photos/new"}], "guarantees":
                    [{"name": "network", "enforced_by": "seccomp, Landlock 7"},
                     {"name": "memory", "not_enforced": "control groups are disabled (cgroup: none)"}]},
                 "entitlements": ["gpu"],
                 "schedules": [{"identifier": "com.example.feed.refresh", "kind": "refresh", "rhythm": "every 6h",
                                "next": "2026-01-31T02:48:00Z", "next_ns": "1769827680000000000"}],
                 "retry": {"delay_ns": 10000000000, "attempts": 3, "host_delay_ns": 1000000000},
                 "failure_retries": [{"identifier": "com.example.feed.refresh",
                   "proposed": {"attempts": 3, "delay_ns": 60000000000, "backoff": 2, "jitter": 10},
                   "in_force": {"attempts": 5, "delay_ns": 60000000000, "backoff": 2, "jitter": 10}}],
                 "retention_ns": 2592000000000000,
                 "last_launch": {"launch": 41, "started_at": "2026-01-31T01:48:00Z",
                   "started_at_ns": "1769824080000000000",
                                 "outcome": "completed", "message": "2 tasks"},
                 "reasons": [{"code": "spacing",
                              "message": "the spacing since the plugin's last background launch is not over",
                              "until": "2026-01-31T01:48:02Z", "until_ns": "1769824082000000000"}],
                 "waiting_events": [{"plugin": "com.example.feed", "event_name": "started", "submission": 13,
                   "created_at": "2026-01-31T01:48:00Z", "created_at_ns": "1769824080000000000", "attempts": 0}]}
                """
        )
    }
}
