// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel
import Testing

@testable import Scheduling

@Suite("A forecast takes little from the loop, with any number of pending requests")
struct ForecastSeedTests {
    /// A host with pending requests: half of them wait for a time, and half for capacity.
    private func host(pending count: Int) -> SchedulerDriver {
        let host = SchedulerDriver(.app(), configure: { $0.limits.processing = 2_000 })
        host.install(.app(permitted: (1...1_500).map { .exact(.job($0)) }))
        host.runners = .held
        for number in 1...count { host.submit(.job(number), after: number.isMultiple(of: 2) ? .hours(1) : nil) }
        return host
    }

    /// The number of values of which a value consists.
    private func size(of value: Any) -> Int {
        Mirror(reflecting: value).children.reduce(1) { $0 + size(of: $1.value) }
    }

    @Test func `the part of the loop's memory for a forecast is as large with 1,500 pending requests as with 10`() {
        let sizes = [10, 1_500].map { count in
            let host = host(pending: count)
            let pending = host.scheduler.waitingPage(after: nil, limit: 2_000, at: host.clock.now).items.count
            #expect(pending > count / 2)
            return size(of: ForecastSeed(of: host.scheduler, at: host.clock.now))
        }
        #expect(sizes[0] == sizes[1] && sizes[0] > 20)
    }

    @Test func `a page of delays examines as many plugins as its limit, and the last page ends the list`() {
        let host = SchedulerDriver(.app(), .keyboard(), .mail())
        var cursors: [PluginIdentifier] = []
        var cursor: PluginIdentifier?
        repeat {
            cursor = host.scheduler.delayPage(after: cursor, limit: 1, at: host.clock.now).next
            if let cursor { cursors.append(cursor) }
        } while cursor != nil && cursors.count < 10
        #expect(cursors == cursors.sorted() && Set(cursors).count == 3)
    }
}
