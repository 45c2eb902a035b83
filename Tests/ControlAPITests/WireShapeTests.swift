// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import HostTestKit
import TaskModel
import Testing

@Suite("JSON bodies about a host keep the shape that clients depend on")
struct WireShapeTests: WireShapeSuite {
    let document: APIDocument

    init() throws { document = try APIDocument() }

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
                {"version": "0.1.0", "features": ["bgtask.legacy-fetch/1", "bgtask.cursor/1", "bgtask.push/1", "bgtask.transfer/1", "bgtask.notification/1", "manifest.library-per-architecture", "manifest.extension-point"],
                 "pid": 7, "user": "bgtask", "started_at": "2026-01-31T00:48:00Z",
                  "started_at_ns": "1769820480000000000",
                 "boot_id": "b00t", "time_zone": "Europe/Berlin", "state_directory": "/var/lib/bgtask",
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
                                "metered": {"source": "unwatched"},
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
}
