// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import LinuxSystem
import RunnerWire
import TaskModel

/// The memory in which the runner of one launch keeps the cursors of its tasks. It outlives the runner. The host reads
/// copies of it and never maps it, so nothing that the plugin does to the memory can harm the host.
final class CursorMemory: Sendable {
    let descriptor: Descriptor

    /// Creates the memory of a launch, whose size never changes.
    init() throws(SystemError) {
        let number = try SystemError.check(
            bgl_shared_memory("bgtask-cursors", UInt64(CursorPlaces.size)),
            "create the memory of cursors"
        )
        descriptor = Descriptor(owning: number)
    }

    /// The memory that the descriptor refers to.
    init(of descriptor: Descriptor) { self.descriptor = descriptor }

    /// The newest version of the task's cursor; nil when the task has written none, while a write of it is unfinished,
    /// and when the plugin has overwritten it.
    func newest(of task: TaskID, in launch: LaunchNumber) throws(SystemError) -> CursorSlot? {
        guard let index = CursorPlaces.index(of: task, in: launch) else { return nil }
        let size = CursorPlaces.stride
        var status: Int64 = 0
        let place = [UInt8](unsafeUninitializedCapacity: size) { buffer, filled in
            let offset = UInt64(index * CursorPlaces.stride)
            status = bgl_read_at(descriptor.number, buffer.baseAddress, UInt64(size), offset)
            filled = max(0, Int(status))
        }
        if status < 0 { throw SystemError(number: Int32(clamping: -status), attempt: "read the memory of cursors") }
        return CursorSlot.newest(of: task, in: place)
    }

    /// The newest version of the task's cursor, at least the one with this number; nil when a few reads find none.
    func newest(of task: TaskID, in launch: LaunchNumber, atLeast number: UInt64) throws(SystemError) -> CursorSlot? {
        // The runner has written the version before it sent its number. Another thread may write the next ones.
        for _ in 0..<8 {
            if let slot = try newest(of: task, in: launch), slot.number >= number { return slot }
        }
        return nil
    }
}
