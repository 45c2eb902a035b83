// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Synchronization
import Testing

@testable import BackgroundTasks

@Suite("The block of an expiring activity is called with false before the expiration only, and with true at most once")
struct ExpiringActivityTests {
    /// The arguments of the block's calls, in their order.
    private final class Calls: Sendable {
        private let arguments = Mutex<[Bool]>([])

        var all: [Bool] { arguments.withLock { $0 } }

        func add(_ argument: Bool) { arguments.withLock { $0.append(argument) } }
    }

    private func calls(_ use: (ExpiringActivity) -> Void) -> [Bool] {
        let calls = Calls()
        use(ExpiringActivity { calls.add($0) })
        return calls.all
    }

    @Test func `the block of an activity that expires after its begin is called with false and then with true`() {
        let calls = calls { activity in
            activity.begin()
            activity.expire()
            activity.expire()
        }
        #expect(calls == [false, true])
    }

    @Test func `the block of an activity that expires before its begin is called once, with true`() {
        let calls = calls { activity in
            activity.expire()
            activity.begin()
        }
        #expect(calls == [true])
    }

    @Test func `ProcessInfo() returns the object of the process at each call`() {
        for _ in 0..<3 { #expect(ProcessInfo() === ProcessInfo.processInfo) }
    }
}
