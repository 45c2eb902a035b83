// Part of bgtask, under the Apache License 2.0; see LICENSE.

import RunnerWire
import TaskModel

extension RunnerPlan {
    /// The part of a launch's plan that the runner needs.
    ///
    /// - Parameters:
    ///   - cursors: the cursors of the tasks that have one.
    ///   - secrets: the values of the plugin's secret settings.
    ///   - container: the path of the plugin's container.
    init(
        _ plan: LaunchPlan,
        payloads: [SubmissionNumber: [UInt8]],
        cursors: [SubmissionNumber: TaskCursor] = [:],
        secrets: [String: String],
        container: String,
        supportedResources: TaskResources
    ) {
        self.init(
            launch: plan.number,
            plugin: plan.plugin.identifier,
            role: plan.plugin.role,
            lane: plan.lane,
            cause: plan.cause,
            libraryPath: plan.plugin.library.path,
            libraryIdentity: plan.plugin.library.identity,
            isExamined: true,
            permitted: plan.plugin.permitted,
            modes: plan.plugin.modes,
            settings: plan.plugin.settings.merging(secrets) { _, secret in secret },
            handlers: plan.plugin.handlers.map { handler in
                handler.passing(plan.files[handler.identifier, default: [:]].mapValues { "\(container)/\($0)" })
            },
            supportedResources: supportedResources,
            hostVersion: Release.version,
            deadline: plan.budget.deadline,
            entryDeadline: plan.budget.entryDeadline,
            gracePeriod: plan.budget.gracePeriod,
            tasks: plan.tasks.map { task in
                let number = task.work.number
                return RunnerPlan.Task(
                    task,
                    of: plan.plugin.identifier,
                    payload: payloads[number] ?? [],
                    cursor: cursors[number]
                )
            }
        )
    }
}

extension RunnerPlan.Task {
    /// A push crosses to the plugin as the event `push`.
    init(_ task: PlannedTask, of plugin: PluginIdentifier, payload: [UInt8], cursor: TaskCursor? = nil) {
        let isPush = task.work.kind == .push
        let request = isPush ? nil : task.work.request
        self.init(
            id: task.id,
            kind: isPush ? .event : task.work.kind,
            event: isPush ? .push : task.work.eventType,
            identifier: isPush ? plugin.text : task.work.identifier?.text ?? plugin.text,
            submission: task.work.number,
            attempts: task.work.retry.attempts,
            requiresNetwork: request?.requiresNetwork ?? false,
            requiresExternalPower: request?.requiresExternalPower ?? false,
            protection: request?.protection ?? .default,
            continued: request?.continued,
            payload: payload,
            cursor: cursor,
            claim: task.work.claim?.claim
        )
    }
}

extension PendingWork {
    fileprivate var request: TaskRequest? {
        if case .request(let pending) = self { pending.request } else { nil }
    }

    fileprivate var eventType: EventType? {
        if case .event(let event) = self { event.type } else { nil }
    }
}
