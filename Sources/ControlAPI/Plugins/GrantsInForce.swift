// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The grants of a plugin: requested by its manifest, and effective in its launches.
package struct GrantsInForce: Codable, Hashable, Sendable {
    /// A place that a grant names.
    package struct Place: Codable, Hashable, Sendable {
        package let path: String
        /// `read`, `write` or `execute`.
        package let access: String
        /// The reason why the grant is not effective; nil when it is effective.
        package let leftOut: String?

        package init(path: String, access: String, leftOut: String?) {
            self.path = path
            self.access = access
            self.leftOut = leftOut
        }

        private enum CodingKeys: String, CodingKey {
            case path, access
            case leftOut = "left_out"
        }
    }

    package let network: Bool
    package let processes: Bool
    /// The places that the manifest grants, and the paths in the granted settings.
    package let places: [Place]
    /// Keys of the granted settings: the plugin may use the path that is the value of the setting.
    package let settings: [String]
    /// The guarantees that confine the plugin to its grants.
    package let guarantees: [GuaranteeInForce]
    /// The user number of the plugin's processes; nil when they have the host's user, and before the first launch.
    package let user: UInt32?
    /// Maximum memory of a launch in bytes; nil for no limit. The guarantees name the mechanism.
    package let memory: Int64?
    /// Maximum number of processes and threads of a launch; nil for no limit.
    package let processLimit: Int?

    package init(
        _ grants: Grants,
        places: [Place],
        guarantees: [GuaranteeInForce],
        user: UInt32? = nil,
        limits: PluginLimits = .none
    ) {
        network = grants.network
        processes = grants.processes
        self.places = places
        settings = grants.settings.map(\.key)
        self.guarantees = guarantees
        self.user = user
        memory = limits.memory
        processLimit = limits.processes
    }

    private enum CodingKeys: String, CodingKey {
        case network, processes, places, settings, guarantees, user
        case memory = "memory_limit_bytes"
        case processLimit = "process_limit"
    }
}
