// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The learned use of a plugin, in the time zone of the machine.
package struct LearnedUse: Hashable, Sendable {
    /// The time before an expected use from which on the spacing of refresh requests is not lengthened.
    static let lead: Duration = .seconds(30 * 60)
    /// The time without a use after which the spacing of a plugin's refresh requests doubles with each further week.
    private static let unusedAfter = 2 * UseHistogram.hoursPerWeek
    /// The largest factor by which the outlook lengthens a spacing.
    private static let largestFactor = 16
    private static let nanosecondsPerSecond: Int64 = 1_000_000_000

    package let histogram: UseHistogram
    package let zone: TimeZoneRules

    package init(_ histogram: UseHistogram, in zone: TimeZoneRules) {
        self.histogram = histogram
        self.zone = zone
    }

    /// The local hour at a time, as `UseHistogram` numbers it.
    static func hour(at time: WallTime, in zone: TimeZoneRules) -> Int64 {
        UseHistogram.hour(ofLocal: zone.localTime(of: time.nanoseconds / nanosecondsPerSecond))
    }

    /// The outlook on the use of a plugin, and the factor by which it lengthens the spacing of refresh requests.
    enum Outlook: Hashable {
        /// No use is expected, because the plugin had too few uses. The last use is recent.
        case unknown
        /// A use is expected in this hour, or within the lead.
        case soon
        /// A use is expected later; the spacing of refresh requests is lengthened at most until the time `lead`.
        case later(lead: WallTime)
        /// The plugin had no use for at least two weeks. `lead` is as for `later`; nil if no use is expected.
        case unused(weeks: Int, lead: WallTime?)

        var factor: Int {
            switch self {
            case .unknown, .soon: 1
            case .later: 2
            case .unused(let weeks, _): min(LearnedUse.largestFactor, 1 << min(weeks, 10))
            }
        }

        /// The number of weeks without a use; nil for a plugin in use.
        var unusedWeeks: Int? {
            if case .unused(let weeks, _) = self { weeks } else { nil }
        }

        var lead: WallTime? {
            switch self {
            case .unknown, .soon: nil
            case .later(let lead): lead
            case .unused(_, let lead): lead
            }
        }
    }

    func outlook(at now: WallTime) -> Outlook {
        let hour = Self.hour(at: now, in: zone)
        let lead = histogram.nextExpectedHour(from: hour).map { start(of: $0) + (.zero - Self.lead) }
        if let lead, lead <= now { return .soon }
        let unused = histogram.hoursSinceUse(at: hour)
        if unused >= Self.unusedAfter { return .unused(weeks: Int(unused / UseHistogram.hoursPerWeek), lead: lead) }
        return lead.map { .later(lead: $0) } ?? .unknown
    }

    /// The end of the lengthened spacing, at the latest the time of the lead before the next expected use; nil if the
    /// outlook lengthens nothing.
    ///
    /// - Parameters:
    ///   - last: the end of the last launch for requests of the kind.
    ///   - spacing: the spacing without the outlook.
    func end(of spacing: Duration, since last: WallTime, by outlook: Outlook) -> WallTime? {
        if outlook.factor == 1 { return nil }
        let end = last + spacing * outlook.factor
        return outlook.lead.map { min($0, end) } ?? end
    }

    private func start(of hour: Int64) -> WallTime {
        let seconds = zone.firstInstant(reaching: UseHistogram.localStart(ofHour: hour))
        return WallTime(nanoseconds: seconds * Self.nanosecondsPerSecond)
    }
}
