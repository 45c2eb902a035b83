// Part of bgtask, under the Apache License 2.0; see LICENSE.

import RunnerWire
import Scheduling
import TaskModel
import Testing

@testable import HostService

@Suite("The keeper compares the cursors that the launch thread reads with those before")
struct CursorKeeperTests {
    private static let launch = LaunchNumber(rawValue: 3)
    private static let task = TaskID(launch: launch, index: 0)

    private var keeper = CursorKeeper()

    init() throws { keeper.received(try Self.planned(.processing), with: nil, in: Self.launch) }

    private static func planned(_ kind: TaskKind) throws -> PlannedTask {
        let request = PendingRequest(
            plugin: try #require(PluginIdentifier("com.example.feed")),
            number: SubmissionNumber(rawValue: 5),
            request: TaskRequest(identifier: try #require(TaskIdentifier("com.example.feed.clean")), kind: kind),
            submitter: .user,
            submittedAt: WallTime(nanoseconds: 0)
        )
        return PlannedTask(id: task, work: .request(request))
    }

    private mutating func write(_ bytes: [UInt8], number: UInt64) -> CursorWrite? {
        keeper.wrote(CursorSlot(number: number, task: Self.task, bytes: bytes), in: Self.launch)
    }

    @Test mutating func `a write that repeats the contents is recognized, and one that returns to older ones is not`() {
        #expect(write([1], number: 1) == .moved)
        #expect(write([1], number: 2) == .repeated)
        #expect(write([2], number: 3) == .moved)
        #expect(write([1], number: 4) == .moved)
        #expect(write([], number: 5) == .discarded)
        #expect(write([], number: 6) == .repeated)
    }

    @Test mutating func `a write of the contents at the start of the run is no movement`() throws {
        let cursor = TaskCursor(
            bytes: [7],
            version: "1.0",
            movedAt: WallTime(nanoseconds: 1),
            submission: SubmissionNumber(rawValue: 1)
        )
        keeper.received(try Self.planned(.processing), with: cursor, in: Self.launch)
        #expect(write([7], number: 1) == .unmoved)
        #expect(write([8], number: 2) == .moved)
        #expect(write([7], number: 3) == .unmoved)
    }

    @Test mutating func `a call finds the version that it waits for, and newer ones`() {
        #expect(!keeper.has(Self.task, of: Self.launch, number: 1))
        #expect(write([1], number: 3) == .moved)
        #expect(keeper.has(Self.task, of: Self.launch, number: 2) && keeper.has(Self.task, of: Self.launch, number: 3))
        #expect(!keeper.has(Self.task, of: Self.launch, number: 4))
        #expect(!keeper.has(Self.task, of: Self.launch, number: 0))
    }

    @Test mutating func `the contents of a task are kept until its end is on disk, and no longer`() {
        let ending = LedgerChange.endTask(Self.launch, SubmissionNumber(rawValue: 5))
        #expect(keeper.complete([ending], of: Ticket(rawValue: 1)) == [ending])
        keeper.committed(Ticket(rawValue: 1), isOnDisk: false)
        #expect(keeper.launchesWithEntries == [Self.launch])
        _ = keeper.complete([ending], of: Ticket(rawValue: 2))
        keeper.committed(Ticket(rawValue: 2), isOnDisk: true)
        #expect(keeper.launchesWithEntries == [])
        #expect(write([1], number: 1) == nil)
    }

    @Test mutating func `a push has no cursor, whatever its launch writes`() throws {
        let launch = LaunchNumber(rawValue: 4)
        keeper.received(try Self.planned(.push), with: nil, in: launch)
        #expect(keeper.wrote(CursorSlot(number: 1, task: Self.task, bytes: [1]), in: launch) == nil)
    }
}
