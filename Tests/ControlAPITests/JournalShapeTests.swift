// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import HostTestKit
import TaskModel
import Testing

@Suite("JSON bodies about launches and the journal keep the shape that clients depend on")
struct JournalShapeTests: WireShapeSuite {
    let document: APIDocument

    init() throws { document = try APIDocument() }

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

    @Test func `the JSON journal line of a task whose lease was lost has its claim`() throws {
        var entry = JournalEntry(
            at: Samples.now,
            event: .task(.interrupted),
            plugin: try Samples.plugin(),
            blame: .nobody,
            message: "expired",
            claim: Claim(item: 71, fence: 3, isBound: false)
        )
        entry.isLeaseLost = true
        try check(
            JournalLine(number: 5, entry),
            "JournalLine",
            is: """
                {"number": 5, "at": "2026-01-31T01:48:00Z", "at_ns": "1769824080000000000", "event": "interrupted",
                 "plugin": "com.example.feed", "blame": "nobody", "message": "expired",
                 "claim": {"item": 71, "fence": 3, "bound": false}, "lease_lost": true}
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
}
