// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The answer to a feeder that begins.
package struct FeederStart: Decodable, Hashable, Sendable {
    package struct Held: Decodable, Hashable, Sendable {
        package let item: Int64
        package let fence: Int64
        package let bound: Bool
    }

    package let host: Int64
    package let incarnation: Int64
    package let leaseSeconds: Double
    package let groups: [String]
    /// The claims of the host as the database has them.
    package let claims: [Held]

    private enum CodingKeys: String, CodingKey {
        case host, incarnation, groups, claims
        case leaseSeconds = "lease_seconds"
    }
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
    /// A claim that ends unless its task has started.
    package struct Ending: Decodable, Hashable, Sendable {
        package let item: Int64
        package let fence: Int64
        package let plugin: String
        package let identifier: String
        /// `cancelled` or `replaced`.
        package let cause: String
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

    package let leaseSeconds: Double
    package let isDrained: Bool
    package let endings: [Ending]
    package let campaigns: [NewCampaign]

    private enum CodingKeys: String, CodingKey {
        case campaigns
        case leaseSeconds = "lease_seconds"
        case isDrained = "drained"
        case endings = "end"
    }
}

/// The time of one host within the spread of a campaign.
package struct CampaignSlot: Encodable, Hashable, Sendable {
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
    /// The other members of the submission, as JSON of the control API.
    package let request: [String: RequestMember]
    /// The payload in base64; nil without one.
    package let payload: String?
    /// Seconds until the deadline at the time of the claim; nil without one.
    package let deadlineSeconds: Double?

    private enum CodingKeys: String, CodingKey {
        case item, fence, bound, plugin, identifier, kind, request, payload
        case deadlineSeconds = "deadline_seconds"
    }
}

/// The end of a claim on its host.
package struct ItemOutcome: Encodable, Hashable, Sendable {
    package let item: Int64
    package let fence: Int64
    /// Lower-case letters and hyphens, such as `completed`.
    package let outcome: String
    package let detail: [String: String]

    package init(item: Int64, fence: Int64, outcome: String, detail: [String: String] = [:]) {
        self.item = item
        self.fence = fence
        self.outcome = outcome
        self.detail = detail
    }
}

/// A claim that returns to the queue.
package struct ItemRelease: Encodable, Hashable, Sendable {
    package let item: Int64
    package let fence: Int64
    package let reason: String
    /// Seconds until a bound item is due again.
    package let delaySeconds: Double

    package init(item: Int64, fence: Int64, reason: String, delaySeconds: Double = 30) {
        self.item = item
        self.fence = fence
        self.reason = reason
        self.delaySeconds = delaySeconds
    }

    private enum CodingKeys: String, CodingKey {
        case item, fence, reason
        case delaySeconds = "delay_seconds"
    }
}

/// Whether the database accepted an outcome or a release: false when the claim had moved to another fence.
package struct ClaimVerdict: Decodable, Hashable, Sendable {
    package let item: Int64
    package let fence: Int64
    package let accepted: Bool
}
