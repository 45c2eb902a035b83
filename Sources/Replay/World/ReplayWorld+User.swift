// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import TaskModel

// Actions of users at the machine, on the plugins that they use.
extension ReplayWorld {
    func perform(_ act: TraceStep.Act) {
        let population = scenario.population
        switch act {
        case .trigger:
            let choice = draw(for: "person triggers") { population.choose(&$0) { $0.extensions } }
            guard let woken = choice?.choice else { return }
            send(.triggered(Trigger(plugin: woken.identifier), reply: nextReply()))
        case .launch:
            let choice = draw(for: "person launches") {
                population.choose(&$0) { $0.tasks.filter { $0.kind != .continued && $0.kind != .push } }
            }
            guard let task = choice?.choice else { return }
            send(.runRequested([task.identifier], reply: nextReply()))
        case .submitContinued:
            let choice = draw(for: "person submits") {
                population.choose(&$0) { $0.tasks.filter { $0.kind == .continued } }
            }
            guard let task = choice?.choice else { return }
            submit(task, after: .zero, by: .user, from: nil)
        }
    }
}
