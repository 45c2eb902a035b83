// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The layout of the memory in which the runner keeps the cursors of its launch, and which host and runner share. Each
/// task has a place of two slots. The runner writes them in turns, so that one of them is whole at any moment, also
/// after SIGKILL.
package enum CursorPlaces {
    /// Number of places. Tasks whose indices differ by a multiple of it share a place.
    package static let count = 1_024
    /// Size of a place in bytes.
    package static let stride = 2 * CursorSlot.stride
    /// Size of the memory in bytes. Its pages exist only when a task writes a cursor.
    package static let size = count * stride

    /// The index of the task's place; nil for a task of another launch.
    package static func index(of task: TaskID, in launch: LaunchNumber) -> Int? {
        let first = TaskID(launch: launch, index: 0).rawValue
        guard task.rawValue >= first else { return nil }
        return Int((task.rawValue - first) % UInt64(count))
    }
}

/// One version of a task's cursor, as it lies in the shared memory: 8 bytes each for number, task and checksum, 4 for
/// the length, 4 unused, then the cursor. All integers are little-endian.
package struct CursorSlot: Hashable, Sendable {
    package static let headerSize = 32
    package static let stride = headerSize + TaskCursor.longest

    /// Number of the version; rises with each write of the task, from 1.
    package let number: UInt64
    package let task: TaskID
    /// The cursor; empty when the task has discarded it.
    package let bytes: [UInt8]

    package init(number: UInt64, task: TaskID, bytes: [UInt8]) {
        self.number = number
        self.task = task
        self.bytes = bytes
    }

    package var image: CursorImage { bytes.isEmpty ? .discarded : .bytes(bytes) }

    /// The slot that a write with this number uses, 0 or 1.
    package static func position(of number: UInt64) -> Int { Int(number & 1) }

    // MARK: Writing

    /// Writes the slot to memory. Called by the runner.
    ///
    /// - Parameter place: the first byte of the place of the task.
    package func write(toPlace place: UnsafeMutableRawPointer) {
        let slot = place + Self.position(of: number) * Self.stride
        // A reader that sees the new number with other old fields rejects the slot by its checksum.
        slot.storeBytes(of: number.littleEndian, as: UInt64.self)
        slot.storeBytes(of: task.rawValue.littleEndian, toByteOffset: 8, as: UInt64.self)
        slot.storeBytes(of: checksum.littleEndian, toByteOffset: 16, as: UInt64.self)
        slot.storeBytes(of: UInt32(bytes.count).littleEndian, toByteOffset: 24, as: UInt32.self)
        bytes.withUnsafeBytes { cursor in
            UnsafeMutableRawBufferPointer(start: slot + Self.headerSize, count: cursor.count).copyMemory(from: cursor)
        }
    }

    // MARK: Reading

    /// The newest whole version of the task's cursor in a copy of its place; nil when neither slot is whole. Everything
    /// in the copy may be forged.
    package static func newest(of task: TaskID, in place: [UInt8]) -> CursorSlot? {
        let slots = (0..<2).compactMap { CursorSlot(at: $0 * stride, in: place, of: task) }
        return slots.max { $0.number < $1.number }
    }

    private init?(at offset: Int, in place: [UInt8], of expected: TaskID) {
        guard place.count >= offset + Self.stride else { return nil }
        let (number, task, checksum, length) = place.withUnsafeBytes { bytes in
            (
                UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)),
                UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self)),
                UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 16, as: UInt64.self)),
                UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 24, as: UInt32.self))
            )
        }
        guard number > 0, task == expected.rawValue, length <= TaskCursor.longest else { return nil }
        let start = offset + Self.headerSize
        self.init(number: number, task: expected, bytes: Array(place[start..<start + Int(length)]))
        guard self.checksum == checksum else { return nil }
    }

    /// FNV-1a of number, task, length and cursor. It detects unfinished writes, not forgery: the plugin can write to
    /// the memory, and harms only its own cursor.
    private var checksum: UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        for value in [number, task.rawValue, UInt64(bytes.count)] {
            for shift in Swift.stride(from: 0, to: 64, by: 8) { add(UInt8(truncatingIfNeeded: value >> UInt64(shift))) }
        }
        for byte in bytes { add(byte) }
        return hash
    }
}
