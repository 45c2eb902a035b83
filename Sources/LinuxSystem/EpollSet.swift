// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import TaskModel

/// Polls many descriptors at once, each identified by an interest. Confined to one thread at a time.
package final class EpollSet<Interest: Hashable> {
    package struct Readiness {
        package let interest: Interest
        package let isWritable: Bool
        package let isReadable: Bool
    }

    private let descriptor: Descriptor
    // Keys are never reused: an event of a descriptor that was closed since finds no interest.
    private var nextKey: UInt64 = 0
    private var interests: [UInt64: Interest] = [:]
    private var keys: [Interest: UInt64] = [:]

    package init() throws(SystemError) {
        descriptor = Descriptor(owning: try SystemError.check(bgl_poll_create(), "create an epoll instance"))
    }

    /// Adds a descriptor under an interest.
    ///
    /// - Parameter events: a combination of `BGL_READABLE`, `BGL_WRITABLE` and `BGL_CHANGED`.
    package func add(_ file: Descriptor, _ interest: Interest, events: Int = BGL_READABLE) throws(SystemError) {
        let key = nextKey
        try SystemError.check(bgl_poll_add(descriptor.number, file.number, UInt32(events), key), SystemError.watching)
        nextKey += 1
        interests[key] = interest
        keys[interest] = key
    }

    package func change(_ file: Descriptor, _ interest: Interest, events: Int) {
        guard let key = keys[interest] else { return }
        _ = bgl_poll_change(descriptor.number, file.number, UInt32(events), key)
    }

    /// Removes a descriptor and its interest.
    ///
    /// - Parameter file: must still be open; otherwise a duplicate of it elsewhere would continue to report events.
    package func remove(_ file: Descriptor, _ interest: Interest) {
        guard let key = keys.removeValue(forKey: interest) else { return }
        interests[key] = nil
        _ = bgl_poll_remove(descriptor.number, file.number)
    }

    /// Waits until a descriptor is ready, and returns the ready ones, at most 64; empty after `timeout`, after a
    /// signal, and when the ready descriptors have been removed since.
    ///
    /// - Parameter timeout: maximum wait; nil for no limit.
    package func wait(timeout: Duration?) -> [Readiness] {
        let batch = 64
        var milliseconds: Int32 = -1
        if let timeout {
            // Rounded up, so that no deadline is polled in a loop.
            milliseconds = Int32(clamping: (max(.zero, timeout).wholeNanoseconds + 999_999) / 1_000_000)
        }
        return withUnsafeTemporaryAllocation(of: bgl_ready.self, capacity: batch) { ready in
            let count = bgl_poll_wait(descriptor.number, ready.baseAddress, Int32(batch), milliseconds)
            precondition(count >= 0, "epoll_wait failed on an open epoll descriptor")
            return ready.prefix(Int(count)).compactMap { entry in
                interests[entry.key].map { interest in
                    Readiness(
                        interest: interest,
                        isWritable: entry.events & UInt32(BGL_WRITABLE) != 0,
                        isReadable: entry.events & UInt32(BGL_READABLE) != 0
                    )
                }
            }
        }
    }
}
