// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginLaunch
import RunnerWire
import Scheduling
import TaskModel
import Testing

@testable import HostService

@Suite("The cursors that the launch thread reads become events of the scheduler")
struct CursorWriteTests {
    private static let launch = LaunchNumber(rawValue: 1)

    private let task: PlannedTask
    private let judge: RunnerJudge

    init() throws {
        let plugin = try #require(PluginIdentifier("com.example.feed"))
        let identifier = try #require(TaskIdentifier("com.example.feed.clean"))
        let request = PendingRequest(
            plugin: plugin,
            number: SubmissionNumber(rawValue: 5),
            request: TaskRequest(identifier: identifier, kind: .processing),
            submitter: .user,
            submittedAt: WallTime(nanoseconds: 0)
        )
        task = PlannedTask(id: TaskID(launch: Self.launch, index: 0), work: .request(request))
        let entry = PluginEntry(
            identifier: plugin,
            name: "Feed",
            version: "1",
            role: .main,
            permitted: [.exact(identifier)],
            modes: [.processing],
            library: LibraryFile(
                path: "/opt/libFeed.so",
                digest: "ab12",
                identity: FileIdentity(device: 1, inode: 2, size: 3, modified: 4, changed: 5)
            ),
            manifestPath: "/etc/feed.yaml",
            manifestDigest: ""
        )
        var judge = RunnerJudge(of: Self.launch, entry)
        judge.planSent(with: [task])
        self.judge = judge
    }

    private func directory() -> LaunchDirectory {
        var launches = LaunchDirectory()
        launches.judges[Self.launch] = judge
        launches.cursors.received(task, with: nil, in: Self.launch)
        return launches
    }

    private func wrote(_ number: UInt64, _ bytes: [UInt8], at message: RunnerMessage? = nil) -> DecisionLoop.Input {
        .launch(.wrote(Self.launch, CursorSlot(number: number, task: task.id, bytes: bytes), message))
    }

    @Test func `a durable checkpoint that the read came with is one event, with the call that waits`() async throws {
        try await LoopFixture.with { fixture in
            var launches = directory()
            let call = RunnerMessage.checkpoint(CallNumber(rawValue: 1), task.id, number: 1)
            let events = fixture.loop.events(of: wrote(1, [1], at: call), fixture.core, &launches)
            #expect(events.count == 1)
            guard case .cursorWritten(_, _, .moved, reply: .some)? = events.first else {
                Issue.record("the checkpoint is no write with a reply: \(events)")
                return
            }
            let again = RunnerMessage.checkpoint(CallNumber(rawValue: 2), task.id, number: 1)
            let repeated = fixture.loop.events(of: .launch(.message(Self.launch, again)), fixture.core, &launches)
            guard case .cursorWritten(_, _, .repeated, reply: .some)? = repeated.first else {
                Issue.record("the second call does not wait: \(repeated)")
                return
            }
        }
    }

    @Test func `the cursor that a completion comes with precedes the completion`() async throws {
        try await LoopFixture.with { fixture in
            var launches = directory()
            let completion = RunnerMessage.completed(task.id, .success)
            let events = fixture.loop.events(of: wrote(1, [1], at: completion), fixture.core, &launches)
            #expect(events.first == .cursorWritten(Self.launch, task.id, .moved))
            #expect(events.count == 2)
        }
    }

    @Test func `a write that repeats the contents and that no call waits for is no event`() async throws {
        try await LoopFixture.with { fixture in
            var launches = directory()
            let first = fixture.loop.events(of: wrote(1, [1]), fixture.core, &launches)
            #expect(first == [.cursorWritten(Self.launch, task.id, .moved)])
            #expect(fixture.loop.events(of: wrote(2, [1]), fixture.core, &launches).isEmpty)
        }
    }
}
