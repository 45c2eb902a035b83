// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import TaskModel

// Behavior of plugin code, drawn from the models of tasks and extensions.
extension ReplayWorld {
    func begin(_ plan: LaunchPlan) {
        launches[plan.number] = PlayedLaunch(plan: plan)
        later(by: delay(.milliseconds(2) ... .milliseconds(60)), plan.number, .entryReturns)
    }

    func act(on occurrence: Occurrence) {
        if case .pushArrives(let plugin) = occurrence.what { return push(to: plugin) }
        guard let number = occurrence.launch else { return }
        switch occurrence.what {
        case .runnerReady: send(.runnerReady(number, process(of: number)))
        case .entryReturns: if let plan = launches[number]?.plan { enter(plan) }
        case .completes(let id, let outcome): complete(id, as: outcome, in: number)
        case .crashes(let id): crash(id, in: number)
        case .progresses(let id): progress(id, in: number)
        case .ends(let termination):
            moveCursors(in: number)
            guard launches.removeValue(forKey: number) != nil else { return }
            send(.runnerEnded(number, termination, nil))
        case .pushArrives: break
        }
    }

    // MARK: Tasks

    private func enter(_ plan: LaunchPlan) {
        let plugin = plan.plugin
        let isStart = plan.tasks.contains { $0.work.label == EventType.started.name && $0.work.kind == .event }
        if isStart { submitFirstRequests(of: plugin.identifier, from: plan.number) }
        send(
            .entered(
                plan.number,
                status: 0,
                registered: plugin.role == .main ? plugin.permitted : [],
                offersReceive: plugin.receivesEvents
            )
        )
        for task in plan.tasks { begin(task, in: plan.number) }
    }

    func deliver(_ task: PlannedTask, to number: LaunchNumber) { begin(task, in: number) }

    private func begin(_ task: PlannedTask, in number: LaunchNumber) {
        guard launches[number] != nil else { return }
        if let model = task.work.identifier.flatMap({ tasks[$0] }) {
            send(.expirationHandlerChanged(number, task.id, isSet: true))
            run(task, as: model, in: number)
        } else if let woken = extensions[task.work.plugin] {
            let takes = draw(for: woken.identifier.text) { woken.takes.draw(&$0) }
            add(task, fate: .completes(.success), takes: takes, obeys: true, to: number)
            later(by: takes, number, .completes(task.id, .success))
        } else if launches[number]?.plan.plugin.receivesEvents == true {
            // The event `started` of a plugin that receives pushes.
            add(task, fate: .completes(.success), takes: .zero, obeys: true, to: number)
            later(by: .zero, number, .completes(task.id, .success))
        }
    }

    private func run(_ task: PlannedTask, as model: ModelTask, in number: LaunchNumber) {
        let rest = left[model.identifier]
        if rest != nil { send(.cursorsRead(number, [task.id: 0])) }
        let (takes, fate) = draw(for: model.identifier.text) { chance in
            (rest ?? model.takes.draw(&chance), Self.fate(of: model, &chance))
        }
        add(task, fate: fate, takes: takes, obeys: model.obeys && fate != .overruns, to: number)
        if model.resubmits == .atStart { resubmit(model, from: number) }
        switch fate {
        case .completes(let outcome): later(by: takes, number, .completes(task.id, outcome))
        case .crashes: later(by: takes / 2, number, .crashes(task.id))
        case .overruns: break
        }
        if model.kind == .continued { later(by: progressInterval, number, .progresses(task.id)) }
    }

    private func add(
        _ task: PlannedTask,
        fate: PlayedLaunch.Fate,
        takes: Duration,
        obeys: Bool,
        to number: LaunchNumber
    ) {
        launches[number]?.tasks[task.id] = PlayedLaunch.Task(
            work: task.work,
            fate: fate,
            takes: takes,
            began: clock.now.monotonic,
            obeys: obeys
        )
    }

    private static func fate(of model: ModelTask, _ chance: inout SeededGenerator) -> PlayedLaunch.Fate {
        let place = Int.random(in: 0..<100, using: &chance)
        if place < model.overruns { return .overruns }
        if place < model.overruns + model.crashes { return .crashes }
        return .completes(place < model.overruns + model.crashes + model.fails ? .failure : .success)
    }

    private func complete(_ id: TaskID, as outcome: CompletionOutcome, in number: LaunchNumber) {
        guard let task = launches[number]?.tasks[id], !task.isOver else { return }
        if clock.now.monotonic - task.began < task.takes { moveCursor(of: id, in: number) }
        if outcome == .success, let identifier = task.work.identifier { left[identifier] = nil }
        launches[number]?.tasks[id]?.isOver = true
        if let model = task.work.identifier.flatMap({ tasks[$0] }), model.resubmits == .atEnd {
            resubmit(model, from: number)
        }
        if let next = extensions[task.work.plugin]?.submits.flatMap({ tasks[$0] }) {
            submit(next, after: .zero, by: .plugin(task.work.plugin), from: number)
        }
        send(.completed(number, id, outcome))
    }

