// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks

extension BGTaskScheduler.Error {
    /// The host's own reason behind the code of an error. An addition of this platform: Apple's API has only the code.
    public struct SubReason: RawRepresentable, Hashable, Sendable {
        /// Number of the sub-reason in the plugin ABI.
        public let rawValue: UInt32

        /// Creates a sub-reason from its number, which may be unknown to this release.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// No sub-reason: the code alone states the reason.
        public static let none = Self(rawValue: BGT_REASON_NONE)
        /// The request itself is malformed, such as an identifier, a title or a payload that violates the rules.
        public static let malformedRequest = Self(rawValue: .max)

        /// The host does not run tasks of this kind for this plugin, or there is no host.
        public static let notOffered = Self(rawValue: BGT_REASON_NOT_OFFERED)
        /// The operator disabled background refresh.
        public static let backgroundRefreshOff = Self(rawValue: BGT_REASON_BACKGROUND_REFRESH_OFF)
        /// The operator disabled the plugin.
        public static let pluginDisabled = Self(rawValue: BGT_REASON_PLUGIN_DISABLED)
        /// The commit failed, so the request is not pending.
        public static let notRecorded = Self(rawValue: BGT_REASON_NOT_RECORDED)
        /// The host is stopping, or the launch is over.
        public static let hostStopping = Self(rawValue: BGT_REASON_HOST_STOPPING)
        /// The extension is not allowed to submit requests.
        public static let submitterMayNotSchedule = Self(rawValue: BGT_REASON_SUBMITTER_MAY_NOT_SCHEDULE)
        /// The main plugin is no longer installed.
        public static let pluginMissing = Self(rawValue: BGT_REASON_PLUGIN_MISSING)
        /// The host does not find its library of transfers.
        public static let transferLibraryMissing = Self(rawValue: BGT_REASON_TRANSFER_LIBRARY_MISSING)

        /// The limit of pending refresh requests is reached.
        public static let refreshLimit = Self(rawValue: BGT_REASON_REFRESH_LIMIT)
        /// The limit of pending processing requests is reached.
        public static let processingLimit = Self(rawValue: BGT_REASON_PROCESSING_LIMIT)
        /// The limit of pending continued requests is reached.
        public static let continuedLimit = Self(rawValue: BGT_REASON_CONTINUED_LIMIT)
        /// The limit of open transfers of the plugin is reached.
        public static let transferLimit = Self(rawValue: BGT_REASON_TRANSFER_LIMIT)

        /// The manifest does not permit the identifier.
        public static let identifierNotPermitted = Self(rawValue: BGT_REASON_IDENTIFIER_NOT_PERMITTED)
        /// The manifest lacks the background mode `fetch`.
        public static let modeFetchMissing = Self(rawValue: BGT_REASON_MODE_FETCH_MISSING)
        /// The manifest lacks the background mode `processing`.
        public static let modeProcessingMissing = Self(rawValue: BGT_REASON_MODE_PROCESSING_MISSING)
        /// The launch or command that submits a continued request was not started by a user.
        public static let notInForeground = Self(rawValue: BGT_REASON_NOT_IN_FOREGROUND)
        /// The machine does not have the resources that the request requires.
        public static let resourcesUnsupported = Self(rawValue: BGT_REASON_RESOURCES_UNSUPPORTED)
        /// The manifest lacks the grant that the request needs.
        public static let entitlementMissing = Self(rawValue: BGT_REASON_ENTITLEMENT_MISSING)
        /// The operator denies this plugin background launches.
        public static let backgroundDenied = Self(rawValue: BGT_REASON_BACKGROUND_DENIED)
        /// The main plugin does not list this extension.
        public static let notItsMainPlugin = Self(rawValue: BGT_REASON_NOT_ITS_MAIN_PLUGIN)
        /// The plugin does not have the grant `network`, which transfers need.
        public static let networkNotGranted = Self(rawValue: BGT_REASON_NETWORK_NOT_GRANTED)

        /// The deadline of the request has passed, or is not later than its earliest begin.
        public static let deadlinePassed = Self(rawValue: BGT_REASON_DEADLINE_PASSED)

        /// A continued request with the strategy `fail` was refused, because the host cannot run the task at once.
        public static let noCapacityNow = Self(rawValue: BGT_REASON_NO_CAPACITY_NOW)
    }
}

extension BGTaskScheduler.Error.SubReason: CustomStringConvertible {
    /// Name of the sub-reason in the journal and the commands.
    public var description: String { Self.words[self] ?? "sub-reason \(rawValue)" }

    private static let words: [Self: String] = [
        .none: "none", .malformedRequest: "malformed-request", .notOffered: "not-offered",
        .backgroundRefreshOff: "background-refresh-off", .pluginDisabled: "plugin-disabled",
        .notRecorded: "not-recorded", .hostStopping: "host-stopping",
        .submitterMayNotSchedule: "submitter-may-not-schedule", .pluginMissing: "plugin-missing",
        .refreshLimit: "refresh-limit", .processingLimit: "processing-limit", .continuedLimit: "continued-limit",
        .identifierNotPermitted: "identifier-not-permitted", .modeFetchMissing: "mode-fetch-missing",
        .modeProcessingMissing: "mode-processing-missing", .notInForeground: "not-in-foreground",
        .resourcesUnsupported: "resources-unsupported", .entitlementMissing: "entitlement-missing",
        .backgroundDenied: "background-denied", .notItsMainPlugin: "not-its-main-plugin",
        .noCapacityNow: "no-capacity-now", .deadlinePassed: "deadline-passed", .transferLimit: "transfer-limit",
        .networkNotGranted: "network-not-granted", .transferLibraryMissing: "transfer-library-missing",
    ]
}
