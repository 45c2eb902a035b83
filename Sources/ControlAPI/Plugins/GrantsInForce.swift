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

    package init(_ grants: Grants, places: [Place], guarantees: [GuaranteeInForce], user: UInt32? = nil) {
        network = grants.network
        processes = grants.processes
        self.places = places
        settings = grants.settings.map(\.key)
        self.guarantees = guarantees
        self.user = user
    }
}
