// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import LinuxSystem
import RunnerWire
import Scheduling
import TaskModel
import Testing

@testable import HostService
@testable import PluginLaunch

@Suite("The keeper reads the cursors of running tasks from the memory of their launch")
struct CursorKeeperTests {
    private static let launch = LaunchNumber(rawValue: 3)
    private static let task = TaskID(launch: launch, index: 0)

    private let memory: CursorMemory
    private var keeper = CursorKeeper()

    init() throws {
        memory = try CursorMemory()
        keeper.began(Self.launch, memory)
        keeper.received(try Self.planned(.processing), with: nil, in: Self.launch)
    }

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

    /// Writes a version of the cursor, as the runner does.
    ///
    /// - Parameter isWhole: whether the write is finished.
    private func write(_ bytes: [UInt8], number: UInt64, isWhole: Bool = true) {
        var place = [UInt8](repeating: 0, count: CursorPlaces.stride)
        place.withUnsafeMutableBytes { buffer in
            guard let address = buffer.baseAddress else { return }
            CursorSlot(number: number, task: Self.task, bytes: bytes).write(toPlace: address)
        }
        let start = CursorSlot.position(of: number) * CursorSlot.stride
        if !isWhole { place[start + CursorSlot.headerSize] ^= 1 }
        let slot = Array(place[start..<start + CursorSlot.stride])
        #expect(pwrite(memory.descriptor.number, slot, slot.count, off_t(start)) == slot.count)
    }

    private func time(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: 1_000_000_000 + milliseconds * 1_000_000)
    }

    private mutating func note(_ milliseconds: Int64) -> CursorWrite? {
        keeper.noted(Self.task, of: Self.launch, at: time(milliseconds))
    }

    private mutating func readOwed(_ milliseconds: Int64) -> [CursorWrite] {
        keeper.readOwed(at: time(milliseconds)).map(\.write)
    }

    @Test mutating func `a note soon after a read owes one read, which finds the newest cursor`() {
        write([1], number: 1)
        #expect(note(900) == .moved)
        #expect(keeper.nextRead == nil)
        write([2], number: 2)
        #expect(note(1_000) == nil)
        #expect(note(1_010) == nil)
        #expect(keeper.nextRead == time(1_250))
        #expect(readOwed(1_249) == [])
        #expect(readOwed(1_250) == [.moved])
        #expect(keeper.nextRead == nil)
    }

    @Test mutating func `a note whose read finds an unfinished cursor owes one more read`() {
        write([1], number: 1, isWhole: false)
        #expect(note(0) == nil)
        write([1], number: 1)
        #expect(readOwed(250) == [.moved])
    }

    @Test mutating func `forged notes without a write owe one read at a time`() {
        for milliseconds in 0..<250 { #expect(note(Int64(milliseconds)) == nil) }
        #expect(readOwed(250) == [])
        #expect(keeper.nextRead == nil)
    }

    @Test mutating func `a read that is owed finds nothing after the launch has ended`() {
        write([1], number: 1)
        #expect(note(0) == .moved)
        write([2], number: 2)
        #expect(note(10) == nil)
        #expect(keeper.ended(Self.launch).map(\.write) == [.moved])
        #expect(readOwed(260) == [])
    }

    @Test mutating func `a write that repeats the contents counts only for a call that waits for its commit`() {
        write([1], number: 1)
        #expect(note(0) == .moved)
        write([1], number: 2)
        #expect(note(1_000) == nil)
        #expect(readOwed(2_000) == [])
        write([1], number: 3)
        #expect(keeper.awaited(Self.task, of: Self.launch, number: 3) == .repeated)
        #expect(keeper.awaited(Self.task, of: Self.launch, number: 2) == .repeated)
        write([2], number: 4)
        #expect(keeper.awaited(Self.task, of: Self.launch, number: 4) == .moved)
    }

    @Test mutating func `the contents of a task are kept until its end is on disk, and no longer`() {
        let ending = LedgerChange.endTask(Self.launch, SubmissionNumber(rawValue: 5))
        #expect(keeper.complete([ending], of: Ticket(rawValue: 1)) == [ending])
        keeper.committed(Ticket(rawValue: 1), isOnDisk: false)
        #expect(keeper.launchesWithEntries == [Self.launch])
        _ = keeper.complete([ending], of: Ticket(rawValue: 2))
        keeper.committed(Ticket(rawValue: 2), isOnDisk: true)
        #expect(keeper.launchesWithEntries == [])
        write([1], number: 1)
        #expect(keeper.ended(Self.launch).isEmpty)
    }

    @Test mutating func `a push has no cursor, whatever its launch writes and sends`() throws {
        let launch = LaunchNumber(rawValue: 3)
        var keeper = CursorKeeper()
        keeper.began(launch, memory)
        keeper.received(try Self.planned(.push), with: nil, in: launch)
        write([1], number: 1)
        #expect(keeper.noted(Self.task, of: launch, at: time(0)) == nil)
        #expect(keeper.nextRead == nil)
        #expect(keeper.ended(launch).isEmpty)
    }
}
