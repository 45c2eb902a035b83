// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

@testable import Scheduling

// Tasks with cursors: writes, runs that end early with and without a movement, and cleared cursors (C19).
extension RandomWalk {
    /// A running task that may have a cursor, with the plan of its launch.
    private typealias Resumable = (plan: LaunchPlan, task: SeenTask)

    private var resumable: [Resumable] {
        host.processes.values.sorted { $0.number < $1.number }.flatMap { plan -> [Resumable] in
            guard let launch = model.launches[plan.number], launch.runs else { return [] }
            return launch.tasks.filter { $0.isUndone && CursorPlace(of: $0.work) != nil }.map { (plan, $0) }
        }
    }

    /// Performs a random step of a task with a cursor.
    func useCursors() {
        guard let (plan, task) = pick(resumable), let identifier = task.work.identifier else { return submit() }
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<45: writeCursor(of: task, in: plan)
        case 45..<70: standStill(identifier)
        case 70..<85:
            last = "a crash in \(identifier)"
            host.end(plan, .signaled(11), LastWords(signal: 11, address: 0, task: task.id))
        case 85..<92: clearCursor(of: identifier, plan.plugin.identifier)
        case 92..<95:
            last = "a restart while \(identifier) runs"
            host.restart(after: .seconds(1))
        default:
            last = "the failure of \(identifier)"
            host.send(.completed(plan.number, task.id, .failure))
        }
    }

    /// Writes the cursor of a task. A task repeats or restores only a cursor that it has.
    func writeCursor(of task: SeenTask, in plan: LaunchPlan) {
        guard let identifier = task.work.cursorIdentifier else { return }
        var writes: [CursorWrite] = [.moved, .moved, .moved]
        if let cursor = task.cursor { writes += [.repeated, .discarded] + (cursor.isFromEarlierRun ? [.unmoved] : []) }
        let write = pick(writes) ?? .moved
        last = "the cursor of \(identifier) is \(write)"
        host.writeCursor(write, of: task.id, in: plan.number)
    }

    /// Reports a movement that was in the memory of a launch at the end of its process.
    func writeLate(in plan: LaunchPlan) {
        guard let launch = model.launches[plan.number], launch.isSent, launch.entry == .returned, !launch.isConcluded,
            let task = pick(launch.tasks.filter { $0.isUndone && CursorPlace(of: $0.work) != nil })
        else { return }
        host.writeCursor(.moved, of: task.id, in: plan.number)
    }

    private func clearCursor(of running: TaskIdentifier, _ plugin: PluginIdentifier) {
        if random.chance(30) {
            last = "clearing the cursor of \(running), which runs"
            host.clearCursor(of: running, plugin)
        } else {
            let identifier = pick(Self.tasks) ?? running
            last = "clearing the cursor of \(identifier)"
            host.clearCursor(of: identifier)
        }
    }

    /// Lets up to three runs of the identifier end by their budget, without a movement.
    private func standStill(_ identifier: TaskIdentifier) {
        last = "runs of \(identifier) without a movement"
        for _ in 1...3 {
            if host.scheduler.loading.isPartial { return }
            host.simulateExpiration(of: identifier)
            guard let (plan, task) = resumable.first(where: { $0.task.work.identifier == identifier }) else { return }
            host.send(.completed(plan.number, task.id, .failure))
            for other in model.launches[plan.number]?.tasks ?? [] where other.isUndone {
                host.send(.completed(plan.number, other.id, .success))
            }
            if model.launches[plan.number]?.stopKillTime != nil, host.processes[plan.number] != nil {
                host.end(plan, .exited(code: 0))
            }
            host.advance(by: .seconds(12))
            let next = host.processes.values.sorted { $0.number < $1.number }.first { other in
                other.identifiers.contains(identifier) && model.launches[other.number]?.entry == .running
            }
            guard let next, model.launches[next.number]?.kill == nil else { return }
            host.enter(next)
        }
    }
}
