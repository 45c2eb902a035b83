// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Foundation
import HostConfiguration
import LinuxSystem
import PluginLaunch
import Synchronization
import TaskModel
import Testing

@testable import HostService

@Suite("The wake timer fires at its instants and leaks no descriptor")
struct WakeTimerTests {
    @Test func `the wake timer fires at an instant of the monotonic and of the wall clock`() async throws {
        let (wakes, woken) = AsyncStream.makeStream(of: Void.self)
        let timer = try WakeTimer { woken.yield() }
        defer { timer.stop() }
        var iterator = wakes.makeAsyncIterator()
        timer.set(monotonic: SystemClock().monotonic, wall: nil)
        _ = await iterator.next()
        timer.set(monotonic: nil, wall: SystemClock().wall)
        _ = await iterator.next()
    }

    @Test func `the wake timer fires at once if the kernel reports a set wall clock while the timer is set`() throws {
        let wakes = Mutex(0)
        var calls = WakeTimer.Calls()
        // The kernel's answer in this case; it clears the expiration, and the thread would not wake.
        calls.setWall = { timer, instant in
            let status = bgl_wall_timer_set(timer, instant)
            return status == 0 ? -ECANCELED : status
        }
        let timer = try WakeTimer(calls: calls) { wakes.withLock { $0 += 1 } }
        defer { timer.stop() }
        timer.set(monotonic: nil, wall: WallTime(nanoseconds: .max))
        #expect(wakes.withLock { $0 } == 1)
    }

    @Test func `a failed creation of the wake timer closes the descriptors that were created`() throws {
        var ends: [Int32] = [-1, -1]
        #expect(bgl_pipe(&ends) == 0)
        defer { close(ends[0]) }
        var calls = WakeTimer.Calls()
        calls.createMonotonic = { [end = ends[1]] in end }
        calls.createWall = { -EMFILE }
        #expect(throws: HostError.self) { try WakeTimer(calls: calls) {} }
        var byte: UInt8 = 0
        // End of stream: the other end is closed.
        #expect(bgl_read(ends[0], &byte, 1) == 0)
    }
}
