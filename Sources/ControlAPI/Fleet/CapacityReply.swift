// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The answer to `GET /v1/capacity`: the work of a fleet that could start soon.
package struct CapacityReply: Codable, Hashable, Sendable {
    package let lanes: [OfLane]
    /// The installed plugins whose items a feeder may claim.
    package let plugins: [OfPlugin]

    package struct OfLane: Codable, Hashable, Sendable {
        package let lane: String
        /// Number of further launches that the lane takes.
        package let free: Int

        package init(_ lane: Lane, free: Int) { (self.lane, self.free) = (lane.name, free) }
    }

    package struct OfPlugin: Codable, Hashable, Sendable {
        package let identifier: String
        package let version: String
        /// SHA-256 of the library.
        package let digest: String
        /// The kinds of requests that could start soon.
        package let kinds: [String]
        /// Whether requests of any kind could start soon.
        package let isReady: Bool
        /// Code of the first reason against a start. Nil when requests could start soon, when the manifest permits no such
        /// request, and while the pending work of the plugin is not loaded.
        package let reason: String?
        /// Number of requests that could start soon.
        package let free: Int

        package init(
            _ plugin: PluginIdentifier,
            version: String,
            digest: String,
            kinds: [TaskKind],
            reason: Reason?,
            free: Int
        ) {
            identifier = plugin.text
            self.version = version
            self.digest = digest
            self.kinds = kinds.map(\.name)
            isReady = !kinds.isEmpty
            self.reason = reason?.code
            self.free = free
        }

        private enum CodingKeys: String, CodingKey {
            case identifier, version, digest, kinds, reason, free
            case isReady = "ready"
        }
    }

    package init(lanes: [OfLane], plugins: [OfPlugin]) { (self.lanes, self.plugins) = (lanes, plugins) }
}
