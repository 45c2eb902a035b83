// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import HostTestKit
import TaskModel
import Testing

@Suite("JSON bodies keep the shape that clients depend on")
struct WireShapeTests {
    private let document: APIDocument

    init() throws { document = try APIDocument() }

    /// Checks that the value encodes to the golden text, that the golden text decodes to the value, and that the text
    /// is valid under the schema.
    private func check<Body: Codable & Equatable>(_ value: Body, _ schema: String, is golden: String) throws {
        let encoded = try WireCoding.encode(value)
        let got = try JSONSerialization.jsonObject(with: encoded) as? NSDictionary
        let wanted = try JSONSerialization.jsonObject(with: Data(golden.utf8)) as? NSDictionary
        #expect(got == wanted, "\(String(decoding: encoded, as: UTF8.self))")
        #expect(try WireCoding.decode(Body.self, from: Data(golden.utf8)) == value)
        let parsed = try JSONValue(parsing: Data(golden.utf8))
        let problems = try document.problems(of: parsed, against: try document.schema(named: schema))
        #expect(problems == [], "schema \(schema) of openapi.yaml")
    }

    @Test func `keys of the API's JSON are sorted, and slashes are not escaped`() throws {
        let reply = ErrorReply(code: "c", subReason: "s", field: "f", message: "/a", remedy: "r")
        let text = String(decoding: try WireCoding.encode(reply), as: UTF8.self)
        #expect(text == #"{"error":{"code":"c","field":"f","message":"/a","remedy":"r","sub_reason":"s"}}"#)
    }

    @Test func `the JSON of statistics keeps its shape`() throws {
        try check(
            Samples.stats(),
            "Stats",
            is: """
                {"since": "2026-01-24T01:48:00Z", "since_ns": "1769219280000000000",
                 "until": "2026-01-31T01:48:00Z", "until_ns": "1769824080000000000", "complete": false,
                 "rows": [{"plugin": "com.example.feed", "kind": "refresh", "launches": 2, "succeeded": 2, "failed": 1,
                           "interrupted": 1, "success_percent": 66,
                           "delay": {"median_ns": 2000000000, "p95_ns": 61000000000},
                           "run_time": {"median_ns": 1200000000, "p95_ns": 1200000000},
                           "budget_used": {"median_percent": 4, "p95_percent": 4}}],
                 "disk": {"ledger_bytes": 1048576, "free_bytes": 13958643712,
                          "containers": [{"plugin": "com.example.feed", "bytes": 40960},
                                         {"plugin": "com.example.large"}]}}
                """
        )
    }

