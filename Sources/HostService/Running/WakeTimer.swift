// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Foundation
import HostConfiguration
import LinuxSystem
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

    private enum Interest: Hashable {
        case monotonic
        case wall
        case stop
    }

    private let monotonic: Descriptor
    private let wall: Descriptor
    private let wakeChannel: Descriptor
    private let calls: Calls
    private let onWake: @Sendable () -> Void
    private let wanted = Mutex<(monotonic: Int64, wall: Int64)>((0, 0))

    /// Creates the timer and its thread.
    ///
    /// - Parameter onWake: called on the timer's thread, or on the thread that calls `set` or `rearm`; has to return
    ///   quickly.
    init(calls: Calls = Calls(), onWake: @escaping @Sendable () -> Void) throws(HostError) {
        self.calls = calls
        self.onWake = onWake
        do throws(SystemError) {
            monotonic = Descriptor(owning: try SystemError.check(calls.createMonotonic(), "create a timer"))
            wall = Descriptor(owning: try SystemError.check(calls.createWall(), "create a timer"))
            wakeChannel = Descriptor(owning: try SystemError.check(bgl_eventfd_create(), "create an eventfd"))
            let poll = try EpollSet<Interest>()
            try poll.add(wakeChannel, .stop)
            try poll.add(monotonic, .monotonic)
            try poll.add(wall, .wall)
            // The thread keeps the descriptors open until it is stopped.
            let timers = [Interest.monotonic: monotonic, .wall: wall, .stop: wakeChannel]
            let status = DetachedThread.start("bgtask.wake") { Self.wait(on: poll, timers, onWake) }
            try SystemError.check(status, "start the thread of the timer")
        } catch {
            let remedy =
                switch error.number {
                case EMFILE, ENFILE:
                    "; raise the host's limit of open files (RLIMIT_NOFILE) or fs.file-max of the machine"
                case EAGAIN: "; raise the limits of processes of the host's user (RLIMIT_NPROC) and service (TasksMax=)"
                default: ""
                }
            throw HostError(code: .systemRefused, message: "\(error)\(remedy)")
        }
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

    private static func wait(
        on poll: EpollSet<Interest>,
        _ descriptors: [Interest: Descriptor],
        _ onWake: () -> Void
    ) {
        while true {
            for ready in poll.wait(timeout: nil) {
                if ready.interest == .stop { return }
                if let timer = descriptors[ready.interest], bgl_timer_read(timer.number) == 1 { onWake() }
            }
        }
    }
}
