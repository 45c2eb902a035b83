// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem
import TaskModel
import Testing

@testable import PluginLaunch

@Suite("Answers to refused system calls have a rate limit")
struct RefusedCallTests {
    @Test func `after the burst no call is answered until the rate permits it`() throws {
        // No call waits at a pipe, so each turn answers none.
        let (listener, _end) = try Descriptor.pipe()
        let start = MonotonicTime(nanoseconds: 1_000_000_000)
        var calls = RefusedCalls(listener: listener, at: start)
        for _ in 1..<RefusedCalls.burst {
            _ = calls.answer(at: start)
            #expect(calls.resumesAt == nil)
        }
        _ = calls.answer(at: start)
        let due = try #require(calls.resumesAt)
        let pause = Duration.nanoseconds(RefusedCalls.burst / 4 * 1_000_000_000 / RefusedCalls.callsPerSecond)
        #expect(due == start + pause)
        _ = calls.answer(at: due)
        #expect(calls.resumesAt == nil)
        withExtendedLifetime(_end) {}
    }
}
