// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import TaskModel

// Pushes to the plugins, sent at the interval of their model.
extension ReplayWorld {
    /// Adds the arrival of the first push to each plugin with such an interval. Its time is random within the interval.
    func awaitFirstPushes() {
        for plugin in scenario.population.plugins {
            guard let every = interval(ofPushesTo: plugin.identifier) else { continue }
            let first = draw(for: "first push to \(plugin.identifier)") { $0.duration(in: .zero...every) }
            later(by: first, nil, .pushArrives(to: plugin.identifier))
        }
    }

    func push(to plugin: PluginIdentifier) {
        guard let every = interval(ofPushesTo: plugin) else { return }
        let identifier = TaskIdentifier.push(to: plugin)
        let isLowPriority = tasks[identifier]?.requiresExternalPower ?? false
        let push = Push(to: plugin, isLowPriority: isLowPriority)
        send(.pushed(push, reply: nextReply(about: identifier)))
        later(by: every, nil, .pushArrives(to: plugin))
    }

    private func interval(ofPushesTo plugin: PluginIdentifier) -> Duration? { tasks[.push(to: plugin)]?.every }
}
