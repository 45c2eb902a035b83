// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Foundation
import HostConfiguration
import Synchronization
import TaskModel

/// Calls back at an instant of either clock, and whenever the wall clock is set. Its thread sleeps until then.
final class WakeTimer: Sendable {
    private let monotonic: Int32
    private let wall: Int32
    private let bell: Int32
    private let poll: Int32
    private let wanted = Mutex<(monotonic: Int64, wall: Int64)>((0, 0))
    private static let bellKey: UInt64 = 0

    /// - Parameter onWake: called on the timer's own thread; hands over and returns.
    init(onWake: @escaping @Sendable () -> Void) throws(HostError) {
        monotonic = try Self.check(bgl_monotonic_timer_create())
        wall = try Self.check(bgl_wall_timer_create())
        bell = try Self.check(bgl_bell_create())
        poll = try Self.check(bgl_poll_create())
        try Self.check(bgl_poll_add(poll, bell, UInt32(BGL_READABLE), Self.bellKey))
        for timer in [monotonic, wall] {
            try Self.check(bgl_poll_add(poll, timer, UInt32(BGL_READABLE), UInt64(timer)))
        }
        let poll = poll
        let thread = Thread { Self.wait(on: poll, onWake) }
        thread.name = "bgtask.wake"
        thread.start()
    }

    /// Replaces what was set before; nil disarms. Any thread.
    func set(monotonic instant: MonotonicTime?, wall calendar: WallTime?) {
        let instants = (instant.map { max(1, $0.nanoseconds) } ?? 0, calendar.map { max(1, $0.nanoseconds) } ?? 0)
        wanted.withLock { $0 = instants }
        rearm()
    }

    /// Sets again what was set last: going off disarms a timer. Any thread.
    func rearm() {
        let instants = wanted.withLock { $0 }
        // A timer of ours takes any instant; there is nothing that could fail.
        _ = bgl_monotonic_timer_set(monotonic, instants.monotonic)
        _ = bgl_wall_timer_set(wall, instants.wall)
    }

    func stop() { bgl_bell_ring(bell) }

    private static func wait(on poll: Int32, _ onWake: () -> Void) {
        var ready = bgl_ready()
        while bgl_poll_wait(poll, &ready, 1, -1) >= 0 {
            if ready.key == bellKey && ready.events != 0 { return }
            if ready.events != 0, bgl_timer_read(Int32(ready.key)) == 1 { onWake() }
            ready = bgl_ready()
        }
    }

    @discardableResult
    private static func check(_ status: Int32) throws(HostError) -> Int32 {
        if status >= 0 { return status }
        throw HostError(code: .systemRefused, message: "cannot make a timer: \(String(cString: strerror(-status)))")
    }

    deinit {
        for descriptor in [monotonic, wall, bell, poll] { close(descriptor) }
    }
}
