// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Foundation
import HostConfiguration
import Synchronization
import TaskModel

/// A timer that fires at a time of the monotonic clock, at a time of the wall clock, and whenever the wall clock is
/// set. Its thread sleeps until then.
final class WakeTimer: Sendable {
    /// The system calls that create and set the timers; tests replace them to simulate failures.
    struct Calls: Sendable {
        var createMonotonic: @Sendable () -> Int32 = { bgl_monotonic_timer_create() }
        var createWall: @Sendable () -> Int32 = { bgl_wall_timer_create() }
        var setWall: @Sendable (Int32, Int64) -> Int32 = { bgl_wall_timer_set($0, $1) }
    }

    private let monotonic: OwnedDescriptor
    private let wall: OwnedDescriptor
    private let wakeChannel: OwnedDescriptor
    private let calls: Calls
    private let onWake: @Sendable () -> Void
    private let wanted = Mutex<(monotonic: Int64, wall: Int64)>((0, 0))
    private static let wakeKey: UInt64 = 0

    /// Creates the timer and its thread.
    ///
    /// - Parameter onWake: called on the timer's thread, or on the thread that calls `set` or `rearm`; has to return
    ///   quickly.
    init(calls: Calls = Calls(), onWake: @escaping @Sendable () -> Void) throws(HostError) {
        self.calls = calls
        self.onWake = onWake
        monotonic = OwnedDescriptor(try Self.check(calls.createMonotonic()))
        wall = OwnedDescriptor(try Self.check(calls.createWall()))
        wakeChannel = OwnedDescriptor(try Self.check(bgl_eventfd_create()))
        let poll = OwnedDescriptor(try Self.check(bgl_poll_create()))
        try Self.check(bgl_poll_add(poll.number, wakeChannel.number, UInt32(BGL_READABLE), Self.wakeKey))
        for timer in [monotonic, wall] {
            try Self.check(bgl_poll_add(poll.number, timer.number, UInt32(BGL_READABLE), UInt64(timer.number)))
        }
        // The thread keeps the descriptors open until it is stopped.
        let watched = [poll, monotonic, wall, wakeChannel]
        let thread = Thread { withExtendedLifetime(watched) { Self.wait(on: poll.number, onWake) } }
        thread.name = "bgtask.wake"
        thread.start()
    }

    /// Sets the times of both clocks, and replaces the times set before; nil disarms a clock. Safe on any thread.
    func set(monotonic instant: MonotonicTime?, wall calendar: WallTime?) {
        let instants = (instant.map { max(1, $0.nanoseconds) } ?? 0, calendar.map { max(1, $0.nanoseconds) } ?? 0)
        wanted.withLock { $0 = instants }
        rearm()
    }

    /// Sets the last times again, because a timer that fires is disarmed. Safe on any thread.
    func rearm() {
        let instants = wanted.withLock { $0 }
        // Setting a valid timer does not fail, whatever its time.
        _ = bgl_monotonic_timer_set(monotonic.number, instants.monotonic)
        // Setting a timer clears the report that the clock was set, if the thread has not read it yet. The timer is
        // armed nevertheless.
        if calls.setWall(wall.number, instants.wall) == -ECANCELED { onWake() }
    }

    func stop() { bgl_eventfd_signal(wakeChannel.number) }

    private static func wait(on poll: Int32, _ onWake: () -> Void) {
        var ready = bgl_ready()
        while bgl_poll_wait(poll, &ready, 1, -1) >= 0 {
            if ready.key == wakeKey && ready.events != 0 { return }
            if ready.events != 0, bgl_timer_read(Int32(ready.key)) == 1 { onWake() }
            ready = bgl_ready()
        }
    }

    @discardableResult
    private static func check(_ status: Int32) throws(HostError) -> Int32 {
        if status >= 0 { return status }
        throw HostError(code: .systemRefused, message: "cannot create a timer: \(String(cString: strerror(-status)))")
    }
}

/// A file descriptor that is closed when its last reference ends.
private final class OwnedDescriptor: Sendable {
    let number: Int32
    init(_ number: Int32) { self.number = number }
    deinit { close(number) }
}
