// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem

/// Lists this process's children, including adopted ones and zombies. Every call reads them from the kernel again.
struct ChildList {
    private let threads: Descriptor
    private let processes: Descriptor

    init() throws(SystemError) {
        threads = try Descriptor(opening: "/proc/self/task", flags: O_RDONLY | O_DIRECTORY)
        processes = try Descriptor(opening: "/proc", flags: O_RDONLY | O_DIRECTORY)
    }

    func children() throws(SystemError) -> [Int32] {
        do throws(SystemError) {
            return try Self.numbers("list children") { bgl_children(threads.number, $0, $1) }
        } catch {
            guard error.number == ENOSYS else { throw error }
            let parent = getpid()
            return try all().filter { ProcessStatus(of: $0)?.parent == parent }
        }
    }

    /// Process numbers of all processes that are visible in /proc.
    func all() throws(SystemError) -> [Int32] {
        try Self.numbers("list processes") { bgl_numbers_in(processes.number, $0, $1) }
    }

    private static func numbers(
        _ attempt: String,
        _ list: (UnsafeMutablePointer<Int32>?, Int32) -> Int32
    ) throws(SystemError) -> [Int32] {
        var capacity: Int32 = 256
        while true {
            var count: Int32 = 0
            let numbers = [Int32](unsafeUninitializedCapacity: Int(capacity)) { buffer, filled in
                count = list(buffer.baseAddress, capacity)
                filled = Int(max(0, min(count, capacity)))
            }
            try SystemError.check(count, attempt)
            if count <= capacity { return numbers }
            capacity = count * 2
        }
    }
}
