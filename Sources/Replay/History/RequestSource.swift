// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The origin of the requests of a task in a history.
package enum RequestSource: Hashable, Sendable {
    /// The plugin of the task.
    case plugin
    /// A schedule of the operator.
    case schedule
    /// An extension of the plugin, which a trigger launched.
    case trigger
    /// A call of a user: a submission, or the immediate launch of a request.
    case user
    /// A sender of pushes.
    case sender

    package var name: String {
        switch self {
        case .plugin: "plugin"
        case .schedule: "schedule"
        case .trigger: "trigger"
        case .user: "user"
        case .sender: "sender"
        }
    }

    /// The source of a request of a plugin.
    ///
    /// - Parameters:
    ///   - run: the first run of the request.
    ///   - cause: cause of the launch of this run.
    init(_ run: ObservedRun, of plugin: PluginIdentifier, launchedBy cause: LaunchCause) {
        self =
            switch run.submitter {
            case _ where run.kind == .push: .sender
            case _ where cause == .user: .user
            case .user: .user
            case .schedule: .schedule
            case .plugin(plugin): .plugin
            case .plugin: .trigger
            }
    }

    /// Whether requests of this source recur without a user. The trace of a replay defines the actions of users.
    var recurs: Bool { self != .user }

    /// Position in the order of display, and of the choice between two sources with equally many requests.
    var rank: Int {
        switch self {
        case .plugin: 0
        case .schedule: 1
        case .trigger: 2
        case .user: 3
        case .sender: 4
        }
    }
}
