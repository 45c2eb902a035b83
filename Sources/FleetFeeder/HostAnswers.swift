// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Fleet
import TaskModel

// The answers of a host, each with the members that a feeder needs: it also works with the values that a newer host adds.

/// The answer to `GET /v1/leases/{name}`: the open claims of the lease.
struct LeaseBody: Decodable {
    let acknowledged: Int64?
    let claims: [Open]

    struct Open: Decodable {
        let item: Int64
        let fence: Int64
        let bound: Bool
        let plugin: String
        let identifier: String
        /// Code of the reason for which the task waits; nil while it runs.
        let waiting: String?

        var claim: Claim { Claim(item: item, fence: fence, isBound: bound) }
    }
}

/// The part of the answer to `GET /v1/capacity` that concerns plugins.
struct CapacityBody: Decodable {
    let plugins: [Plugin]

    struct Plugin: Decodable {
        let identifier: String
        let version: String
        let digest: String?
        let ready: Bool
        let reason: String?
        let free: Int
    }
}

/// The part of the answer to `GET /v1/journal` that concerns claims.
struct ClaimJournalBody: Decodable {
    let entries: [Entry]

    struct Entry: Decodable {
        let number: Int64
        let event: String
        let claim: ClaimBody
        let leaseLost: Bool?

        private enum CodingKeys: String, CodingKey {
            case number, event, claim
            case leaseLost = "lease_lost"
        }

        /// The entry for the rules of the feeder.
        var claimed: ClaimedEntry {
            ClaimedEntry(number: number, claim: claim.claim, ending: ending)
        }

        private var ending: ClaimEnding? {
            // This event of a pending request has a rule of its own, so that an older host need not know it.
            if event == ClaimEnding.leaseLost { return .returned(reason: ClaimEnding.leaseLost, delay: .zero) }
            let known = JournalEntry.Event.allCases.first { $0.name == event }
            return known.flatMap { ClaimEnding($0, isLeaseLost: leaseLost ?? false) }
        }
    }
}
