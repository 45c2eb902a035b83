// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The answer to `GET /v1/plugins/{identifier}`: one plugin with its manifest, the limits that apply to it, and its
/// current state.
package struct PluginReply: Codable, Hashable, Sendable {
    package let summary: PluginListReply.Summary
    package let containingPlugin: String?
    package let manifest: String
    /// Digest of the manifest: SHA-256 in lower-case hexadecimal.
    package let manifestDigest: String
    /// The features that the manifest requires of a host.
    package let requires: [String]
    /// Digest of the library: SHA-256 in lower-case hexadecimal.
    package let libraryDigest: String
    /// The architectures for which the manifest names a library; empty for one library for every machine.
    package let architectures: [String]
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
        retention: Duration,
        lastLaunch: LastLaunch?,
        reasons: [WaitingReason],
        waitingEvents: [TaskListReply.Event] = []
    ) {
        self.summary = summary
        self.containingPlugin = entry.containingPlugin?.text
        self.manifest = entry.manifestPath
        self.manifestDigest = entry.manifestDigest
        self.requires = entry.requires
        self.libraryDigest = entry.library.digest
        self.architectures = entry.architectures
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
        self.retention = Nanoseconds(retention)
        self.lastLaunch = lastLaunch
        self.reasons = reasons
        self.waitingEvents = waitingEvents
    }

    /// A secret setting. Its value is in no reply.
    package struct Secret: Codable, Hashable, Sendable {
        package let setting: String
        /// The place from which the host takes the value, such as `file /etc/token`; nil when the operator configured
        /// none, so that the plugin is not launched.
        package let source: String?

        package init(setting: String, source: String?) {
            self.setting = setting
            self.source = source
        }
    }

    /// A task identifier and its bound function.
    package struct Handler: Codable, Hashable, Sendable {
        package let identifier: String
        package let symbol: String
        /// The declaration of the function in C.
        package let signature: String
        /// The arguments of the function, in the notation of the manifest.
        package let arguments: [String]
        /// The rule for a successful result; nil when every return is a success.
        package let success: String?

        package init(_ handler: FunctionBinding) {
            identifier = handler.identifier.text
            symbol = handler.symbol
            signature = handler.signature
            arguments = handler.arguments.map(\.text)
            success = handler.result.rule
        }
    }

    /// A schedule in the operator's configuration, which submits requests for one task identifier.
    package struct Schedule: Codable, Hashable, Sendable {
        package let identifier: String
        package let kind: String
        /// The interval or the calendar rule, in the notation of the configuration.
        package let rhythm: String
        /// Time of the next scheduled occurrence; nil when there is none.
        package let next: Timestamp?
        private let nextSecond: CalendarTime?

        package init(identifier: TaskIdentifier, kind: TaskKind, rhythm: String, next: WallTime?) {
            self.identifier = identifier.text
            self.kind = kind.name
            self.rhythm = rhythm
            self.next = next.map(Timestamp.init)
            nextSecond = self.next.map(CalendarTime.init(secondOf:))
        }

        private enum CodingKeys: String, CodingKey {
            case identifier, kind, rhythm
            case next = "next_ns"
            case nextSecond = "next"
        }
    }

    /// The newest launch of the plugin. The outcome is nil while the launch runs.
    package struct LastLaunch: Codable, Hashable, Sendable {
        package let launch: Int64
        package let startedAt: Timestamp
        private let startedAtSecond: CalendarTime
        package let outcome: String?
        package let message: String?

        package init(_ number: LaunchNumber, startedAt: WallTime, outcome: LaunchOutcome?, message: String?) {
            launch = number.rawValue
            self.startedAt = Timestamp(startedAt)
            startedAtSecond = CalendarTime(secondOf: self.startedAt)
            self.outcome = outcome?.rawValue
            self.message = message
        }

        private enum CodingKeys: String, CodingKey {
            case launch, outcome, message
            case startedAt = "started_at_ns"
            case startedAtSecond = "started_at"
        }
    }

    private enum CodingKeys: String, CodingKey {
        case manifest, requires, architectures, provenance, settings, secrets, handlers, grants, notes, limits, budgets,
            retry, reasons
        case entitlements, schedules
        case dayBudget = "day_budget_ns"
        case isBackgroundRefreshOn = "background_refresh"
        case isBackgroundDenied = "background_denied"
        case containingPlugin = "containing_plugin"
        case manifestDigest = "manifest_digest"
        case libraryDigest = "library_digest"
        case librariesToLoad = "libraries_to_load"
        case gracePeriod = "grace_period_ns"
        case spacing = "spacing_ns"
        case batchSize = "batch_size"
        case retention = "retention_ns"
        case lastLaunch = "last_launch"
        case waitingEvents = "waiting_events"
    }

    // The keys of the summary are encoded on the same level as the others, as in the list.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        summary = try PluginListReply.Summary(from: decoder)
        containingPlugin = try container.decodeIfPresent(String.self, forKey: .containingPlugin)
        manifest = try container.decode(String.self, forKey: .manifest)
        manifestDigest = try container.decode(String.self, forKey: .manifestDigest)
        requires = try container.decode([String].self, forKey: .requires)
        libraryDigest = try container.decode(String.self, forKey: .libraryDigest)
        architectures = try container.decode([String].self, forKey: .architectures)
        librariesToLoad = try container.decode([String].self, forKey: .librariesToLoad)
        provenance = try container.decode(PluginProvenance.self, forKey: .provenance)
        settings = try container.decode([String: String].self, forKey: .settings)
        secrets = try container.decode([Secret].self, forKey: .secrets)
        handlers = try container.decode([Handler].self, forKey: .handlers)
        grants = try container.decode(GrantsInForce.self, forKey: .grants)
        notes = try container.decode([ManifestNote].self, forKey: .notes)
        limits = try container.decode([KindLimit].self, forKey: .limits)
        budgets = try container.decode([KindBudget].self, forKey: .budgets)
        gracePeriod = try container.decode(Nanoseconds.self, forKey: .gracePeriod)
        spacing = try container.decode(Nanoseconds.self, forKey: .spacing)
        batchSize = try container.decode(Int.self, forKey: .batchSize)
        dayBudget = try container.decode(Nanoseconds.self, forKey: .dayBudget)
        isBackgroundRefreshOn = try container.decode(Bool.self, forKey: .isBackgroundRefreshOn)
        isBackgroundDenied = try container.decode(Bool.self, forKey: .isBackgroundDenied)
        entitlements = try container.decode([String].self, forKey: .entitlements)
        schedules = try container.decode([Schedule].self, forKey: .schedules)
        retry = try container.decode(RetryRule.self, forKey: .retry)
        retention = try container.decode(Nanoseconds.self, forKey: .retention)
        lastLaunch = try container.decodeIfPresent(LastLaunch.self, forKey: .lastLaunch)
        reasons = try container.decode([WaitingReason].self, forKey: .reasons)
        waitingEvents = try container.decode([TaskListReply.Event].self, forKey: .waitingEvents)
    }

    package func encode(to encoder: any Encoder) throws {
        try summary.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(containingPlugin, forKey: .containingPlugin)
        try container.encode(manifest, forKey: .manifest)
        try container.encode(manifestDigest, forKey: .manifestDigest)
        try container.encode(requires, forKey: .requires)
        try container.encode(libraryDigest, forKey: .libraryDigest)
        try container.encode(architectures, forKey: .architectures)
        try container.encode(librariesToLoad, forKey: .librariesToLoad)
        try container.encode(provenance, forKey: .provenance)
        try container.encode(settings, forKey: .settings)
        try container.encode(secrets, forKey: .secrets)
        try container.encode(handlers, forKey: .handlers)
        try container.encode(grants, forKey: .grants)
        try container.encode(notes, forKey: .notes)
        try container.encode(limits, forKey: .limits)
        try container.encode(budgets, forKey: .budgets)
        try container.encode(gracePeriod, forKey: .gracePeriod)
        try container.encode(spacing, forKey: .spacing)
        try container.encode(batchSize, forKey: .batchSize)
        try container.encode(dayBudget, forKey: .dayBudget)
        try container.encode(isBackgroundRefreshOn, forKey: .isBackgroundRefreshOn)
        try container.encode(isBackgroundDenied, forKey: .isBackgroundDenied)
        try container.encode(entitlements, forKey: .entitlements)
        try container.encode(schedules, forKey: .schedules)
        try container.encode(retry, forKey: .retry)
        try container.encode(retention, forKey: .retention)
        try container.encodeIfPresent(lastLaunch, forKey: .lastLaunch)
        try container.encode(reasons, forKey: .reasons)
        try container.encode(waitingEvents, forKey: .waitingEvents)
    }
}
