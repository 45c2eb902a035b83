// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The text of `why` about work of a fleet.
package enum FleetExplanation {
    package static func lines(_ facts: FleetFacts) -> [String] {
        var lines = facts.items.flatMap { item in
            ["item \(item.item) for \(item.target): \(state(of: item))"] + remarks(about: item).map { "  \($0)" }
        }
        for campaign in facts.campaigns {
            let state = campaign.stopped.map { "stopped: \($0)" } ?? "open"
            lines.append(
                "campaign \(campaign.campaign) for \(campaign.target): \(state), \(campaign.joined) hosts joined,"
                    + " \(campaign.ended) ended"
            )
        }
        for outcome in facts.outcomes {
            let host = outcome.host.map { " on \($0)" } ?? ""
            lines.append(
                "item \(outcome.item) for \(outcome.target): \(outcome.outcome)\(host)"
                    + " \(Seconds.text(outcome.endedSeconds)) ago"
            )
        }
        return lines.isEmpty ? ["the fleet has no work with this plugin and identifier"] : lines
    }

    private static func state(of item: FleetFacts.Item) -> String {
        if let host = item.claimedBy {
            let since = item.claimedSeconds.map { " \(Seconds.text($0)) ago" } ?? ""
            let waiting = item.waitingFor.map { " and waiting there: \($0)" } ?? ""
            return "claimed by \(host)\(since)\(waiting)"
        }
        if item.dueInSeconds > 0 { return "not due for \(Seconds.text(item.dueInSeconds))" }
        if item.withPlugin == 0 { return "no host of the target has the plugin; install it, or open it to the fleet" }
        let reasons = item.reasons ?? [:]
        if reasons["ready"] != nil { return "due; a host that is ready claims it at its next renewal" }
        if reasons.count == 1, let reason = reasons.keys.first {
            return "due; every host with the plugin (\(item.withPlugin)) waits: \(reason)"
        }
        let counted = reasons.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        return "due; no host with the plugin is ready: \(counted.joined(separator: ", "))"
    }

    private static func remarks(about item: FleetFacts.Item) -> [String] {
        var remarks: [String] = []
        if item.hostAlive == false {
            let since = item.hostSeenSeconds.map { " for \(Seconds.text($0))" } ?? ""
            let fate = item.target.hasPrefix("host:") ? "bound work stays there" : "another host takes over"
            remarks.append("no contact with the host\(since); \(fate)")
        }
        if item.hostDrained { remarks.append("the host is drained; end that with: bgtask-feeder drain NAME --end") }
        if let reason = item.releaseReason {
            let host = item.releasedBy.map { " by \($0)" } ?? ""
            remarks.append("returned \(item.releases) times, the last time\(host): \(reason)")
        }
        if let end = item.endRequested { remarks.append("the host cancels it at its next renewal: \(end)") }
        return remarks
    }
}

/// Text of durations in whole units.
package enum Seconds {
    package static func text(_ seconds: Double) -> String {
        let whole = Int64(exactly: seconds.rounded()).map(abs) ?? 0
        return switch whole {
        case ..<120: "\(whole) s"
        case ..<7_200: "\(whole / 60) min"
        case ..<172_800: "\(whole / 3_600) h"
        default: "\(whole / 86_400) d"
        }
    }
}
