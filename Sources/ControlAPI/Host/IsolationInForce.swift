// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The isolation of plugins on a host: the operator's choice, and each guarantee with its mechanism.
package struct IsolationInForce: Codable, Hashable, Sendable {
    /// The operator's choice: `best-effort`, `required` or `off`.
    package let choice: String
    /// The guarantees without which the host refuses to start; empty unless `choice` is `required`.
    package let required: [String]
    package let guarantees: [GuaranteeInForce]
    package let pluginUsers: PluginUsersInForce
    package let launchLimits: LaunchLimitsInForce
    package let grantLimits: [GrantLimitInForce]

    package init(
        _ choice: Isolation,
        required: Set<Guarantee> = [],
        _ guarantees: [GuaranteeInForce],
        users: PluginUsersInForce,
        limits: LaunchLimitsInForce,
        grantLimits: GrantLimits = .none
    ) {
        self.choice = choice.rawValue
        self.required = Guarantee.allCases.filter(required.contains).map(\.rawValue)
        self.guarantees = guarantees
        pluginUsers = users
        launchLimits = limits
        self.grantLimits = grantLimits.entries.map(GrantLimitInForce.init)
    }

    private enum CodingKeys: String, CodingKey {
        case choice, required, guarantees
        case pluginUsers = "plugin_users"
        case launchLimits = "launch_limits"
        case grantLimits = "grant_limits"
    }
}

/// The limits of each launch, and the priority of background launches.
package struct LaunchLimitsInForce: Codable, Hashable, Sendable {
    /// Maximum memory of a launch in bytes; nil for no limit.
    package let memory: Int64?
    /// Maximum number of processes and threads; nil for no limit.
    package let processes: Int?
    /// Maximum size of a file in bytes; nil for no limit.
    package let fileSize: Int64?
    /// Free space in bytes below which background launches wait, and a launch that used up the space is ended; at most
    /// 5 % of the disk of the containers. 0 for no reserve.
    package let diskReserve: Int64
    /// Number that background launches add to the nice value of the host.
    package let backgroundNice: Int

    package init(_ limits: PluginLimits, diskReserve: Int64, nice: Int) {
        memory = limits.memory
        processes = limits.processes
        fileSize = limits.fileSize
        self.diskReserve = diskReserve
        backgroundNice = nice
    }

    private enum CodingKeys: String, CodingKey {
        case memory = "memory_bytes"
        case processes
        case fileSize = "file_size_bytes"
        case diskReserve = "disk_reserve_bytes"
        case backgroundNice = "background_nice"
    }
}

/// The users that run plugins: a user per main plugin from a range, or the host's user.
package struct PluginUsersInForce: Codable, Hashable, Sendable {
    /// The range of user numbers, as `600000-665535`; nil when all plugins have the host's user.
    package let range: String?
    /// The reason why all plugins have the host's user; nil when they have users of their own.
    package let reason: String?

    package init(range: UserRange?, reason: String?) {
        self.range = range?.description
        self.reason = reason
    }
}

/// A guarantee about every sandboxed plugin, with its mechanism or the reason why it is not enforced.
package struct GuaranteeInForce: Codable, Hashable, Sendable {
    package let name: String
    /// The mechanism that enforces the guarantee; nil when the guarantee is not enforced.
    package let enforcedBy: String?
    /// The reason why the guarantee is not enforced; nil when it is enforced.
    package let notEnforced: String?

    package init(_ name: String, enforcedBy: String? = nil, notEnforced: String? = nil) {
        self.name = name
        self.enforcedBy = enforcedBy
        self.notEnforced = notEnforced
    }

    private enum CodingKeys: String, CodingKey {
        case name
        case enforcedBy = "enforced_by"
        case notEnforced = "not_enforced"
    }
}
