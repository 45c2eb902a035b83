// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// A duration, encoded as whole nanoseconds under a key that ends in `_ns`. It is not an instant.
package struct Nanoseconds: Hashable, Comparable, Sendable {
    package let duration: Duration

    package init(_ duration: Duration) { self.duration = duration }

    package static func < (left: Self, right: Self) -> Bool { left.duration < right.duration }
}

extension Nanoseconds: Codable {
    package init(from decoder: any Decoder) throws {
        self.init(.nanoseconds(try decoder.singleValueContainer().decode(Int64.self)))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(duration.wholeNanoseconds)
    }
}