    @Test func `the JSON of the host status keeps its shape`() throws {
        try check(
            Samples.host(),
            "HostStatus",
            is: """
                {"version": "0.1.0", "features": ["bgtask.legacy-fetch/1", "bgtask.cursor/1", "manifest.library-per-architecture"],
                 "pid": 7, "user": "bgtask", "started_at": "2026-01-31T00:48:00Z",
                  "started_at_ns": "1769820480000000000",
                 "boot_id": "b00t", "state_directory": "/var/lib/bgtask",
                 "ledger": {"state": "writable"}, "incarnation": 1, "socket": "/run/bgtask/control.sock",
                 "socket_groups": { "operate": "operators", "read": "adm" },
                 "manifest_directories": ["/etc/bgtask/manifests", "/usr/share/bgtask/manifests"],
                 "plugin_directory": "/usr/lib/bgtask/plugins", "config_file": "/etc/bgtask/bgtaskd.yaml",
                 "configured_without_plugin": ["com.example.gone"],
                 "conditions": {"external_power": {"holds": false, "source": "simulated"},
                                "network": {"holds": true, "source": "configuration"},
                                "idle": {"holds": true, "source": "sensor", "detail": "/proc/stat: 2 % used by others"},
                                "high_load": {"holds": false, "source": "sensor",
                                              "detail": "/proc/stat: 2 % used by others"},
                                "low_memory": {"source": "missing", "detail": "no /proc/pressure/memory"},
                                "hot": {"source": "unwatched"},
                                "battery_low": {"source": "missing", "detail": "no battery"},
                                "power_saver": {"source": "unwatched"},
                                "gpu": {"holds": false, "source": "sensor", "detail": "/dev: none"}},
                 "sensors": {"sample_interval_ns": 5000000000, "idle_percent": 10, "idle_after_ns": 30000000000,
                             "heat_margin": 5},
                 "counts": {"plugins": 2, "refused": 1, "pending": 3, "events": 1, "running_launches": 1},
                 "limits": [{"kind": "refresh", "limit": 1}, {"kind": "processing", "limit": 10}],
                 "budgets": [{"kind": "refresh", "budget_ns": 30000000000},
                             {"kind": "processing", "budget_ns": 600000000000}],
                 "launch_limits": [{"lane": "background", "limit": 4, "running": 1, "stopping": 1}],
                 "idle_runners": {"limit": 2, "waiting": 1},
                 "grace_period_ns": 5000000000, "spacing_ns": 1000000000, "batch_size": 100, "idle_timeout_ns": 10000000000,
                 "retry": {"delay_ns": 10000000000, "attempts": 3, "host_delay_ns": 1000000000},
                 "retention": {"removed_plugin_ns": 2592000000000000, "journal_ns": 7776000000000000, "journal_bytes": 268435456,
                   "doubt_ns": 600000000000},
                 "logs": {"launch_bytes": 1048576, "plugin_bytes": 16777216, "total_bytes": 536870912,
                   "retention_ns": 1209600000000000},
                 "policies": {"off": ["load"], "stagger_ns": 60000000000, "refresh_spacing_ns": 900000000000, "push_spacing_ns": 1200000000000, "overrun_spacing_ns": 30000000000,
                              "longest_spacing_ns": 3600000000000, "learn_use": true, "day_budget_ns": 14400000000000,
                              "maximum_deferral_ns": 172800000000000, "maximum_capacity_wait_ns": 300000000000},
                 "provenance": {"unsigned": "allow", "unpinned": "warn", "packages": "trust",
                   "signers": "/etc/bgtask/allowed_signers"},
                 "isolation": {"choice": "required", "required": ["files", "network"], "guarantees":
                    [{"name": "network", "enforced_by": "seccomp, Landlock 7"},
                     {"name": "memory", "not_enforced": "control groups are disabled (cgroup: none)"}],
                    "plugin_users": {"range": "600000-665535"},
                    "launch_limits": {
                        "memory_bytes": 268435456, "processes": 512, "file_size_bytes": 1073741824,
                        "disk_reserve_bytes": 1073741824, "background_nice": 10
                    },
                    "grant_limits": [{"pattern": "com.example.*", "limits": ["network false"]}]},
                 "continued": {"stall_limit_ns": 30000000000, "pressure_interval_ns": 10000000000},
                 "minimum_fetch_interval_ns": 900000000000, "background_refresh": true,
                 "stopping": false}
                """
        )
    }

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

    @Test func `the JSON reply to a reload keeps its shape`() throws {
        try check(
            HostReloadReply(
                file: "/etc/bgtask/bgtaskd.yaml",
                applied: ["spacing"],
                needingRestart: ["socket"],
                warnings: ["w"]
            ),
            "HostReload",
            is: """
                {"file": "/etc/bgtask/bgtaskd.yaml", "applied": ["spacing"], "needing_restart": ["socket"],
                 "warnings": ["w"]}
                """
        )
    }

