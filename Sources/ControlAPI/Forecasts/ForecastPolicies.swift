// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// Settings of the policies for a forecast. Nil settings are those of the host.
package struct ForecastPolicies: Codable, Hashable, Sendable {
    /// The names of all policies that are switched off.
    package var off: [String]?
    package var stagger: Nanoseconds?
    package var refreshSpacing: Nanoseconds?
    package var pushSpacing: Nanoseconds?
    package var overrunSpacing: Nanoseconds?
    package var longestSpacing: Nanoseconds?
    package var dayBudget: Nanoseconds?
    package var maximumDeferral: Nanoseconds?
    package var maximumCapacityWait: Nanoseconds?

    package init() {}

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case off
        case stagger = "stagger_ns"
        case refreshSpacing = "refresh_spacing_ns"
        case pushSpacing = "push_spacing_ns"
        case overrunSpacing = "overrun_spacing_ns"
        case longestSpacing = "longest_spacing_ns"
        case dayBudget = "day_budget_ns"
        case maximumDeferral = "maximum_deferral_ns"
        case maximumCapacityWait = "maximum_capacity_wait_ns"
    }

    package static let fields: [BodyField] = CodingKeys.allCases.map { key in
        .optional(key.rawValue, key == .off ? .texts : .whole)
    }

    /// Permitted settings, as in the configuration. Zero is no bound of the day budget and of the maximum deferral,
    /// because `off` disables policies.
    private static let waits: ClosedRange<Int64> = 0...most
    private static let bounds: ClosedRange<Int64> = 1_000_000_000...most
    private static let most: Int64 = 3_650 * 86_400 * 1_000_000_000

    /// Throws when a setting is out of its range.
    ///
    /// - Parameter field: the field of the body with these settings.
    func check(in field: String) throws(RouteError) {
        let settings: [(CodingKeys, Nanoseconds?)] = [
            (.stagger, stagger), (.refreshSpacing, refreshSpacing), (.pushSpacing, pushSpacing),
            (.overrunSpacing, overrunSpacing), (.longestSpacing, longestSpacing), (.dayBudget, dayBudget),
            (.maximumDeferral, maximumDeferral), (.maximumCapacityWait, maximumCapacityWait),
        ]
        for case (let key, let value?) in settings {
            let range = key == .dayBudget || key == .maximumDeferral ? Self.bounds : Self.waits
            let nanoseconds = value.duration.wholeNanoseconds
            if !range.contains(nanoseconds) { throw .outside(range, field: "\(field).\(key.rawValue)", nanoseconds) }
        }
    }
}
