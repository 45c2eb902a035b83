// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import Synchronization
import TaskModel
import Testing

@testable import HostService

@Suite("Sensors of load and heat stay on for a linger time after their last use, and during a use")
final class LingeringWatchTests: Sendable {
    private let applied = Mutex<[Watch]>([])
    private let lingers = Mutex<[@Sendable () -> Void]>([])
    /// A hook that is called once, before a watch without the sensors of load and heat takes effect.
    private let beforeOff = Mutex<(@Sendable () -> Void)?>(nil)

    private func makeWatch() -> LingeringWatch {
        LingeringWatch { [self] watch in
            if !watch.sampled, let body = beforeOff.withLock({ $0.take() }) { body() }
            applied.withLock { $0.append(watch) }
        } afterLinger: { [self] end in
            lingers.withLock { $0.append(end) }
        }
    }

    private var last: Watch? { applied.withLock { $0.last } }
    private func endLinger(_ index: Int = 0) { lingers.withLock { $0[index] }() }

    @Test func `sensors of load and heat go off after they were not needed for the whole linger time`() {
        let watch = makeWatch()
        watch.set(Watch(sampled: true))
        watch.set(Watch(sampled: false))
        #expect(last == Watch(sampled: true))
        endLinger()
        #expect(last == Watch(sampled: false))
    }

    @Test func `sensors of load and heat stay on if they are needed again during the linger time`() {
        let watch = makeWatch()
        watch.set(Watch(sampled: true))
        watch.set(Watch(sampled: false))
        watch.set(Watch(sampled: true))
        endLinger()
        #expect(last == Watch(sampled: true))
    }

    @Test func `each use of the load and heat sensors restarts their linger time`() {
        let watch = makeWatch()
        for _ in 0..<2 {
            watch.set(Watch(sampled: true))
            watch.set(Watch(sampled: false))
        }
        endLinger(0)
        #expect(last == Watch(sampled: true))
        endLinger(1)
        #expect(last == Watch(sampled: false))
    }

    @Test func `a use that begins while the load and heat sensors go off keeps them on`() {
        let watch = makeWatch()
        watch.set(Watch(sampled: true))
        watch.set(Watch(sampled: false))
        beforeOff.withLock { $0 = { watch.set(Watch(sampled: true)) } }
        endLinger()
        #expect(last == Watch(sampled: true))
    }

    @Test func `container sensors go on and off at once, without a linger time`() throws {
        let watch = makeWatch()
        let plugin = try #require(PluginIdentifier("com.example.feed"))
        watch.set(Watch(sampled: true, containers: [plugin]))
        watch.set(Watch(sampled: false))
        #expect(last == Watch(sampled: true))
        watch.set(Watch(sampled: false, containers: [plugin]))
        #expect(last == Watch(sampled: true, containers: [plugin]))
        endLinger()
        #expect(last == Watch(sampled: false, containers: [plugin]))
    }
}