    @Test func `the JSON reply to the report of a backup keeps its shape, and a path that is too long is refused`()
        throws
    {
        try check(BackupReportReply(incarnation: 7), "BackupReportReply", is: #"{"incarnation": 7}"#)
        try BackupReport(file: "/b.tar", sha256: "9f86").check()
        #expect { try BackupReport(file: String(repeating: "a", count: 4_097), sha256: "").check() } throws: { error in
            (error as? RouteError)?.reply.error.field == "file"
        }
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

    @Test func `the JSON of a push and its reply keeps its shape`() throws {
        let deadline = Samples.now + .seconds(720)
        try check(
            PluginPush(payload: [0, 255, 10], expiresAt: deadline, priority: .low),
            "PluginPush",
            is: #"{"payload": "AP8K", "expires_at": "2026-01-31T02:00:00Z", "priority": "low"}"#
        )
        try check(PluginPush(), "PluginPush", is: "{}")
        let digits = String(repeating: "a5", count: 32)
        try check(
            PluginPush(token: try Samples.pushToken().token, onlyNow: true),
            "PluginPush",
            is: "{\"token\": \"\(digits)\", \"only_now\": true}"
        )
        try check(
            PluginPushReply(
                SubmissionNumber(rawValue: 15),
                plugin: try Samples.plugin(),
                state: .stored,
                replacing: SubmissionNumber(rawValue: 14),
                expiresAt: deadline
            ),
            "PluginPushReply",
            is: """
                {"plugin": "com.example.feed", "submission": 15, "state": "stored", "replaced": 14,
                 "expires_at": "2026-01-31T02:00:00Z", "expires_at_ns": "1769824800000000000"}
                """
        )
        try check(
            PluginPushReply(
                SubmissionNumber(rawValue: 15),
                plugin: try Samples.plugin(),
                state: .replaced,
                successor: SubmissionNumber(rawValue: 16)
            ),
            "PluginPushReply",
            is: #"{"plugin": "com.example.feed", "submission": 15, "state": "replaced", "successor": 16}"#
        )
    }

    @Test func `the JSON of a push with an ended device token has the time of the end`() throws {
        try check(
            ErrorReply(code: "gone", subReason: "push-token-ended", message: "m", endedAt: Samples.now),
            "Error",
            is: """
                {"error": {"code": "gone", "sub_reason": "push-token-ended", "message": "m",
                           "ended_at": "2026-01-31T01:48:00Z", "ended_at_ns": "1769824080000000000"}}
                """
        )
    }

    @Test func `the JSON of device tokens keeps its shape`() throws {
        let digits = String(repeating: "a5", count: 32)
        try check(PushTokenOrder(), "PushTokenOrder", is: "{}")
        try check(PushTokenOrder(rotating: true), "PushTokenOrder", is: #"{"rotate": true}"#)
        try check(
            PushTokenReply(try Samples.pushToken()),
            "PushTokenReply",
            is: """
                {"plugin": "com.example.feed", "token": "\(digits)", "issued_at": "2026-01-31T01:48:00Z",
                 "issued_at_ns": "1769824080000000000"}
                """
        )
        try check(
            PushTokenRevocationReply(try Samples.plugin(), isRevoked: true),
            "PushTokenRevocationReply",
            is: #"{"plugin": "com.example.feed", "revoked": true}"#
        )
        try check(PushTokenCheck(token: digits), "PushTokenCheck", is: "{\"token\": \"\(digits)\"}")
        try check(PushTokenCheckReply(.unknown), "PushTokenCheckReply", is: #"{"state": "unknown"}"#)
        try check(
            PushTokenCheckReply(.ended(try Samples.plugin(), at: Samples.now)),
            "PushTokenCheckReply",
            is: """
                {"state": "ended", "plugin": "com.example.feed", "ended_at": "2026-01-31T01:48:00Z",
                 "ended_at_ns": "1769824080000000000"}
                """
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

    @Test func `a page of tasks carries the cursor of the next page`() throws {
        let next = WorkCursor(plugin: try Samples.plugin(), number: SubmissionNumber(rawValue: 12))
        try check(
            TaskListReply(pending: [], running: [], events: [], next: next, isPartial: true),
            "TaskList",
            is: #"{"pending": [], "running": [], "events": [], "next": "com.example.feed/12", "partial": true}"#
        )
        #expect(WorkCursor(text: "com.example.feed/12") == next)
        #expect(WorkCursor(text: WorkCursor.end(of: next.plugin).text) == .end(of: next.plugin))
    }

    @Test func `the JSON of a task list has the key running with an empty list, and omits the key without a list`()
        throws
    {
        try check(
            TaskListReply(pending: [], running: nil, events: []),
            "TaskList",
            is: #"{"pending": [], "events": [], "partial": false}"#
        )
        try check(
            TaskListReply(pending: [], running: [], events: []),
            "TaskList",
            is: #"{"pending": [], "running": [], "events": [], "partial": false}"#
        )
    }

    @Test
    func `the JSON of task why has eligible, policies and history for a pending request, not for an unknown task`()
        throws
    {
        let task = try #require(TaskIdentifier("com.example.feed.refresh"))
        try check(
            TaskWhyReply(identifier: task, plugin: try Samples.plugin(), state: .unknown),
            "TaskWhy",
            is: """
                {"identifier": "com.example.feed.refresh", "plugin": "com.example.feed", "state": "unknown",
                 "reasons": []}
                """
        )
        try check(
            TaskWhyReply(
                identifier: task,
                plugin: try Samples.plugin(),
                state: .pending,
                isEligible: true,
                reasons: [],
                policies: [],
                history: []
            ),
            "TaskWhy",
            is: """
                {"identifier": "com.example.feed.refresh", "plugin": "com.example.feed", "state": "pending",
                 "eligible": true, "reasons": [], "policies": [], "history": []}
                """
        )
    }

    @Test func `the JSON state of a failing ledger has its time and error, and that of a writable one has neither`()
        throws
    {
        try check(LedgerState.writable, "LedgerState", is: #"{"state": "writable"}"#)
        try check(
            LedgerState.failing(since: Samples.now, error: "the disk is full"),
            "LedgerState",
            is: """
                {"state": "failing", "since": "2026-01-31T01:48:00Z", "since_ns": "1769824080000000000",
                 "error": "the disk is full"}
                """
        )
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

    @Test func `the JSON task list keeps its shape`() throws {
        try check(
            try Samples.taskList(),
            "TaskList",
            is: """
                {"pending": [{"plugin": "com.example.feed", "identifier": "com.example.feed.refresh",
                   "kind": "refresh", "submission": 12, "submitter": "user",
                   "submitted_at": "2026-01-31T01:48:00Z", "submitted_at_ns": "1769824080000000000",
                     "earliest_begin": "2026-01-31T02:00:00Z", "earliest_begin_ns": "1769824800000000000",
                   "requires_network": true, "requires_external_power": false, "attempts": 1, "failures": 2,
                   "reason": {"code": "earliest-begin", "message": "the earliest begin of the request is in the future",
                              "until": "2026-01-31T02:00:00Z", "until_ns": "1769824800000000000"}}],
                 "running": [{"plugin": "com.example.feed", "identifier": "com.example.feed.refresh", "kind": "refresh",
                   "submission": 12, "launch": 41, "started_at": "2026-01-31T01:48:00Z",
                     "started_at_ns": "1769824080000000000",
                   "budget_ns": 30000000000, "used_ns": 22400000000, "expiring": false},
                  {"plugin": "com.example.feed", "identifier": "com.example.feed.export.one", "kind": "continued",
                   "submission": 14, "launch": 42, "started_at": "2026-01-31T01:48:00Z",
                     "started_at_ns": "1769824080000000000",
                   "used_ns": 60000000000, "expiring": true, "title": "Exporting", "subtitle": "holidays",
                   "progress": {"done": 3, "total": 8}}],
                 "events": [{"plugin": "com.example.feed", "event_name": "started", "submission": 13,
                   "created_at": "2026-01-31T01:48:00Z", "created_at_ns": "1769824080000000000", "attempts": 0}],
                     "partial": false}
                """
        )
    }

    @Test func `the JSON explanation of a waiting task keeps its shape`() throws {
        try check(
            try Samples.why(),
            "TaskWhy",
            is: """
                {"identifier": "com.example.feed.refresh", "plugin": "com.example.feed", "state": "pending",
                 "kind": "refresh", "submission": 12, "eligible": false, "earliest_possible": "unknown",
                   "earliest_possible_ns": "unknown",
                 "reasons": [{"code": "earliest-begin", "message": "the earliest begin of the request is in the future",
                              "until": "2026-01-31T02:00:00Z", "until_ns": "1769824800000000000"},
                             {"code": "network", "message": "the task needs a network, and the host sees none"}],
                 "policies": [{"policy": "idle", "verdict": "may", "rationale": "applies to processing requests only"},
                              {"policy": "spacing", "verdict": "wait", "rationale": "at least 1s between two launches",
                               "until": "2026-01-31T01:48:01Z", "until_ns": "1769824081000000000"}],
                 "history": [{"submission": 12, "code": "network", "since": "2026-01-31T01:47:00Z",
                   "since_ns": "1769824020000000000",
                              "until": "2026-01-31T01:47:30Z", "until_ns": "1769824050000000000",
                                "duration_ns": 30000000000},
                             {"submission": 12, "code": "earliest-begin", "since": "2026-01-31T01:47:30Z",
                               "since_ns": "1769824050000000000",
                              "duration_ns": 30000000000}],
                 "last_outcome": {"outcome": "crashed", "at": "2026-01-31T01:46:30Z",
                   "at_ns": "1769823990000000000", "blame": "plugin",
                                  "message": "signal 11", "launch": 40}}
                """
        )
    }

    @Test func `the JSON explanation with an earliest time, a proposed change and a running launch keeps its shape`()
        throws
    {
        let reply = TaskWhyReply(
            identifier: try Samples.task(),
            plugin: nil,
            state: .running,
            earliestPossible: .at(Timestamp(Samples.now)),
            change: ProposedChange(code: "network", message: "provide a network"),
            running: .init(launch: LaunchNumber(rawValue: 41), used: .seconds(1), budget: .seconds(30))
        )
        try check(
            reply,
            "TaskWhy",
            is: """
                {"identifier": "com.example.feed.refresh", "state": "running", "reasons": [], "earliest_possible": "2026-01-31T01:48:00Z",
                   "earliest_possible_ns": "1769824080000000000",
                 "change": {"code": "network", "message": "provide a network"},
                 "running": {"launch": 41, "used_ns": 1000000000, "budget_ns": 30000000000}}
                """
        )
    }

    @Test func `the JSON list of schedules keeps its shape`() throws {
        try check(
            try Samples.scheduleList(),
            "ScheduleList",
            is: """
                {"schedules": [
                  {"plugin": "com.example.feed", "identifier": "com.example.feed.refresh", "kind": "refresh",
                   "rhythm": "every 6h", "state": "idle", "next": "2026-01-31T02:00:00Z",
                   "next_ns": "1769824800000000000", "last_run": "2026-01-31T01:46:00Z",
                   "last_run_ns": "1769823960000000000",
                   "last_outcome": {"outcome": "succeeded", "at": "2026-01-31T01:46:30Z",
                     "at_ns": "1769823990000000000", "blame": "nobody", "message": "", "launch": 40}},
                  {"plugin": "com.example.feed", "identifier": "com.example.feed.refersh", "kind": "processing",
                   "rhythm": "02:30 Europe/Berlin", "state": "blocked",
                   "problem": {"code": "identifier-not-permitted",
                     "message": "the manifest of the plugin does not permit com.example.feed.refersh",
                     "remedy": "write \\"com.example.feed.refresh\\" if that task is meant"}}],
                 "partial": false}
                """
        )
    }

    @Test func `the JSON explanation of a replaced request of a schedule keeps its shape`() throws {
        let plugin = try Samples.plugin()
        let reply = TaskWhyReply(
            identifier: try Samples.task(),
            plugin: plugin,
            state: .pending,
            isEligible: true,
            schedule: .init(plugin: plugin, kind: .refresh, rhythm: "every 6h"),
            replacements: .init(
                since: Samples.now + .seconds(-40),
                last: Samples.now + .seconds(-4),
                submitters: [.user: 1, .plugin(plugin): 11]
            )
        )
        try check(
            reply,
            "TaskWhy",
            is: """
                {"identifier": "com.example.feed.refresh", "plugin": "com.example.feed", "state": "pending",
                 "eligible": true, "reasons": [],
                 "schedule": {"plugin": "com.example.feed", "kind": "refresh", "rhythm": "every 6h"},
                 "replacements": {"count": 12, "since": "2026-01-31T01:47:20Z", "since_ns": "1769824040000000000",
                   "last": "2026-01-31T01:47:56Z", "last_ns": "1769824076000000000",
                   "submitters": [{"submitter": "com.example.feed", "count": 11}, {"submitter": "user", "count": 1}]}}
                """
        )
    }

    @Test func `the JSON of an ended launch keeps its shape`() throws {
        try check(
            LaunchListReply(
                launches: [try Samples.launch(end: Samples.launchEnd)],
                next: LaunchNumber(rawValue: 41)
            ),
            "LaunchList",
            is: """
                {"launches": [{"launch": 41, "plugin": "com.example.feed", "lane": "background", "cause": "due",
                  "pid": 4711, "started_at": "2026-01-31T01:48:00Z", "started_at_ns": "1769824080000000000",
                  "ended_at": "2026-01-31T01:48:22Z", "ended_at_ns": "1769824102400000000",
                    "budget_ns": 30000000000, "grace_period_ns": 5000000000,
                  "used_ns": 22400000000, "outcome": "completed", "blame": "nobody", "message": "all tasks completed",
                  "manifest_digest": "cd34", "worst_outcome": "succeeded",
                  "tasks": [{"identifier": "com.example.feed.refresh", "kind": "refresh",
                    "submission": 12, "outcome": "succeeded", "blame": "nobody", "message": "",
                    "ended_at": "2026-01-31T01:48:02Z", "ended_at_ns": "1769824082000000000",
                    "submitter": "com.example.feed", "submitted_at": "2026-01-31T01:48:00Z",
                    "submitted_at_ns": "1769824080000000000"}], "assertions": []}],
                      "next": "41"}
                """
        )
    }

    @Test func `the JSON of the journal keeps its shape`() throws {
        try check(
            JournalReply(entries: [try Samples.journalLine()], last: 5),
            "Journal",
            is: """
                {"entries": [{"number": 5, "at": "2026-01-31T01:48:00Z", "at_ns": "1769824080000000000",
                  "event": "succeeded",
                  "plugin": "com.example.feed", "launch": 41, "identifier": "com.example.feed.refresh",
                    "submission": 12,
                  "blame": "nobody", "message": "pruned 12 rows"}], "last": 5}
                """
        )
    }

    @Test func `the JSON journal line about the host has no plugin`() throws {
        let user = CallingUser(uid: 1_000, pid: 4_711, command: "bgtask")
        let entry = JournalEntry(
            at: Samples.now,
            event: .conditionsSimulated,
            plugin: nil,
            blame: .nobody,
            message: "changed: idle true",
            user: user
        )
        try check(
            JournalLine(number: 5, entry),
            "JournalLine",
            is: """
                {"number": 5, "at": "2026-01-31T01:48:00Z", "at_ns": "1769824080000000000",
                 "event": "conditions-simulated", "blame": "nobody", "message": "changed: idle true",
                 "user": {"uid": 1000, "pid": 4711, "command": "bgtask"}}
                """
        )
    }

    @Test func `the JSON journal line of an event has the event's name instead of an identifier`() throws {
        let line = JournalLine(
            number: 5,
            at: Samples.now,
            event: "succeeded",
            plugin: try Samples.plugin(),
            launch: nil,
            task: "started",
            submission: nil,
            blame: .nobody,
            message: ""
        )
        try check(
            line,
            "JournalLine",
            is: """
                {"number": 5, "at": "2026-01-31T01:48:00Z", "at_ns": "1769824080000000000", "event": "succeeded",
                 "plugin": "com.example.feed", "event_name": "started", "blame": "nobody", "message": ""}
                """
        )
    }

    @Test func `an empty plugin version and the unknown used time of a lost launch have no key in the API's JSON`()
        throws
    {
        let entry = PluginEntry(
            identifier: try Samples.plugin(),
            name: "Feed",
            version: "",
            role: .main,
            permitted: [],
            modes: [],
            library: try Samples.entry().library,
            manifestPath: "/m",
            manifestDigest: "cd34"
        )
        let summary = PluginListReply.Summary(entry, pending: 0, running: 0, isEnabled: true, state: .ready)
        #expect(summary.version == nil)
        #expect(!String(decoding: try WireCoding.encode(summary), as: UTF8.self).contains("version"))
        let lost = LaunchEnd(outcome: .lost, at: Samples.now, used: nil, blame: .machine, message: "")
        let launch = try Samples.launch(end: lost)
        #expect(launch.used == nil)
        #expect(!String(decoding: try WireCoding.encode(launch), as: UTF8.self).contains("used_ns"))
    }

    @Test
    func `the JSON of replies to submission and cancellation, of run and of simulated expiration keeps its shape`()
        throws
    {
        let number = SubmissionNumber(rawValue: 12)
        let (plugin, task) = (try Samples.plugin(), try Samples.task())
        try check(
            TaskSubmissionReply(number, plugin: plugin, identifier: task, replacing: SubmissionNumber(rawValue: 9)),
            "TaskSubmissionReply",
            is: """
                {"submission": 12, "plugin": "com.example.feed", "identifier": "com.example.feed.refresh",
                  "replaced": 9}
                """
        )
        try check(
            TaskDryRunReply(plugin: plugin, identifier: task, replacing: SubmissionNumber(rawValue: 9)),
            "TaskDryRunReply",
            is: #"{"plugin": "com.example.feed", "identifier": "com.example.feed.refresh", "replaced": 9}"#
        )
        let error = ErrorReply(code: "malformed", subReason: "kind-unknown", field: "requests[1].kind", message: "m")
        let submitted = TaskSubmissionReply(number, plugin: plugin, identifier: task, replacing: nil)
        try check(
            TaskBatchReply(results: [.submitted(submitted), .refused(error)]),
            "TaskBatchReply",
            is: """
                {"results": [
                  {"submission": 12, "plugin": "com.example.feed", "identifier": "com.example.feed.refresh"},
                  {"error": {"code": "malformed", "sub_reason": "kind-unknown", "field": "requests[1].kind",
                   "message": "m"}}]}
                """
        )
        try check(TaskCancellationReply(isCancelled: true), "TaskCancellationReply", is: #"{"cancelled": true}"#)
        try check(RunOrder(identifiers: ["a.b"]), "RunOrder", is: #"{"identifiers": ["a.b"]}"#)
        try check(
            RunReply(launching: [LaunchNumber(rawValue: 4)]),
            "RunReply",
            is: #"{"launching": [4]}"#
        )
        try check(ExpirationSimulation(identifier: "a.b"), "ExpirationSimulation", is: #"{"identifier": "a.b"}"#)
        try check(
            ExpirationSimulationReply(launch: LaunchNumber(rawValue: 4)),
            "ExpirationSimulationReply",
            is: #"{"launch": 4}"#
        )
    }
}
