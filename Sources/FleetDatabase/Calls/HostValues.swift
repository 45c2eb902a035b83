// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The answer to a feeder that begins.
package struct FeederStart: Decodable, Hashable, Sendable {
    package let host: Int64
    package let incarnation: Int64
    package let groups: [String]
}

/// A plugin of the host that the fleet may use.
package struct ReportedPlugin: Encodable, Hashable, Sendable {
    package let plugin: String
    package let version: String
    package let digest: String
    /// Whether a task of the plugin could start soon.
    package let ready: Bool
    /// Code of the first obstacle; nil when the plugin is ready.
    package let reason: String?

    package init(plugin: String, version: String, digest: String, ready: Bool, reason: String?) {
        self.plugin = plugin
        self.version = version
        self.digest = digest
        self.ready = ready
        self.reason = reason
    }
}

/// The reason for which a claimed task waits on its host.
package struct WaitingClaim: Encodable, Hashable, Sendable {
    package let item: Int64
    package let fence: Int64
    /// Code of the reason; nil when the task does not wait any more.
    package let reason: String?

    package init(item: Int64, fence: Int64, reason: String?) {
        self.item = item
        self.fence = fence
        self.reason = reason
    }
}

/// The answer to a renewal of the lease.
package struct LeaseRenewal: Decodable, Hashable, Sendable {
    /// A claim of the host as the database has it.
    package struct Held: Decodable, Hashable, Sendable {
        package let item: Int64
        package let fence: Int64
        package let bound: Bool
    }

    /// A campaign that the host has not joined.
    package struct NewCampaign: Decodable, Hashable, Sendable {
        package let campaign: Int64
        package let spreadSeconds: Double

        private enum CodingKeys: String, CodingKey {
            case campaign
            case spreadSeconds = "spread_seconds"
        }
    }

    /// Seconds between two renewals; the lease has three times this length.
    package let intervalSeconds: Double
    package let isDrained: Bool
    /// The claims of the host without those that were cancelled or replaced.
    package let held: [Held]
    /// The claims of the host that were cancelled or replaced and have not ended; nil from an older schema.
    package let ending: [Held]?
    package let campaigns: [NewCampaign]

    private enum CodingKeys: String, CodingKey {
        case campaigns, held, ending
        case intervalSeconds = "interval_seconds"
        case isDrained = "drained"
    }
}

/// The largest number of items of a plugin that a claim may take.
package struct PluginRoom: Encodable, Hashable, Sendable {
    package let plugin: String
    package let free: Int

    package init(plugin: String, free: Int) {
        self.plugin = plugin
        self.free = free
    }
}

/// The time of one host within the spread of a campaign.
package struct CampaignStart: Encodable, Hashable, Sendable {
    package let campaign: Int64
    /// Seconds after the campaign's earliest begin.
    package let slotSeconds: Double

    package init(campaign: Int64, slotSeconds: Double) {
        self.campaign = campaign
        self.slotSeconds = slotSeconds
    }

    private enum CodingKeys: String, CodingKey {
        case campaign
        case slotSeconds = "slot_seconds"
    }
}

/// An item that this host has claimed.
package struct ClaimedItem: Decodable, Hashable, Sendable {
    package let item: Int64
    package let fence: Int64
    package let bound: Bool
    package let plugin: String
    package let identifier: String
    package let kind: String
    /// The other members of the submission, as JSON of the control API; nil when they are no object.
    package let request: [String: RequestMember]?
    /// The payload in base64; nil without one.
    package let payload: String?
    /// The cursor of the last run on another host, in base64; nil without one.
    package let cursor: String?
    /// Seconds until the deadline at the time of the claim; nil without one.
    package let deadlineSeconds: Double?

    private enum CodingKeys: String, CodingKey {
        case item, fence, bound, plugin, identifier, kind, request, payload, cursor
        case deadlineSeconds = "deadline_seconds"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        item = try container.decode(Int64.self, forKey: .item)
        fence = try container.decode(Int64.self, forKey: .fence)
        bound = try container.decode(Bool.self, forKey: .bound)
        plugin = try container.decode(String.self, forKey: .plugin)
        identifier = try container.decode(String.self, forKey: .identifier)
        kind = try container.decode(String.self, forKey: .kind)
        // Items of an older schema can have any JSON. One invalid request must not affect the other items of a claim.
        request = try? container.decode([String: RequestMember].self, forKey: .request)
        payload = try container.decodeIfPresent(String.self, forKey: .payload)
        cursor = try container.decodeIfPresent(String.self, forKey: .cursor)
        deadlineSeconds = try container.decodeIfPresent(Double.self, forKey: .deadlineSeconds)
    }
}

/// The end of a claim on its host.
package struct ItemReport: Encodable, Hashable, Sendable {
    package let item: Int64
    package let fence: Int64
    /// Lower-case letters and hyphens, such as `succeeded`; nil for an item that returns to the queue.
    package let outcome: String?
    /// The reason of the return to the queue; nil for a finished item.
    package let release: String?
    /// Seconds until a returned item is due again, if it is bound or its reason begins with `request-invalid`. Any other
    /// unbound item is due at once.
    package let delaySeconds: Double
    /// The cursor of a returned item, in base64: the next host continues there. Nil leaves that of the item.
    package let cursor: String?

    package static func finished(item: Int64, fence: Int64, outcome: String) -> ItemReport {
        ItemReport(item: item, fence: fence, outcome: outcome, release: nil, delaySeconds: 0, cursor: nil)
    }

    package static func returned(
        item: Int64,
        fence: Int64,
        reason: String,
        delaySeconds: Double = 30,
        cursor: String? = nil
    ) -> ItemReport {
        ItemReport(
            item: item,
            fence: fence,
            outcome: nil,
            release: reason,
            delaySeconds: delaySeconds,
            cursor: cursor
        )
    }

    private enum CodingKeys: String, CodingKey {
        case item, fence, outcome, release, cursor
        case delaySeconds = "delay_seconds"
    }
}

/// Whether the database accepted a report: false when the claim had moved to another fence.
package struct ClaimVerdict: Decodable, Hashable, Sendable {
    package let item: Int64
    package let fence: Int64
    package let accepted: Bool
}
