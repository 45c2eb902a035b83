// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The tokens that one connection has used. A connection belongs to one team, and renews its token rarely.
package struct SenderHistory: Hashable, Sendable {
    /// Minimum time between two new tokens on one connection, by Apple's rule.
    private static let minimumAge: Duration = .seconds(20 * 60)
    /// Maximum number of refused tokens, after which none is verified.
    private static let maximumRefusals = 32

    private var token: String?
    private var team: String?
    private var since: MonotonicTime?
    private var refusals = 0

    package init() {}

    /// Whether the connection had so many refused tokens that no further one is verified.
    package var isExhausted: Bool { refusals >= Self.maximumRefusals }

    package mutating func noteRefusal() { refusals += 1 }

    /// Notes the use of a verified token; throws the reason when the connection may not use it.
    package mutating func note(_ next: ProviderToken, at now: MonotonicTime) throws(APNsReason) {
        if let team, team != next.team { throw .invalidProviderToken }
        if let token, token != next.text, let since, now - since < Self.minimumAge {
            throw .tooManyProviderTokenUpdates
        }
        if token != next.text { (token, team, since) = (next.text, next.team, now) }
    }
}
