// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import LinuxSystem
import RunnerWire
import TaskModel
import Testing

@testable import PluginLaunch

@Suite("The launch thread reads the cursors of unfinished tasks from the memory of their launch")
struct CursorReaderTests {
    private static let launch = LaunchNumber(rawValue: 3)
    private static let task = TaskID(launch: launch, index: 0)

    private let memory: CursorMemory
    private var reader: CursorReader

    init() throws {
        memory = try CursorMemory()
        reader = CursorReader(memory, of: Self.launch)
        reader.add(Self.task)
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

    /// The contents that a note finds, and whether it owes a read.
    private struct Found: Equatable {
        var bytes: [UInt8]?
        var owes = false
    }

    private mutating func note(_ milliseconds: Int64) -> Found {
        let read = reader.read(at: .cursorWritten(Self.task, number: 1), time(milliseconds))
        return Found(bytes: read.slot?.bytes, owes: read.owed == Self.task)
    }

    @Test mutating func `a note soon after a read owes one read, which finds the newest cursor`() {
        write([1], number: 1)
        #expect(note(900) == Found(bytes: [1]))
        write([2], number: 2)
        #expect(note(1_000) == Found(owes: true))
        #expect(note(1_010) == Found())
        #expect(reader.readOwed(Self.task, at: time(1_250))?.bytes == [2])
        #expect(note(1_300) == Found(owes: true))
    }

    @Test mutating func `a note whose read finds an unfinished cursor owes one more read`() {
        write([1], number: 1, isWhole: false)
        #expect(note(0) == Found(owes: true))
        write([1], number: 1)
        #expect(reader.readOwed(Self.task, at: time(250))?.bytes == [1])
    }

    @Test mutating func `forged notes without a write owe one read at a time`() {
        #expect(note(0) == Found(owes: true))
        for milliseconds in 1..<250 { #expect(note(Int64(milliseconds)) == Found()) }
        #expect(reader.readOwed(Self.task, at: time(250)) == nil)
    }

    @Test mutating func `a call reads the version that it waits for, unless it was read before`() {
        write([1], number: 1)
        let call = CallNumber(rawValue: 1)
        #expect(reader.read(at: .checkpoint(call, Self.task, number: 2), time(0)).slot == nil)
        #expect(reader.read(at: .checkpoint(call, Self.task, number: 1), time(0)).slot?.bytes == [1])
        #expect(reader.read(at: .checkpoint(call, Self.task, number: 1), time(0)).slot == nil)
    }

    @Test mutating func `a completion reads the last cursor, and nothing of the task is read afterwards`() {
        write([1], number: 1)
        let completion = RunnerMessage.completed(Self.task, .success)
        #expect(reader.read(at: completion, time(0)).slot?.bytes == [1])
        write([2], number: 2)
        #expect(note(1_000) == Found())
        #expect(reader.readLast().isEmpty)
    }

    @Test mutating func `the end of the launch reads the newer cursors of all unfinished tasks`() {
        write([1], number: 1)
        #expect(note(0).bytes == [1])
        #expect(reader.readLast().isEmpty)
        write([2], number: 2)
        #expect(reader.readLast().map(\.bytes) == [[2]])
        #expect(reader.readLast().isEmpty)
    }

    @Test mutating func `messages and slots of tasks that the runner did not receive are not read`() {
        let other = TaskID(launch: Self.launch, index: 1)
        let read = reader.read(at: .cursorWritten(other, number: 1), time(0))
        #expect(read.slot == nil && read.owed == nil)
    }

    /// A reader with a descriptor of its own, whose reads fail.
    private func failingReader() throws -> (reader: CursorReader, descriptor: CInt) {
        let number = dup(memory.descriptor.number)
        var reader = CursorReader(CursorMemory(of: Descriptor(owning: number)), of: Self.launch)
        reader.add(Self.task)
        let pipe = try Descriptor.pipe()
        try #require(dup2(pipe.0.number, number) == number)
        return (reader, number)
    }

    @Test mutating func `a failed read is reported once, and the next read finds the cursor`() throws {
        write([1], number: 1)
        let failing = try failingReader()
        var reader = failing.reader
        #expect(reader.read(at: .cursorWritten(Self.task, number: 1), time(0)).owed == Self.task)
        let taken = reader.takeFailure()
        let failure = try #require(taken)
        #expect(failure.error.number == ESPIPE && !failure.isLast && failure.message.contains("reads it again"))
        #expect(reader.takeFailure() == nil)
        try #require(dup2(memory.descriptor.number, failing.descriptor) == failing.descriptor)
        #expect(reader.readOwed(Self.task, at: time(250))?.bytes == [1])
        #expect(reader.takeFailure() == nil)
    }

    @Test func `a completion whose read fails waits for an owed read, which finds the cursor`() throws {
        write([1], number: 1)
        let failing = try failingReader()
        var reader = failing.reader
        let completion = RunnerMessage.completed(Self.task, .failure)
        let first = reader.read(at: completion, time(0))
        #expect(first.isDelayed && first.owed == Self.task && first.slot == nil)
        #expect(reader.takeFailure()?.isLast == false)
        // Another event of the launch resumes its channel before the owed read.
        let early = reader.read(at: completion, time(10))
        #expect(early.isDelayed && early.owed == nil && reader.takeFailure() == nil)
        try #require(dup2(memory.descriptor.number, failing.descriptor) == failing.descriptor)
        #expect(reader.readOwed(Self.task, at: time(250))?.bytes == [1])
        let last = reader.read(at: completion, time(250))
        #expect(!last.isDelayed && last.slot == nil && reader.takeFailure() == nil)
        #expect(reader.readLast().isEmpty)
    }

    @Test func `a completion whose reads keep failing is delivered after four further reads`() throws {
        write([1], number: 1)
        var reader = try failingReader().reader
        let completion = RunnerMessage.completed(Self.task, .failure)
        for turn in 0..<Int64(CursorReader.mostDelays) {
            #expect(reader.read(at: completion, time(250 * turn)).owed == Self.task)
            #expect(reader.readOwed(Self.task, at: time(250 * (turn + 1))) == nil)
            #expect(reader.takeFailure()?.isLast == false)
        }
        #expect(!reader.read(at: completion, time(1_000)).isDelayed)
        #expect(reader.takeFailure()?.isLast == true)
    }

    @Test func `a failed read at a completion that cannot wait is reported as the last read of the cursor`() throws {
        write([1], number: 1)
        var reader = try failingReader().reader
        let read = reader.read(at: .completed(Self.task, .success), time(0), mayWait: false)
        #expect(read.slot == nil && !read.isDelayed)
        let taken = reader.takeFailure()
        let failure = try #require(taken)
        #expect(failure.isLast && failure.message.contains("it begins at the cursor that was read before"))
        #expect(reader.readLast().isEmpty && reader.takeFailure() == nil)
    }

    @Test func `a failed read at the end of the launch is reported as the last read of the cursor`() throws {
        write([1], number: 1)
        var reader = try failingReader().reader
        #expect(reader.readLast().isEmpty)
        #expect(reader.takeFailure()?.isLast == true && reader.takeFailure() == nil)
    }
}
