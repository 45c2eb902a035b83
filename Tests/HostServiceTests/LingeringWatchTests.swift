// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import Synchronization
import TaskModel
import Testing

@testable import HostService

@Suite("Usage sensors stay on for a while after their last use, and never go off during one")
final class LingeringWatchTests: Sendable {
    private let applied = Mutex<[Watch]>([])
    private let lingers = Mutex<[@Sendable () -> Void]>([])
    /// Called once, before a watch without usage takes effect.
    private let beforeOff = Mutex<(@Sendable () -> Void)?>(nil)

    private func makeWatch() -> LingeringWatch {
        LingeringWatch { [self] watch in
            if !watch.use, let body = beforeOff.withLock({ $0.take() }) { body() }
            applied.withLock { $0.append(watch) }
        } afterLinger: { [self] end in
            lingers.withLock { $0.append(end) }
        }
    }

    private var last: Watch? { applied.withLock { $0.last } }
    private func endLinger(_ index: Int = 0) { lingers.withLock { $0[index] }() }

    @Test func `sensors go off when nothing needed them for the whole time`() {
        let watch = makeWatch()
        watch.set(Watch(use: true))
        watch.set(Watch(use: false))
        #expect(last == Watch(use: true))
        endLinger()
        #expect(last == Watch(use: false))
    }

    @Test func `sensors stay on when something needs them again meanwhile`() {
        let watch = makeWatch()
        watch.set(Watch(use: true))
        watch.set(Watch(use: false))
        watch.set(Watch(use: true))
        endLinger()
        #expect(last == Watch(use: true))
    }

    @Test func `each time begins anew when something needed them meanwhile`() {
        let watch = makeWatch()
        for _ in 0..<2 {
            watch.set(Watch(use: true))
            watch.set(Watch(use: false))
        }
        endLinger(0)
        #expect(last == Watch(use: true))
        endLinger(1)
        #expect(last == Watch(use: false))
    }

    @Test func `a need that arises while the sensors go off is not lost`() {
        let watch = makeWatch()
        watch.set(Watch(use: true))
        watch.set(Watch(use: false))
        beforeOff.withLock { $0 = { watch.set(Watch(use: true)) } }
        endLinger()
        #expect(last == Watch(use: true))
    }

    @Test func `containers are watched at once, and let go at once`() throws {
        let watch = makeWatch()
        let plugin = try #require(PluginIdentifier("com.example.feed"))
        watch.set(Watch(use: true, containers: [plugin]))
        watch.set(Watch(use: false))
        #expect(last == Watch(use: true))
        watch.set(Watch(use: false, containers: [plugin]))
        #expect(last == Watch(use: true, containers: [plugin]))
        endLinger()
        #expect(last == Watch(use: false, containers: [plugin]))
    }
}
