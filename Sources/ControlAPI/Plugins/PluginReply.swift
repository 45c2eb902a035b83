// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// `GET /v1/plugins/{identifier}`: one plugin as its manifest and its operator have it, and how it fares.
package struct PluginReply: Codable, Hashable, Sendable {
    package let summary: PluginListReply.Summary
    package let containingPlugin: String?
    package let manifest: String
    /// SHA-256, lower-case hexadecimal.
    package let manifestDigest: String
    /// SHA-256, lower-case hexadecimal.
    package let libraryDigest: String
    /// Paths of libraries that launches under way may have yet to load: of this version or of the one before. Whoever
    /// deletes one of them costs a launch.
    package let librariesToLoad: [String]
    package let settings: [String: String]
    /// Functions that the manifest binds, where the library has no entry.
    package let handlers: [Handler]
    package let notes: [ManifestNote]
    package let limits: [KindLimit]
    package let budgets: [KindBudget]
    package let grace: Nanoseconds
    package let spacing: Nanoseconds
    /// Tasks that one launch takes at the most.
    package let batchSize: Int
    package let dayBudget: Nanoseconds
    /// False where the operator switched refresh off, for it or for the host.
    package let isBackgroundRefreshOn: Bool
    /// True where the operator denies it background work.
    package let isBackgroundDenied: Bool
    package let entitlements: [String]
    package let schedules: [Schedule]
    package let retry: RetryRule
    /// How long its requests are kept once it is removed.
    package let retention: Nanoseconds
    /// Nil when it was never launched, as far as the ledger goes back.
    package let lastLaunch: LastLaunch?
    /// What keeps all of the plugin's work from running now.
    package let reasons: [WaitingReason]
    /// The oldest first, at most `PageLimit.standard`; `summary.events` counts all.
    package let waitingEvents: [TaskListReply.Event]

    package init(
        _ entry: PluginEntry,
        summary: PluginListReply.Summary,
        librariesToLoad: Set<String> = [],
        notes: [ManifestNote] = [],
        limits: [KindLimit],
        budgets: [KindBudget],
        grace: Duration,
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
        self.libraryDigest = entry.library.digest
        self.librariesToLoad = librariesToLoad.sorted()
        self.settings = entry.settings
        self.handlers = entry.handlers.map(Handler.init)
        self.notes = notes
        self.limits = limits
        self.budgets = budgets
        self.grace = Nanoseconds(grace)
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

    /// A task identifier and the function that it is handed to.
    package struct Handler: Codable, Hashable, Sendable {
        package let identifier: String
        package let symbol: String
        /// In C's words.
        package let signature: String
        /// What it is called with, each as the manifest writes it.
        package let arguments: [String]
        /// The rule that its result is judged by; nil where returning is enough.
        package let success: String?

        package init(_ handler: DirectHandler) {
            identifier = handler.identifier.text
            symbol = handler.symbol
            signature = handler.signature
            arguments = handler.arguments.map(\.text)
            success = handler.result.rule
        }
    }

    /// Recurring work that the operator's configuration asks for.
    package struct Schedule: Codable, Hashable, Sendable {
        package let identifier: String
        package let kind: String
        /// As the configuration has it.
        package let rhythm: String
        /// The next occasion; nil when there is none.
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

    /// The newest launch; without an outcome while it runs.
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
        case manifest, settings, handlers, notes, limits, budgets, retry, reasons, entitlements, schedules
        case dayBudget = "day_budget_ns"
        case isBackgroundRefreshOn = "background_refresh"
        case isBackgroundDenied = "background_denied"
        case containingPlugin = "containing_plugin"
        case manifestDigest = "manifest_digest"
        case libraryDigest = "library_digest"
        case librariesToLoad = "libraries_to_load"
        case grace = "grace_period_ns"
        case spacing = "spacing_ns"
        case batchSize = "batch_size"
        case retention = "retention_ns"
        case lastLaunch = "last_launch"
        case waitingEvents = "waiting_events"
    }

    // The summary's keys stand beside the others: a reader of the list finds the same words here.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        summary = try PluginListReply.Summary(from: decoder)
        containingPlugin = try container.decodeIfPresent(String.self, forKey: .containingPlugin)
        manifest = try container.decode(String.self, forKey: .manifest)
        manifestDigest = try container.decode(String.self, forKey: .manifestDigest)
        libraryDigest = try container.decode(String.self, forKey: .libraryDigest)
        librariesToLoad = try container.decode([String].self, forKey: .librariesToLoad)
        settings = try container.decode([String: String].self, forKey: .settings)
        handlers = try container.decode([Handler].self, forKey: .handlers)
        notes = try container.decode([ManifestNote].self, forKey: .notes)
        limits = try container.decode([KindLimit].self, forKey: .limits)
        budgets = try container.decode([KindBudget].self, forKey: .budgets)
        grace = try container.decode(Nanoseconds.self, forKey: .grace)
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
        try container.encode(libraryDigest, forKey: .libraryDigest)
        try container.encode(librariesToLoad, forKey: .librariesToLoad)
        try container.encode(settings, forKey: .settings)
        try container.encode(handlers, forKey: .handlers)
        try container.encode(notes, forKey: .notes)
        try container.encode(limits, forKey: .limits)
        try container.encode(budgets, forKey: .budgets)
        try container.encode(grace, forKey: .grace)
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
