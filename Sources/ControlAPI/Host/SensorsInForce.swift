// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The thresholds of the sensors, under their configuration keys with underscores: percent, degrees, and durations with
/// the suffix `_ns`.
package struct SensorsInForce: Codable, Hashable, Sendable {
    package let values: [String: Int64]

    /// Creates the thresholds.
    ///
    /// - Parameters:
    ///   - numbers: percentages and degrees by their configuration keys.
    ///   - durations: durations by their configuration keys.
    package init(numbers: [String: Int], durations: [String: Duration]) {
        var values: [String: Int64] = [:]
        for (key, number) in numbers { values[Self.field(key)] = Int64(number) }
        for (key, duration) in durations { values[Self.field(key) + Self.durationSuffix] = duration.wholeNanoseconds }
        self.values = values
    }

    private static func field(_ key: String) -> String { key.replacing("-", with: "_") }

    package static let durationSuffix = "_ns"

    package init(from decoder: any Decoder) throws { values = try [String: Int64](from: decoder) }

    package func encode(to encoder: any Encoder) throws { try values.encode(to: encoder) }
}
