// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import TaskModel

/// Waits for many descriptors at once, each under the reason why it is waited for. Belongs to one thread.
final class Poller {
    enum Interest: Hashable {
        case bell
        case killTimer
        case leader(LaunchNumber)
        case control(LaunchNumber)
        case output(LaunchNumber, RunnerOutput)
        case straggler(LaunchNumber)
        case group(LaunchNumber)
        case stale(Int)
    }

    struct Readiness {
        let interest: Interest
        let isWritable: Bool
        let isReadable: Bool
    }

    private static let batch = 64
    private static let bellKey: UInt64 = 0
    private static let timerKey: UInt64 = 1

    private let descriptor: Descriptor
    // Keys are never used again: what a batch says of a descriptor that was closed while it was handled finds nobody.
    private var nextKey: UInt64 = 2
    private var interests: [UInt64: Interest] = [:]
    private var keys: [Interest: UInt64] = [:]

    init(_ descriptor: Descriptor) {
        self.descriptor = descriptor
        interests = [Self.bellKey: .bell, Self.timerKey: .killTimer]
    }

    /// Can fail, and so comes before the thread that the poller belongs to.
    static func makeDescriptor(ringing bell: Descriptor, timer: Descriptor) throws(SystemError) -> Descriptor {
        let descriptor = Descriptor(owning: try SystemError.check(bgl_poll_create(), "create an epoll"))
        for (watched, key) in [(bell, bellKey), (timer, timerKey)] {
            let status = bgl_poll_add(descriptor.number, watched.number, UInt32(BGL_READABLE), key)
            try SystemError.check(status, "watch a descriptor")
        }
        return descriptor
    }

    func add(_ file: Descriptor, _ interest: Interest, events: Int = BGL_READABLE) throws(SystemError) {
        let key = nextKey
        try SystemError.check(bgl_poll_add(descriptor.number, file.number, UInt32(events), key), "watch a descriptor")
        nextKey += 1
        interests[key] = interest
        keys[interest] = key
    }

    func change(_ file: Descriptor, _ interest: Interest, events: Int) {
        guard let key = keys[interest] else { return }
        _ = bgl_poll_change(descriptor.number, file.number, UInt32(events), key)
    }

    /// - Parameter file: still open; a copy of it elsewhere would go on reporting.
    func remove(_ file: Descriptor, _ interest: Interest) {
        guard let key = keys.removeValue(forKey: interest) else { return }
        interests[key] = nil
        _ = bgl_poll_remove(descriptor.number, file.number)
    }

    /// - Parameter timeout: nil waits as long as it takes.
    func wait(timeout: Duration?) -> [Readiness] {
        var milliseconds: Int32 = -1
        if let timeout {
            // Rounded up, so that a deadline is never polled for.
            milliseconds = Int32(clamping: (max(.zero, timeout).wholeNanoseconds + 999_999) / 1_000_000)
        }
        return withUnsafeTemporaryAllocation(of: bgl_ready.self, capacity: Self.batch) { ready in
            let count = bgl_poll_wait(descriptor.number, ready.baseAddress, Int32(Self.batch), milliseconds)
            precondition(count >= 0, "an epoll of our own can always be waited for")
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
