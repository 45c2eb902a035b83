// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// A reason that blocks work now. `until` is the time at which the reason ends if nothing else changes; nil when the
/// time is unknown. `remedy` is the change that removes this reason; only `why` and the list of schedules have it.
package struct WaitingReason: Codable, Hashable, Sendable {
    package let code: String
    package let message: String
    package let until: Timestamp?
    private let untilSecond: CalendarTime?
    package let remedy: String?

    package init(code: String, message: String, until: WallTime? = nil, remedy: String? = nil) {
        self.code = code
        self.message = message
        self.remedy = remedy
        self.until = until.map(Timestamp.init)
        untilSecond = self.until.map(CalendarTime.init(secondOf:))
    }

    package init(_ reason: Reason, at now: Moment) {
        self.init(code: reason.code, message: reason.message, until: reason.end(at: now))
    }

    private enum CodingKeys: String, CodingKey {
        case code, message, remedy
        case until = "until_ns"
        case untilSecond = "until"
    }
}

/// The single change that would let work run now. The host proposes it, and does not make it.
package struct ProposedChange: Codable, Hashable, Sendable {
    /// The code of the waiting reason that the proposed change would remove.
    package let code: String
    package let message: String

    package init(code: String, message: String) {
        self.code = code
        self.message = message
    }

    /// The change that removes a reason; nil when the reason has no remedy.
    package init?(_ reason: WaitingReason) {
        guard let remedy = reason.remedy else { return nil }
        self.init(code: reason.code, message: remedy)
    }

    package init(removing reason: Reason) {
        self.init(code: reason.code, message: reason.remedy)
    }
}