    private func crash(_ id: TaskID, in number: LaunchNumber) {
        guard let task = launches[number]?.tasks[id], !task.isOver else { return }
        moveCursors(in: number)
        launches[number] = nil
        send(.runnerEnded(number, .signaled(11), LastWords(signal: 11, address: 0, task: id)))
    }

    /// Moves the cursors of all tasks of a process that ends.
    private func moveCursors(in number: LaunchNumber) {
        let tasks = launches[number]?.tasks.keys.sorted { $0.rawValue < $1.rawValue } ?? []
        for id in tasks { moveCursor(of: id, in: number) }
    }

    /// Moves the cursor of a task whose run ends early behind the work that it has done. Does nothing for a task that
    /// has no cursor or hangs.
    private func moveCursor(of id: TaskID, in number: LaunchNumber) {
        guard let task = launches[number]?.tasks[id], !task.isOver, task.fate != .overruns,
            let identifier = task.work.identifier, tasks[identifier]?.continues == true
        else { return }
        left[identifier] = max(.milliseconds(1), task.takes - (clock.now.monotonic - task.began))
        send(.cursorWritten(number, id, .moved))
    }

    /// Delivers an expiration to simulated tasks. A task whose model obeys completes as failed within half the grace
    /// period; any other task continues.
    func expire(_ ids: [TaskID], of number: LaunchNumber) {
        for id in ids {
            guard let task = launches[number]?.tasks[id], task.obeys else { continue }
            let gracePeriod = launches[number]?.plan.budget.gracePeriod ?? .zero
            later(by: delay(.zero...(gracePeriod / 2)), number, .completes(id, .failure))
        }
    }

    // MARK: Progress

    private var progressInterval: Duration { scenario.configuration.stallLimit / 3 }

    private func progress(_ id: TaskID, in number: LaunchNumber) {
        guard let task = launches[number]?.tasks[id], !task.isOver, task.fate != .overruns else { return }
        let done = min(task.takes, clock.now.monotonic - task.began)
        if let progress = TaskProgress(done: done.wholeNanoseconds, total: max(1, task.takes.wholeNanoseconds)) {
            send(.progressed(number, id, progress))
        }
        later(by: progressInterval, number, .progresses(id))
    }

    // MARK: Requests

    /// Submits the first request of each task with an interval, at the `started` event of the plugin. The earliest
    /// begin is a random time within the interval of the task.
    private func submitFirstRequests(of plugin: PluginIdentifier, from number: LaunchNumber) {
        for model in plugins[plugin]?.tasks ?? [] where model.kind != .push {
            guard let every = model.every else { continue }
            let first = draw(for: "first \(model.identifier)") { $0.duration(in: .zero...every) }
            submit(model, after: first, by: .plugin(plugin), from: number)
        }
    }

    private func resubmit(_ model: ModelTask, from number: LaunchNumber) {
        guard let every = model.every, let plugin = launches[number]?.plan.plugin.identifier else { return }
        submit(model, after: every, by: .plugin(plugin), from: number)
    }

    func submit(_ model: ModelTask, after delay: Duration, by submitter: Submitter, from number: LaunchNumber?) {
        let request = TaskRequest(
            identifier: model.identifier,
            kind: model.kind,
            earliestBegin: delay == .zero ? nil : clock.now.wall + delay,
            requiresNetwork: model.requiresNetwork,
            requiresExternalPower: model.requiresExternalPower,
            continued: model.kind == .continued ? ContinuedTerms(title: model.identifier.text) : nil
        )
        let submission = Submission(request: request, submitter: submitter, launch: number)
        send(.submitted(submission, reply: nextReply(about: model.identifier)))
    }

    /// The token for the next call of the scheduler.
    ///
    /// - Parameter identifier: the task whose submission the answer will be about; nil for any other call.
    func nextReply(about identifier: TaskIdentifier? = nil) -> ReplyToken {
        lastReply += 1
        let reply = ReplyToken(rawValue: lastReply)
        if let identifier { expect(reply, about: identifier) }
        return reply
    }

    private func process(of launch: LaunchNumber) -> RunnerProcess {
        RunnerProcess(
            pid: Int32(truncatingIfNeeded: launch.rawValue),
            startTime: UInt64(bitPattern: launch.rawValue),
            boot: clock.now.boot,
            controlGroup: nil
        )
    }
}

extension PluginEntry {
    /// Whether the simulated plugin has a function `receive`: extensions do, and plugins with pushes.
    fileprivate var receivesEvents: Bool { role == .extension || modes.contains(.remoteNotification) }
}
