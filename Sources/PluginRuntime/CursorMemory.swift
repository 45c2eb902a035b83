// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import RunnerWire

/// The memory of `CursorPlaces`, mapped for the rest of the process. The host reads it also after the process has died.
// Unchecked: the address never changes, and the lock of the launch orders the writes.
struct CursorMemory: @unchecked Sendable {
    private let address: UnsafeMutableRawPointer

    /// Maps the memory that the host passed, and closes its descriptor: neither the plugin nor its processes inherit
    /// it. Nil when the host passed none. Called before any plugin code is mapped.
    static func take() -> CursorMemory? {
        let descriptor = RunnerDescriptors.cursors
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_size == CursorPlaces.size
        else { return nil }
        defer { close(descriptor) }
        return bgl_map_shared(descriptor, UInt64(CursorPlaces.size)).map(CursorMemory.init(address:))
    }

    func write(_ slot: CursorSlot, toPlace index: Int) {
        slot.write(toPlace: address + index * CursorPlaces.stride)
    }
}
