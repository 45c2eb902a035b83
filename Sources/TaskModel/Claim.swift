// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The origin of a request that a feeder claimed from the queue of a fleet.
package struct Claim: Hashable, Sendable {
    /// The number of the item in the queue.
    package let item: Int64
    /// The number of this claim of the item: each claim has a higher fence than all earlier claims of the same item. The
    /// queue accepts an outcome only with the fence of the current claim.
    package let fence: Int64
    /// Whether the item belongs to this host alone. A bound item stays with its host when the lease ends; any other
    /// item then runs on another host.
    package let isBound: Bool

    package init(item: Int64, fence: Int64, isBound: Bool) {
        self.item = item
        self.fence = fence
        self.isBound = isBound
    }
}

extension Claim {
    /// The numbers that name a claim in a call.
    package struct Key: Hashable, Sendable {
        package let item: Int64
        package let fence: Int64

        package init(item: Int64, fence: Int64) { (self.item, self.fence) = (item, fence) }
    }

    package var key: Key { Key(item: item, fence: fence) }
}
