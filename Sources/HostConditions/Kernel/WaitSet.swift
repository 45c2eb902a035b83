// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import TaskModel

/// A descriptor and what is waited for there.
struct Awaited {
    let descriptor: Descriptor
    var events = BGL_READABLE
}

/// Waits for the descriptors of all sensors at once, each under its sensor's place. Belongs to one thread.
final class WaitSet {
    private static let batch = 64
    private static let bellKey: UInt64 = 0

    private struct Entry {
        let place: Int
        let awaited: Awaited
    }

    private let poll: Descriptor
    private let bell: Descriptor
    // Keys are never used again: what a batch says of a descriptor that was closed while it was handled finds nobody.
    private var nextKey: UInt64 = 1
    private var entries: [UInt64: Entry] = [:]
    private var keys: [Int: UInt64] = [:]

    init(ringing bell: Descriptor) throws(SystemError) {
        self.bell = bell
        poll = Descriptor(owning: try SystemError.check(bgl_poll_create(), "create an epoll"))
        let status = bgl_poll_add(poll.number, bell.number, UInt32(BGL_READABLE), Self.bellKey)
        try SystemError.check(status, "wait for an eventfd")
    }

    /// Waits for this in the sensor's place from now on, and for nothing else there.
    ///
    /// - Returns: whether it may have changed unheard until now. A file of the kernel's tells each change to one asking,
    ///   and beginning to wait is one.
    func set(_ awaited: Awaited?, at place: Int) throws(SystemError) -> Bool {
        let key = keys[place]
        if let key, let entry = entries[key] {
            if let awaited, entry.awaited.descriptor === awaited.descriptor {
                guard entry.awaited.events != awaited.events else { return false }
                entries[key] = Entry(place: place, awaited: awaited)
                _ = bgl_poll_change(poll.number, awaited.descriptor.number, UInt32(awaited.events), key)
                return false
            }
            // It is open until here, for the entry holds it.
            _ = bgl_poll_remove(poll.number, entry.awaited.descriptor.number)
            entries[key] = nil
            keys[place] = nil
        }
        guard let awaited else { return false }
        let status = bgl_poll_add(poll.number, awaited.descriptor.number, UInt32(awaited.events), nextKey)
        try SystemError.check(status, "wait for it")
        entries[nextKey] = Entry(place: place, awaited: awaited)
        keys[place] = nextKey
        nextKey += 1
        return awaited.events & BGL_CHANGED != 0
    }

    /// The places that are ready.
    ///
    /// - Parameter timeout: nil waits as long as it takes.
    func wait(timeout: Duration?) -> [Int] {
        var milliseconds: Int32 = -1
        if let timeout {
            // Rounded up, so that what is due is never polled for.
            milliseconds = Int32(clamping: (max(.zero, timeout).wholeNanoseconds + 999_999) / 1_000_000)
        }
        let ready = withUnsafeTemporaryAllocation(of: bgl_ready.self, capacity: Self.batch) { ready in
            let count = bgl_poll_wait(poll.number, ready.baseAddress, Int32(Self.batch), milliseconds)
            precondition(count >= 0, "an epoll of our own can always be waited for")
            return ready.prefix(Int(count)).map(\.key)
        }
        if ready.contains(Self.bellKey) { bgl_bell_silence(bell.number) }
        return ready.compactMap { entries[$0]?.place }
    }
}
