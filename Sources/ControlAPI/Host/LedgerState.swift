// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// Whether the ledger can commit, according to its newest commit.
package struct LedgerState: Codable, Hashable, Sendable {
    package enum State: String, Codable, Hashable, Sendable, CaseIterable {
        case writable
        /// The newest commit failed. Submissions are refused, and ends of tasks wait to be recorded.
        case failing
    }

    package let state: State
    /// Time of the first failed commit after the last successful one; nil in the state `writable`.
    package let since: Timestamp?
    private let sinceSecond: CalendarTime?
    /// Message of the newest failed commit, with its remedy; nil in the state `writable`.
    package let error: String?

    package static let writable = LedgerState(.writable, since: nil, error: nil)

    package static func failing(since: WallTime, error: String) -> LedgerState {
        LedgerState(.failing, since: Timestamp(since), error: error)
    }

    private init(_ state: State, since: Timestamp?, error: String?) {
        self.state = state
        self.since = since
        sinceSecond = since.map(CalendarTime.init(secondOf:))
        self.error = error
    }

    private enum CodingKeys: String, CodingKey {
        case state, error
        case since = "since_ns"
        case sinceSecond = "since"
    }
}
