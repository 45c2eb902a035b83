// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The tokens that one connection has used. A connection belongs to one team, and renews its token rarely.
package struct SenderHistory: Hashable, Sendable {
    /// The newest token of the connection.
    private struct Newest: Hashable {
        let text: String
        let issuedAt: WallTime
        /// Time of its first use on the connection.
        let since: MonotonicTime
    }

    /// Minimum time between two new tokens on one connection, by Apple's rule.
    private static let minimumAge: Duration = .seconds(20 * 60)
    /// Tolerated difference of the times at which a sender issues tokens.
    private static let slack: Duration = .seconds(60)
    /// Maximum number of wrong signatures one after the other, after which none is verified.
    private static let maximumRefusals = 32

    private var team: String?
    private var newest: Newest?
    /// The token before the newest one. Requests in progress use it after a renewal.
    private var previous: String?
    private var refusals = 0

    package init() {}

    /// Whether the connection had so many wrong signatures that no further one is verified.
    package var isExhausted: Bool { refusals >= Self.maximumRefusals }

    package mutating func noteWrongSignature() { refusals += 1 }

    /// Notes the use of a verified token; throws the reason when the connection may not use it.
    ///
    /// Requests of a connection are verified in any order, so that the token of an older issue is valid as well. A
    /// sender may have used its token on other connections before: its time of issue counts, not that of its first use.
    package mutating func note(_ next: ProviderToken, at now: MonotonicTime) throws(APNsReason) {
        if let team, team != next.team { throw .invalidProviderToken }
        refusals = 0
        if let newest {
            if next.text == newest.text || next.text == previous { return }
            let minimum = Self.minimumAge - Self.slack
            if newest.issuedAt - next.issuedAt >= minimum { return }
            let isRenewal = next.issuedAt - newest.issuedAt >= minimum || now - newest.since >= Self.minimumAge
            if !isRenewal { throw .tooManyProviderTokenUpdates }
        }
        team = next.team
        previous = newest?.text
        newest = Newest(text: next.text, issuedAt: next.issuedAt, since: now)
    }
}
