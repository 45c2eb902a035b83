// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The part of a campaign's spread after which one host begins. It depends only on the campaign and the host, so that a
/// repeated synchronization gives the same time, and the hosts of a campaign begin at different times.
package enum Spread {
    /// The delay of a host's first run in a campaign, from zero up to `spread`, without `spread` itself.
    package static func delay(of host: FleetName, in campaign: Campaign) -> Duration {
        var generator = SeededGenerator(seed: UInt64(bitPattern: campaign.number), for: host.text)
        let width = max(0, campaign.spread.wholeNanoseconds)
        let (high, _) = generator.next().multipliedFullWidth(by: UInt64(width))
        return .nanoseconds(Int64(high))
    }
}

/// The parts into which the queue divides the unbound items, so that hosts that claim at the same time lock different
/// rows.
package enum Bucket {
    package static let count = 16

    /// The bucket of an item.
    package static func of(item: Int64) -> Int { Int(UInt64(bitPattern: item) % UInt64(count)) }

    /// The buckets in the order of a claim that begins with `first`.
    package static func order(from first: Int) -> [Int] { (0..<count).map { (first + $0) % count } }
}
