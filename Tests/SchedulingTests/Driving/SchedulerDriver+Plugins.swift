// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import TaskModel

// Events of runners and plugin code. The default launch is that of the plan sent last.
extension SchedulerDriver {
    /// Returns from the entry of a launch, by default with a handler for every task of the batch.
    func enter(
        _ plan: LaunchPlan? = nil,
        registering: [TaskIdentifier]? = nil,
        status: Int32 = 0,
        receives: Bool = true,
        cause: String? = nil
    ) {
        guard let plan = plan ?? lastPlan else { return complain("nothing was launched") }
        let names = registering ?? plan.tasks.compactMap(\.work.identifier).filter { $0.pushedPlugin == nil }
        let registered = names.map(PermittedIdentifier.exact)
        send(
            .entered(plan.number, status: status, registered: registered, offersReceive: receives, cause: cause)
        )
    }

    func complete(
        _ identifier: TaskIdentifier,
        as outcome: CompletionOutcome = .success,
        in plan: LaunchPlan? = nil
    ) {
        guard let plan = plan ?? lastPlan, let task = task(identifier, of: plan) else {
            return complain("no launch has a task \(identifier)")
        }
        send(.completed(plan.number, task, outcome))
    }

    /// Reports the progress of a continued task.
    func progress(_ identifier: TaskIdentifier, _ done: Int64, of total: Int64 = 100, in plan: LaunchPlan? = nil) {
        guard let plan = plan ?? lastPlan, let task = task(identifier, of: plan),
            let progress = TaskProgress(done: done, total: total)
        else { return complain("no launch has a task \(identifier)") }
        send(.progressed(plan.number, task, progress))
    }

    /// Reports a write of a running task to its cursor.
    func writeCursor(_ write: CursorWrite, of task: TaskID, in launch: LaunchNumber) {
        ledger.noteWrite(write, of: task)
        send(.cursorWritten(launch, task, write))
    }

    /// The newest task of a launch with this identifier, including tasks that joined the launch; nil without one.
    func task(_ identifier: TaskIdentifier, of plan: LaunchPlan) -> TaskID? {
        tasks(of: plan.number).last { $0.work.identifier == identifier }?.id
    }

    /// Completes the first task of a launch, which is its event in a launch of the event lane.
    ///
    /// - Parameter plan: the plan of the launch; nil for the newest launch.
    func completeEvent(as outcome: CompletionOutcome = .success, in plan: LaunchPlan? = nil) {
        guard let plan = plan ?? lastPlan, let task = plan.tasks.first else { return complain("nothing was launched") }
        send(.completed(plan.number, task.id, outcome))
    }

    /// Completes every event of a launch.
    func completeEvents(as outcome: CompletionOutcome = .success, in plan: LaunchPlan? = nil) {
        guard let plan = plan ?? lastPlan else { return complain("nothing was launched") }
        for task in plan.tasks { send(.completed(plan.number, task.id, outcome)) }
    }

    func setExpirationHandler(for identifier: TaskIdentifier, to isSet: Bool = true, in plan: LaunchPlan? = nil) {
        guard let plan = plan ?? lastPlan, let task = task(identifier, of: plan) else {
            return complain("no launch has a task \(identifier)")
        }
        send(.expirationHandlerChanged(plan.number, task, isSet: isSet))
    }

    /// Runs a launch completely: returns from entry, then completes every task.
    func runToTheEnd(_ plan: LaunchPlan? = nil) {
        guard let plan = plan ?? lastPlan else { return complain("nothing was launched") }
        enter(plan)
        for task in plan.tasks { send(.completed(plan.number, task.id, .success)) }
    }

    /// Ends the process of a launch with a signal.
    ///
    /// - Parameter task: The task whose handler thread received the signal; nil if the runner could not report it.
    func crash(_ plan: LaunchPlan? = nil, signal: Int32 = 11, on task: TaskIdentifier? = nil) {
        guard let plan = plan ?? lastPlan else { return complain("nothing was launched") }
        let words = task.map { LastWords(signal: signal, address: 0, task: self.task($0, of: plan)) }
        end(plan, .signaled(signal), words)
    }

    func exit(_ plan: LaunchPlan? = nil, code: Int32 = 0) { end(plan, .exited(code: code), nil) }

    func runOutOfMemory(_ plan: LaunchPlan? = nil) { end(plan, .outOfMemory, nil) }

    func end(_ plan: LaunchPlan? = nil, _ termination: ProcessTermination, _ words: LastWords? = nil) {
        guard let plan = plan ?? lastPlan else { return complain("nothing was launched") }
        processes[plan.number] = nil
        send(.runnerEnded(plan.number, termination, words))
    }

    /// Lets the entry of every launch in the event lane return successfully, without a function `receive`, so that the
    /// launch ends.
    func finishStarting() {
        while let plan = processes.values.filter({ $0.lane == .event }).min(by: { $0.number < $1.number }) {
            enter(plan, receives: false)
        }
    }
}

extension LaunchPlan {
    func id(of identifier: TaskIdentifier) -> TaskID? { tasks.first { $0.work.identifier == identifier }?.id }
    var identifiers: [TaskIdentifier] { tasks.compactMap(\.work.identifier) }
}
