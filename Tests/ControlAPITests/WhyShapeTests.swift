// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import HostTestKit
import TaskModel
import Testing

@Suite("JSON explanations of tasks keep the shape that clients depend on")
struct WhyShapeTests: WireShapeSuite {
    let document: APIDocument

    init() throws { document = try APIDocument() }

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
}
