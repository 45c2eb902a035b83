// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import RunnerWire
internal import TaskModel

@testable internal import PluginRuntime

/// A runner as the receiver of the host's messages: the tables of a launch, without threads and without a plugin.
struct ReceivingRunner {
    private var tasks: TaskTable<TaskID>
    private let slots: TaskSlots
    private let calls = CallTable()
    private var open: [TaskID: OpenTask] = [:]
    private let plugin: PluginIdentifier

    static func problem(with stream: [UInt8], _ pieces: inout Pieces) -> String? {
        let whole = DecodedStream<HostMessage>(whole: stream)
        if DecodedStream(stream, in: &pieces) != whole { return "the pieces of a host's stream change its messages" }
        if let message = whole.unstable { return "a host's message does not survive its encoding: \(message)" }
        guard case .confine = whole.messages.first, case .plan(let plan) = whole.messages.dropFirst().first else {
            return nil
        }
        var runner = ReceivingRunner(plan)
        for message in whole.messages.dropFirst(2) { runner.obey(message) }
        return runner.end()
    }

    private init(_ plan: RunnerPlan) {
        plugin = plan.plugin
        slots = TaskSlots(of: plan.launch)
        tasks = TaskTable(
            plan.tasks.map(\.id),
            continued: Set(plan.tasks.filter { $0.kind == .continued }.map(\.id)),
            deadline: plan.deadline,
            gracePeriod: plan.gracePeriod
        )
        tasks.deliver(plan.tasks.map(\.id))
        for task in plan.tasks { begin(task, isOfBatch: true) }
        var registrations = RegistrationTable<Int>(role: plan.role, permitted: plan.permitted)
        for (index, name) in plan.permitted.enumerated() { _ = registrations.register(name.description, index) }
        _ = registrations.closeEntry(succeeded: true)
    }

    private mutating func begin(_ task: RunnerPlan.Task, isOfBatch: Bool) {
        open[task.id] = OpenTask(task, of: plugin, isOfBatch: isOfBatch)
        slots.open(task.id)
        _ = tasks.setHandler(task.id, of: task.id)
        _ = slots.replace(task.id, done: 1, total: 2)
    }

    private mutating func obey(_ message: HostMessage) {
        switch message {
        // The runner ends at a second one.
        case .confine, .plan, .yieldCursor, .expireAssertions, .stop: break
        case .deliver(let task): if tasks.add(task.id) { begin(task, isOfBatch: false) }
        case .expire(let chosen, let reason):
            for expiration in tasks.expire(.tasks(chosen), reason, at: MonotonicTime(nanoseconds: 0)) {
                slots.close(expiration.task)
                if tasks.beginCall(of: expiration.task) != nil { _ = tasks.endCall(of: expiration.task) }
            }
        case .submitted(let call, let number): answer(call, .submitted(number))
        case .refused(let call, let refusal): answer(call, .refused(refusal))
        case .cancelled(let call, let isRecorded): answer(call, .cancelled(isRecorded: isRecorded))
        case .pending(let call, let requests): answer(call, .pending(requests))
        case .cursorStored(let call, let isRecorded): answer(call, .cursorStored(isRecorded: isRecorded))
        case .pushToken(let call, let token): answer(call, .pushToken(token))
        case .transferBegun(let call, let number): answer(call, .transferBegun(number))
        case .transfers(let call, let transfers): answer(call, .transfers(transfers))
        }
    }

    /// Makes one call of the plugin. The answer goes first to the call that the host names, then to this call.
    private func answer(_ named: CallNumber, _ answer: CallTable.Answer) {
        _ = calls.call { number in
            calls.answer(named, answer)
            calls.answer(number, answer)
            return true
        }
    }

    private mutating func end() -> String? {
        let start = MonotonicTime(nanoseconds: 0)
        for id in open.keys {
            _ = slots.take(id)
            _ = tasks.complete(id, as: .success, at: start)
            if case .unknown = tasks.presence(of: id) { return "a delivered task is unknown" }
        }
        slots.closeAll()
        _ = tasks.end()
        return calls.waiting == 0 ? nil : "an answered call still waits"
    }
}
