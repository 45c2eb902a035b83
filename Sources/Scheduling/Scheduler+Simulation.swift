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
        for plugin in plugins { considerRequests(of: plugin, at: now) }
        let launches = wishes.compactMap { launch(about: $0.identifier, of: $0.plugin) }
        emit(.answer(reply, .launching(Set(launches).sorted())))
    }

    /// The launch that is being prepared for a request.
    private func launch(about identifier: TaskIdentifier, of plugin: PluginIdentifier) -> LaunchNumber? {
        guard let state = plugins[plugin], let request = state.pending[identifier] else { return nil }
        let arriving = launches.values.first { $0.arriving.contains { $0.work.number == request.number } }
        return arriving?.number ?? state.reserved[request.number] ?? state.occupants[request.request.kind.lane]
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
        let lane = request.request.kind.lane
        let reasons = reasons(
            against: .request(request),
            of: state,
            isPersonsWish: true,
            standing(of: state, in: lane),
            occupancy(of: lane),
            at: now
        )
        guard let first = reasons.first else { return .success(plugin) }
        return .failure(NotLaunching(message: "\(identifier) cannot be launched now: \(first.message)"))
    }

    mutating func simulateExpiration(of identifier: TaskIdentifier, reply: ReplyToken, at now: Moment) {
        for number in launches.keys.sorted() {
            guard let launch = launches[number], isListening(to: number), launch.entry == .returned,
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
