// Part of bgtask, under the Apache License 2.0; see LICENSE.

import RunnerWire
import TaskModel

extension RunnerPlan {
    /// The launch as its runner needs to know it.
    ///
    /// - Parameter entryLimit: how long entry may take where there is no budget to bound it.
    init(_ plan: LaunchPlan, payloads: [SubmissionNumber: [UInt8]], container: String, entryLimit: Duration) {
        self.init(
            launch: plan.number,
            plugin: plan.plugin.identifier,
            role: plan.plugin.role,
            lane: plan.lane,
            cause: plan.cause,
            libraryPath: plan.plugin.library.path,
            libraryIdentity: plan.plugin.library.identity,
            permitted: plan.plugin.permitted,
            modes: plan.plugin.modes,
            settings: plan.plugin.settings,
            handlers: plan.plugin.handlers,
            containerPath: container,
            deadline: plan.budget.deadline,
            entryDeadline: plan.budget.deadline ?? plan.budget.start + entryLimit,
            grace: plan.budget.grace,
            tasks: plan.tasks.map { task in
                RunnerPlan.Task(task, of: plan.plugin.identifier, payload: payloads[task.work.number] ?? [])
            }
        )
    }
}

extension RunnerPlan.Task {
    init(_ task: PlannedTask, of plugin: PluginIdentifier, payload: [UInt8]) {
        let request = task.work.request
        self.init(
            id: task.id,
            kind: task.work.kind,
            event: task.work.eventType,
            identifier: task.work.identifier?.text ?? plugin.text,
            submission: task.work.number,
            attempts: task.work.retry.attempts,
            requiresNetwork: request?.requiresNetwork ?? false,
            requiresExternalPower: request?.requiresExternalPower ?? false,
            protection: request?.protection ?? .untilFirstAuthentication,
            continued: request?.continued,
            payload: payload
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

extension TaskRequest {
    /// Why no runner sends such a request; nil when one may. What a plugin is permitted is not judged here.
    func flaw(with payload: [UInt8]) -> String? {
        if payload.count > Self.maximumPayload {
            return "a payload of \(payload.count) bytes; at most \(Self.maximumPayload) are allowed"
        }
        if kind == .event { return "an event; those are delivered, not submitted" }
        if (kind == .continued) != (continued != nil) {
            return "a \(kind.name) request with the fields of another kind"
        }
        if kind != .healthResearch, protection != .untilFirstAuthentication {
            return "a \(kind.name) request with a protection type, which only health research has"
        }
        if !kind.isProcessing, requiresNetwork || requiresExternalPower {
            return "a \(kind.name) request that needs network or power, which only processing can"
        }
        guard let continued else { return nil }
        let lengths = [continued.title, continued.subtitle ?? ""].map(\.utf8.count)
        if lengths[0] == 0 || lengths.contains(where: { $0 > ContinuedTerms.maximumTitle }) {
            return "a title of \(lengths[0]) and a subtitle of \(lengths[1]) bytes;"
                + " a title has at least one, and both at most \(ContinuedTerms.maximumTitle)"
        }
        return nil
    }
}
