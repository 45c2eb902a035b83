// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import Foundation

extension BackgroundPlugin {
    /// Information about the launch of this process.
    public struct Launch: Sendable {
        /// Cause of a launch.
        @nonexhaustive
        public enum Cause: UInt32, Sendable {
            /// Requests were due and eligible.
            case due = 1
            /// A user requested the launch, or started a continued task.
            case user = 2
            /// An event was pending.
            case event = 3
            /// An interrupted task runs again.
            case relaunch = 4
            /// A cause that this release does not define.
            case unknown = 0xFFFF_FFFF
        }

        /// Number of the launch in the journal.
        public let number: UInt64
        /// Cause of this launch.
        public let cause: Cause
        /// Identifier of this plugin.
        public let plugin: String
        /// Identifiers of the tasks of the launch, without events, in no particular order. Identifiers that a permitted
        /// pattern covers are included, so that the plugin can register them while it enters.
        public let identifiers: [String]
    }

    /// The launch of this process; nil outside of a host.
    public static var launch: Launch? { Host.current?.launch }
}

extension Host {
    /// Whether the host supports graphics processors for continued tasks.
    var supportsGPU: Bool {
        var information = bgt_launch_info()
        guard bgt_get_launch_info(table, &information) == BGT_OK else { return false }
        return information.supported_resources & BGT_RESOURCE_GPU != 0
    }

    var launch: BackgroundPlugin.Launch? {
        var information = bgt_launch_info()
        guard bgt_get_launch_info(table, &information) == BGT_OK, let plugin = information.plugin else { return nil }
        let identifiers = (0..<Int(clamping: information.identifier_count))
            .compactMap { information.identifiers?[$0] }
            .map { String(cString: $0) }
        return BackgroundPlugin.Launch(
            number: information.launch,
            cause: BackgroundPlugin.Launch.Cause(rawValue: information.cause) ?? .unknown,
            plugin: String(cString: plugin),
            identifiers: identifiers
        )
    }
}
