// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// A generated population: the plugins of a busy machine, in equal shares of ten sorts.
extension PluginPopulation {
    private enum Sort: String, CaseIterable {
        case feed, mail, cleaner, index, backup, photos, sync, weather, study, careless
    }

    /// A generated population of `count` main plugins. Equal counts and seeds give equal populations.
    package static func seeded(count: Int, seed: UInt64) -> PluginPopulation {
        let digits = "\(count)".count
        return PluginPopulation(
            (0..<count).compactMap { index in
                let sort = Sort.allCases[index % Sort.allCases.count]
                let number = "\(index + 1)"
                let name = sort.rawValue + String(repeating: "0", count: digits - number.count) + number
                var chance = SeededGenerator(seed: seed, for: "plugin \(name)")
                return plugin(sort, named: "com.example.\(name)", &chance)
            }
        )
    }

    private static func plugin(_ sort: Sort, named name: String, _ chance: inout SeededGenerator) -> ModelPlugin? {
        guard let identifier = PluginIdentifier(name) else { return nil }
        let tasks = tasks(of: sort, named: name, &chance)
        let use = Int.random(in: 1...10, using: &chance)
        guard sort == .feed || sort == .photos, let keyboard = PluginIdentifier(name + ".keyboard") else {
            return ModelPlugin(identifier, tasks: tasks, use: use)
        }
        let times = RunTimes.shaped(least: .milliseconds(20), typical: .milliseconds(200), most: .seconds(3))
        let learner = ModelExtension(keyboard, takes: times, submits: tasks.last?.identifier)
        return ModelPlugin(identifier, tasks: tasks, extensions: [learner], use: use)
    }

    private static func tasks(of sort: Sort, named name: String, _ chance: inout SeededGenerator) -> [ModelTask] {
        let (minute, hour) = (60, 3_600)
        switch sort {
        case .feed:
            return [
                task(name + ".refresh", .refresh, every: 30 * minute, takes: 4, &chance, needs: [.network]),
                task(name + ".learn", .processing, every: 12 * hour, takes: 90, &chance),
            ]
        case .mail: return [task(name + ".fetch", .refresh, every: 15 * minute, takes: 3, &chance, needs: [.network])]
        case .cleaner:
            return [
                task(name + ".vacuum", .processing, every: 24 * hour, takes: 120, &chance, needs: [.externalPower]),
                task(name + ".prune", .processing, every: 6 * hour, takes: 20, &chance),
            ]
        case .index: return [task(name + ".index", .processing, every: 4 * hour, takes: 150, &chance)]
        case .backup:
            return [
                task(
                    name + ".backup",
                    .processing,
                    every: 24 * hour,
                    takes: 330,
                    &chance,
                    needs: [.network, .externalPower]
                )
            ]
        case .photos:
            return [
                task(name + ".export", .continued, every: nil, takes: 240, &chance),
                task(name + ".analyse", .processing, every: 8 * hour, takes: 200, &chance, needs: [.externalPower]),
            ]
        case .sync: return [task(name + ".sync", .refresh, every: hour, takes: 9, &chance, needs: [.network])]
        case .weather:
            return [task(name + ".forecast", .refresh, every: 2 * hour, takes: 2, &chance, needs: [.network])]
        case .study: return [task(name + ".study", .healthResearch, every: 24 * hour, takes: 60, &chance)]
        case .careless:
            var poll = task(name + ".poll", .refresh, every: 20 * minute, takes: 12, &chance, needs: [.network])
            poll.overruns = 15
            poll.crashes = 3
            poll.obeys = false
            return [poll]
        }
    }

    private static func task(
        _ name: String,
        _ kind: TaskKind,
        every seconds: Int?,
        takes typical: Int,
        _ chance: inout SeededGenerator,
        needs: Set<Condition> = []
    ) -> ModelTask {
        guard let identifier = TaskIdentifier(name) else { preconditionFailure("\(name) is made of a plugin's name") }
        // Plugins of one sort differ: the typical run time is drawn between half and one and a half of `typical`.
        let half = Duration.milliseconds(500 * typical)
        let middle = half + chance.duration(in: .zero...(half * 2))
        var task = ModelTask(
            identifier,
            kind: kind,
            every: seconds.map { .seconds($0) },
            takes: .shaped(least: middle / 4, typical: middle, most: middle * 5)
        )
        task.requiresNetwork = needs.contains(.network)
        task.requiresExternalPower = needs.contains(.externalPower)
        task.fails = Int.random(in: 0...3, using: &chance)
        return task
    }
}
