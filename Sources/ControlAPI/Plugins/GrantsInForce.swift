// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The grants of a plugin: requested by its manifest, and effective in its launches.
package struct GrantsInForce: Codable, Hashable, Sendable {
    /// A grant that the manifest requests, and its effect.
    package struct Right: Codable, Hashable, Sendable {
        /// Key of the grant: `network`, `connect`, `listen`, `unix`, `gpu`, `processes`, `read`, `write` or
        /// `execute`.
        package let grant: String
        /// The requested value: `true`, a port or a path.
        package let requested: String
        /// Key of the setting whose value is the requested path; nil for a path in the manifest.
        package let setting: String?
        /// The values in effect; empty when the grant has no effect.
        package let effective: [String]
        /// The reason why the effective values differ from the requested one; nil when they do not.
        package let cause: String?
        /// The reason why the grant opens more than the effective values; nil when it does not, when it has no effect,
        /// and when isolation is off.
        package let notEnforced: String?

        package init(
            grant: String,
            requested: String,
            setting: String? = nil,
            effective: [String],
            cause: String?,
            notEnforced: String? = nil
        ) {
            self.grant = grant
            self.requested = requested
            self.setting = setting
            self.effective = effective
            self.cause = cause
            self.notEnforced = notEnforced
        }

        private enum CodingKeys: String, CodingKey {
            case grant, requested, setting, effective, cause
            case notEnforced = "not_enforced"
        }
    }

    /// The grants that the manifest requests, in the order of its keys, and the paths in the granted settings.
    package let rights: [Right]
    /// The guarantees that confine the plugin to its grants.
    package let guarantees: [GuaranteeInForce]
    /// The user number of the plugin's processes; nil when they have the host's user, and while no user is assigned, as
    /// before the first launch.
    package let user: UInt32?
    /// Maximum memory of a launch in bytes; nil for no limit. The guarantees name the mechanism.
    package let memory: Int64?
    /// Maximum number of processes and threads of a launch; nil for no limit.
    package let processLimit: Int?
    /// Maximum size in bytes of a file that a launch writes; nil for no limit.
    package let fileSize: Int64?

    package init(
        _ rights: [Right],
        guarantees: [GuaranteeInForce],
        user: UInt32? = nil,
        limits: PluginLimits = .none
    ) {
        self.rights = rights
        self.guarantees = guarantees
        self.user = user
        memory = limits.memory
        processLimit = limits.processes
        fileSize = limits.fileSize
    }

    private enum CodingKeys: String, CodingKey {
        case rights, guarantees, user
        case memory = "memory_limit_bytes"
        case processLimit = "process_limit"
        case fileSize = "file_size_limit_bytes"
    }
}

/// The limits that the operator sets for the grants of the plugins that match a pattern.
package struct GrantLimitInForce: Codable, Hashable, Sendable {
    /// Pattern of plugin identifiers: `*` for all, an identifier, or an identifier with `.*` for the identifiers below
    /// it.
    package let pattern: String
    /// The limits, each a key and its value, as `network false`.
    package let limits: [String]

    package init(_ entry: GrantLimits.Entry) {
        pattern = entry.pattern.description
        limits = entry.limit.words
    }
}
