// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The answer to `GET /v1/plugins/{identifier}`: one plugin with its manifest, the limits that apply to it, and its
/// current state.
package struct PluginReply: Codable, Hashable, Sendable {
    package let summary: PluginListReply.Summary
    package let containingPlugin: String?
    /// The events that launch an extension; nil for a main plugin.
    package let extensionPoint: String?
    package let manifest: String
    /// Digest of the manifest: SHA-256 in lower-case hexadecimal.
    package let manifestDigest: String
    /// The features that the manifest requires of a host.
    package let requires: [String]
    /// Digest of the library: SHA-256 in lower-case hexadecimal.
    package let libraryDigest: String
    /// The architectures for which the manifest names a library; empty when one library serves every machine.
    package let architectures: [String]
    /// Whether the manifest requests a main bundle.
    package let hasMainBundle: Bool
    /// Paths of libraries that launches of the plugin may still have to load: libraries of the present version and of
    /// the previous version. Deleting such a library makes a launch fail.
    package let librariesToLoad: [String]
    package let provenance: PluginProvenance
    package let settings: [String: String]
    /// The secret settings, which `settings` does not have.
    package let secrets: [Secret]
    /// The bound functions of the manifest; empty for a library with an entry function.
    package let handlers: [Handler]
    package let grants: GrantsInForce
    package let notes: [ManifestNote]
    package let limits: [KindLimit]
    package let budgets: [KindBudget]
    package let gracePeriod: Nanoseconds
    package let spacing: Nanoseconds
    /// Maximum number of tasks per launch.
    package let batchSize: Int
    package let dayBudget: Nanoseconds
    /// Whether refresh is on; false when the operator has switched it off for the plugin or for the host.
    package let isBackgroundRefreshOn: Bool
    /// Whether the operator denies background work to the plugin.
    package let isBackgroundDenied: Bool
    package let entitlements: [String]
    package let schedules: [Schedule]
    package let retry: RetryRule
    /// The retries after failures, proposed or in force, by permitted identifier.
    package let failureRetries: [FailureRetryReply]
    /// Time for which the requests of the plugin are kept after the plugin is removed.
    package let retention: Nanoseconds
    /// The newest launch; nil when the ledger has no launch of the plugin.
    package let lastLaunch: LastLaunch?
    /// The reasons that block all work of the plugin now; empty when there are none.
    package let reasons: [WaitingReason]
    /// The first waiting events, oldest first, at most `PageLimit.standard`. `summary.events` is the number of all
    /// waiting events.
    package let waitingEvents: [TaskListReply.Event]

    package init(
        _ entry: PluginEntry,
        summary: PluginListReply.Summary,
        librariesToLoad: Set<String> = [],
        secrets: [Secret] = [],
        grants: GrantsInForce,
        notes: [ManifestNote] = [],
        limits: [KindLimit],
        budgets: [KindBudget],
        gracePeriod: Duration,
        spacing: Duration,
        batchSize: Int,
        dayBudget: Duration,
        isBackgroundRefreshOn: Bool,
        isBackgroundDenied: Bool,
        schedules: [Schedule] = [],
        retry: RetryRule,
        failureRetries: [FailureRetryReply] = [],
        retention: Duration,
        lastLaunch: LastLaunch?,
        reasons: [WaitingReason],
        waitingEvents: [TaskListReply.Event] = []
    ) {
        self.summary = summary
        self.containingPlugin = entry.containingPlugin?.text
        self.extensionPoint = entry.role == .extension ? entry.extensionPoint.rawValue : nil
        self.manifest = entry.manifestPath
        self.manifestDigest = entry.manifestDigest
        self.requires = entry.requires
        self.libraryDigest = entry.library.digest
        self.architectures = entry.architectures
        self.hasMainBundle = entry.mainBundle != nil
        self.librariesToLoad = librariesToLoad.sorted()
        self.provenance = PluginProvenance(entry.provenance)
        self.settings = entry.settings
        self.secrets = secrets
        self.handlers = entry.handlers.map(Handler.init)
        self.grants = grants
        self.notes = notes
        self.limits = limits
        self.budgets = budgets
        self.gracePeriod = Nanoseconds(gracePeriod)
        self.spacing = Nanoseconds(spacing)
        self.batchSize = batchSize
        self.dayBudget = Nanoseconds(dayBudget)
        self.isBackgroundRefreshOn = isBackgroundRefreshOn
        self.isBackgroundDenied = isBackgroundDenied
        self.entitlements = entry.entitlements.map(\.rawValue).sorted()
        self.schedules = schedules
        self.retry = retry
        self.failureRetries = failureRetries
        self.retention = Nanoseconds(retention)
        self.lastLaunch = lastLaunch
        self.reasons = reasons
        self.waitingEvents = waitingEvents
    }
}
