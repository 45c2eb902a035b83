// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The renewal of a host's lease, sent with each synchronization.
package struct SyncRequest: Hashable, Sendable {
    package let host: FleetName
    /// The groups of the host, without the group of all hosts.
    package let groups: [FleetName]
    /// The plugins that the fleet may use on this host; nil when the list is the same as in the last successful
    /// synchronization.
    package let plugins: [FleetPlugin]?

    package init(host: FleetName, groups: [FleetName], plugins: [FleetPlugin]?) {
        self.host = host
        self.groups = groups
        self.plugins = plugins
    }
}

/// A plugin that the operator opened to the fleet.
package struct FleetPlugin: Hashable, Sendable {
    package let identifier: PluginIdentifier
    package let version: String
    package let digest: String

    package init(identifier: PluginIdentifier, version: String, digest: String) {
        self.identifier = identifier
        self.version = version
        self.digest = digest
    }
}

/// The answer of the database to a synchronization.
package struct SyncAnswer: Hashable, Sendable {
    package let terms: LeaseTerms
    /// All claims that the queue assigns to this host. An item that was finished, replaced, cancelled or rescued is
    /// absent, or present with another fence.
    package let held: [Claim]
    /// Claims of this host that were cancelled or replaced, and whose end the queue does not know yet.
    package let ending: [Claim]
    /// Campaigns of the host's groups that the host has not joined, oldest first.
    package let campaigns: [Campaign]
    /// Whether an operator drains the host, which then claims nothing more.
    package let isDraining: Bool

    package init(
        terms: LeaseTerms,
        held: [Claim],
        ending: [Claim] = [],
        campaigns: [Campaign] = [],
        isDraining: Bool = false
    ) {
        self.terms = terms
        self.held = held
        self.ending = ending
        self.campaigns = campaigns
        self.isDraining = isDraining
    }
}

/// The limits of one claim.
package struct ClaimRequest: Hashable, Sendable {
    package let host: FleetName
    package let groups: [FleetName]
    /// The plugins whose items the host could start soon, each with its maximum number of items.
    package let plugins: [PluginRoom]
    /// The maximum number of items of all plugins together.
    package let limit: Int
    /// The bucket in which the claim of unbound items begins. The database goes on with the next buckets until it has
    /// `limit` items.
    package let firstBucket: Int

    package init(host: FleetName, groups: [FleetName], plugins: [PluginRoom], limit: Int, firstBucket: Int) {
        self.host = host
        self.groups = groups
        self.plugins = plugins
        self.limit = limit
        self.firstBucket = firstBucket
    }

    /// A plugin and the number of its items that a claim may take.
    package struct PluginRoom: Hashable, Sendable {
        package let plugin: PluginIdentifier
        package let free: Int

        package init(plugin: PluginIdentifier, free: Int) {
            self.plugin = plugin
            self.free = free
        }
    }
}
