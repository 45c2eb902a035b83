// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The facts about the work with one plugin and identifier.
package struct FleetFacts: Codable, Hashable, Sendable {
    package struct Item: Codable, Hashable, Sendable {
        package var item: Int64
        package var fence: Int64
        package var target: String
        package var campaign: Int64?
        /// Seconds until the earliest begin; negative after it.
        package var dueInSeconds: Double
        package var deadlineInSeconds: Double?
        package var claimedBy: String?
        package var claimedSeconds: Double?
        /// Whether the lease of the claiming or bound host is valid; nil for a pending item of a group.
        package var hostAlive: Bool?
        package var hostSeenSeconds: Double?
        package var hostDrained: Bool
        /// Code of the reason for which the claimed task waits on its host.
        package var waitingFor: String?
        package var endRequested: String?
        package var releaseReason: String?
        package var releasedBy: String?
        package var releases: Int
        /// Number of hosts of the target that have the plugin.
        package var withPlugin: Int
        /// Number of these hosts for each state: `ready`, `unreachable`, `drained`, or the code of an obstacle.
        package var reasons: [String: Int]?

        private enum CodingKeys: String, CodingKey {
            case item, fence, target, campaign, releases, reasons
            case dueInSeconds = "due_in_seconds"
            case deadlineInSeconds = "deadline_in_seconds"
            case claimedBy = "claimed_by"
            case claimedSeconds = "claimed_seconds"
            case hostAlive = "host_alive"
            case hostSeenSeconds = "host_seen_seconds"
            case hostDrained = "host_drained"
            case waitingFor = "waiting_for"
            case endRequested = "end_requested"
            case releaseReason = "release_reason"
            case releasedBy = "released_by"
            case withPlugin = "with_plugin"
        }
    }

    package struct Campaign: Codable, Hashable, Sendable {
        package var campaign: Int64
        package var target: String
        /// The cause of its stop; nil while hosts may join.
        package var stopped: String?
        package var joined: Int
        package var ended: Int
    }

    package struct Outcome: Codable, Hashable, Sendable {
        package var item: Int64
        package var target: String
        package var host: String?
        package var outcome: String
        package var endedSeconds: Double

        private enum CodingKeys: String, CodingKey {
            case item, target, host, outcome
            case endedSeconds = "ended_seconds"
        }
    }

    package var items: [Item]
    package var campaigns: [Campaign]
    package var outcomes: [Outcome]
}
