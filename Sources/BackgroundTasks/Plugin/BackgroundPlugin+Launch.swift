// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import Foundation

extension BackgroundPlugin {
    /// Why this process was started.
    public struct Launch: Sendable {
        /// What the host started it for.
        @nonexhaustive
        public enum Cause: UInt32, Sendable {
            /// Requests were due and eligible.
            case due = 1
            /// A person started or simulated it.
            case person = 2
            /// An event waited.
            case event = 3
            /// A task that was interrupted runs again.
            case relaunch = 4
            /// What this release does not know.
            case unknown = 0xFFFF_FFFF
        }

        /// Its number in the journal.
        public let number: UInt64
        /// What the host started it for.
        public let cause: Cause
        /// This plugin's identifier.
        public let plugin: String
        /// Of the tasks that it was launched with, in no order; events are not among them. An identifier that was composed
        /// from a pattern is here while the plugin enters, so that it can be registered.
        public let identifiers: [String]
    }

    /// Why this process was started; nil outside of a host.
    public static var launch: Launch? { Host.current?.launch }
}

extension Host {
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
