// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// One line of what happened, written in the same transaction as the change that it tells of.
package struct JournalEntry: Hashable, Sendable {
    /// A launch's end, a request taken back, a rule broken, a change of the catalogue; task ends carry their outcome.
    package enum Event: Hashable, Sendable, CaseIterable {
        case task(TaskOutcome)
        case launch(LaunchOutcome)
        case cancelled
        case replaced
        case violation
        /// An operator's schedule came to an occasion whose request was refused.
        case occasionMissed
        case pluginInstalled
        case pluginChanged
        case pluginRefused
        case pluginRemoved

        package static var allCases: [Event] {
            TaskOutcome.allCases.map(Event.task) + LaunchOutcome.allCases.map(Event.launch) + [
                .cancelled, .replaced, .violation, .occasionMissed, .pluginInstalled, .pluginChanged, .pluginRefused,
                .pluginRemoved,
            ]
        }

        package var name: String {
            switch self {
            case .task(let outcome): outcome.rawValue
            case .launch(let outcome): "launch-\(outcome.rawValue)"
            case .cancelled: "cancelled"
            case .replaced: "replaced"
            case .violation: "violation"
            case .occasionMissed: "occasion-missed"
            case .pluginInstalled: "plugin-installed"
            case .pluginChanged: "plugin-changed"
            case .pluginRefused: "plugin-refused"
            case .pluginRemoved: "plugin-removed"
            }
        }
    }

    package let at: WallTime
    package let event: Event
    package let plugin: PluginIdentifier
    package let launch: LaunchNumber?
    /// The task identifier, or an event's name.
    package let label: String?
    package let submission: SubmissionNumber?
    package let blame: Blame
    /// Names the thing, the value, the rule and the remedy.
    package let message: String

    package init(
        at: WallTime,
        event: Event,
        plugin: PluginIdentifier,
        launch: LaunchNumber? = nil,
        label: String? = nil,
        submission: SubmissionNumber? = nil,
        blame: Blame,
        message: String
    ) {
        self.at = at
        self.event = event
        self.plugin = plugin
        self.launch = launch
        self.label = label
        self.submission = submission
        self.blame = blame
        self.message = message
    }
}
