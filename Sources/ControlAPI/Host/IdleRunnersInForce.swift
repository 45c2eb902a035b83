// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The runners that are started in advance of launches.
package struct IdleRunnersInForce: Codable, Hashable, Sendable {
    /// The number of runners to start in advance while launches are frequent and memory is not short; 0 for none.
    package let limit: Int
    /// The number of runners that wait for a plan now.
    package let waiting: Int

    package init(limit: Int, waiting: Int) {
        self.limit = limit
        self.waiting = waiting
    }
}
