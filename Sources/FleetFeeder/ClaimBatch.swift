// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Fleet
import FoundationEssentials
import TaskModel

/// The body of `POST /v1/tasks/batch` with claims: as many items as the size of a body permits.
struct ClaimBatch {
    let items: [FleetItem]
    /// The body; nil for a single item that is larger than a body may be.
    let body: Data?

    /// Divides items into batches, in order.
    static func divided(_ items: [FleetItem], lease: String) throws -> [ClaimBatch] {
        var batches: [ClaimBatch] = []
        var (members, text) = ([FleetItem](), TaskBatchText(lease: lease))
        func close() {
            if !members.isEmpty { batches.append(ClaimBatch(items: members, body: text.body)) }
            (members, text) = ([], TaskBatchText(lease: lease))
        }
        for item in items {
            let request = try WireCoding.encode(Request(item: item))
            if !text.add(request) {
                close()
                guard text.add(request) else {
                    batches.append(ClaimBatch(items: [item], body: nil))
                    continue
                }
            }
            members.append(item)
        }
        close()
        return batches
    }

    /// A request with its claim. An unbound item is accepted only if its task can start soon: another host may be free.
    struct Request: Encodable {
        let item: FleetItem

        private enum CodingKeys: String, CodingKey {
            case claim
            case onlyIfSoon = "only_if_soon"
        }

        func encode(to encoder: any Encoder) throws {
            try TaskSubmission(item.request, payload: item.payload ?? []).encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(ClaimBody(item.claim), forKey: .claim)
            if !item.claim.isBound { try container.encode(true, forKey: .onlyIfSoon) }
        }
    }
}
