// Part of bgtask, under the Apache License 2.0; see LICENSE.

import RunnerWire
package import SandboxPolicy
package import TaskModel

/// A plugin on trial: its manifest and library, its settings, its user and its sandbox.
package struct TrialSubject: Sendable {
    package let plugin: PluginEntry
    /// The plugin whose manifest permits the submissions: the plugin itself, or the main plugin of an extension.
    package let owner: PluginEntry
    /// The values of all settings, also of the secret ones.
    package let settings: [String: String]
    /// The user of the runner; nil for the user of this process.
    package let user: UInt32?
    package let sandboxes: SandboxPolicy

    package init(
        _ plugin: PluginEntry,
        owner: PluginEntry,
        settings: [String: String],
        user: UInt32?,
        sandboxes: SandboxPolicy
    ) {
        self.plugin = plugin
        self.owner = owner
        self.settings = settings
        self.user = user
        self.sandboxes = sandboxes
    }

    /// The grants of the manifest, without limits of an operator. With required isolation, those that this kernel
    /// cannot confine are marked as left out.
    package var grants: [LimitedGrant] {
        sandboxes.enforceable(LimitedGrant.all(of: plugin.grants, settings: settings))
    }

    /// The plan of a launch by a script.
    func plan(for course: TrialCourse) -> RunnerPlan {
        let script = course.script
        return RunnerPlan(
            launch: course.launch,
            plugin: plugin.identifier,
            role: plugin.role,
            lane: script.lane,
            // As in a host: an event starts no launch of a user, in which handlers may be registered late.
            cause: script.lane == .event ? .event : .user,
            libraryPath: plugin.library.path,
            libraryIdentity: plugin.library.identity,
            permitted: plugin.permitted.filter { !script.withheld.contains($0) },
            modes: plugin.modes,
            settings: script.hasSettings ? settings : [:],
            handlers: plugin.handlers,
            supportedResources: [],
            hostVersion: Release.version,
            imitation: script.imitation,
            deadline: course.deadline,
            entryDeadline: course.entryDeadline,
            gracePeriod: script.gracePeriod,
            tasks: zip(course.tasks, script.tasks).enumerated().map { index, pair in
                RunnerPlan.Task(pair.1, as: pair.0.id, SubmissionNumber(rawValue: Int64(index + 1)))
            }
        )
    }

    func confinement(for script: TrialScript, container: String) -> Confinement {
        Confinement(
            user: user,
            fileLimit: script.shortage.fileSize,
            containerPath: container,
            sandbox: sandboxes.plan(for: plugin.library.path, with: plugin.companions, grants)
        )
    }
}

extension TrialScript {
    var lane: Lane { tasks.first?.kind.lane ?? .background }

    /// Whether the launch is in the foreground, as in a host: a user requested it, or it has a trigger.
    var isForeground: Bool { lane != .event || tasks.contains { $0.event == .trigger } }
}

extension RunnerPlan.Task {
    fileprivate init(_ task: TrialScript.Task, as id: TaskID, _ submission: SubmissionNumber) {
        self.init(
            id: id,
            kind: task.kind,
            event: task.event,
            identifier: task.identifier,
            submission: submission,
            attempts: 0,
            continued: task.kind == .continued ? ContinuedTerms(title: "Trial") : nil,
            payload: task.payload,
            claim: task.claim
        )
    }
}
