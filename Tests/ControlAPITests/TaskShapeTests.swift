// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import HostTestKit
import TaskModel
import Testing

@Suite("JSON bodies about tasks and schedules keep the shape that clients depend on")
struct TaskShapeTests: WireShapeSuite {
    let document: APIDocument

    init() throws { document = try APIDocument() }

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

    @Test func `the JSON of a task list without running tasks has the key running with an empty list`() throws {
        try check(
            TaskListReply(pending: [], running: [], events: []),
            "TaskList",
            is: #"{"pending": [], "running": [], "events": [], "partial": false}"#
        )
    }

    @Test func `progress without a known total has no total, and its text is the part that is done`() throws {
        let task = TaskListReply.Running(
            .request(try Samples.continued()),
            launch: LaunchNumber(rawValue: 42),
            startedAt: Samples.now,
            budget: nil,
            used: .seconds(60),
            progress: TaskProgress(done: 7, total: .max)
        )
        #expect(task.progress == .init(done: 7, total: nil) && task.progress?.text == "7")
        #expect(TaskListReply.Running.Progress(done: 7, total: 9).text == "7 of 9")
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

    @Test func `the JSON of transfers and of the answers about them keeps its shape`() throws {
        try check(
            TransferListReply(transfers: [try Samples.transfer()], next: SubmissionNumber(rawValue: 41)),
            "TransferList",
            is: """
                {"transfers": [
                  {"transfer": 41, "plugin": "com.example.feed", "identifier": "com.example.feed:transfer:41",
                   "session": "photos", "kind": "download", "label": "Holidays",
                   "url": "https://example.com/holidays.zip", "state": "running", "fault": "server-busy",
                   "http_status": 503, "bytes": 400, "total": 1000, "message": "the server is busy",
                   "begun_at": "2026-01-31T01:48:00Z", "begun_at_ns": "1769824080000000000"}],
                 "next": "41"}
                """
        )
        let number = SubmissionNumber(rawValue: 41)
        let paused = TransferPauseReply(number, isPaused: true)
        try check(paused, "TransferPauseReply", is: #"{"transfer": 41, "paused": true}"#)
        let cancelled = TransferCancellationReply(number, isCancelled: false)
        try check(cancelled, "TransferCancellationReply", is: #"{"transfer": 41, "cancelled": false}"#)
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
