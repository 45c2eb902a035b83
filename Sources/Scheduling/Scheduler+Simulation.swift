// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// What a person asks for on the spot: it overrules time, conditions and room, never permission (statement 89).
extension Scheduler {
    mutating func simulateLaunch(of identifiers: [TaskIdentifier], reply: ReplyToken, at now: Moment) {
        var wishes: [(plugin: PluginIdentifier, identifier: TaskIdentifier)] = []
        for identifier in identifiers {
            switch wish(for: identifier, at: now) {
            case .success(let plugin): wishes.append((plugin, identifier))
            case .failure(let refusal): return emit(.answer(reply, .notLaunching(message: refusal.message)))
            }
        }
        for wish in wishes { plugins[wish.plugin]?.wished.insert(wish.identifier) }
        let plugins = Set(wishes.map(\.plugin)).sorted()
        for plugin in plugins { consider(plugin, .background, at: now) }
        let launches = plugins.compactMap { self.plugins[$0]?.occupants[.background] }
        emit(.answer(reply, .launching(launches.sorted())))
    }

    private struct NotLaunching: Error { let message: String }

    private func wish(
        for identifier: TaskIdentifier,
        at now: Moment
    ) -> Result<PluginIdentifier, NotLaunching> {
        guard let plugin = holder(of: identifier), let state = plugins[plugin],
            let request = state.pending[identifier]
        else {
            return .failure(
                NotLaunching(
                    message: "no request with identifier \(identifier) is scheduled; submit one first"
                )
            )
        }
        let reasons = Eligibility.reasons(
            against: .request(request),
            isBeingRecorded: state.recording[identifier] != nil,
            isPersonsWish: true,
            standing: standing(of: state, in: .background),
            conditions: conditions,
            occupancy: occupancy(of: .background),
            configuration: configuration,
            now: now
        )
        guard let first = reasons.first else { return .success(plugin) }
        return .failure(NotLaunching(message: "\(identifier) cannot be launched now: \(first.message)"))
    }

    mutating func simulateExpiration(of identifier: TaskIdentifier, reply: ReplyToken, at now: Moment) {
        for number in launches.keys.sorted() {
            guard let launch = launches[number], launch.phase == .running, launch.killReason == nil,
                launch.entry == .returned,
                // Its tasks are over and an assertion keeps it: whatever of it a person names, they mean the launch.
                let index = (launch.unfinished.isEmpty ? Array(launch.tasks.indices) : launch.unfinished)
                    .first(where: { launch.tasks[$0].work.identifier == identifier })
            else { continue }
            let killAt = now.monotonic + (launch.plan?.budget.grace ?? configuration.grace)
            expire(number, [index], because: .stoppedByPerson, killAt: killAt)
            return emit(.answer(reply, .expiring(number)))
        }
        let message = "no task with identifier \(identifier) is running; see what runs with: bgtask task list"
        emit(.answer(reply, .notRunning(message: message)))
    }
}
