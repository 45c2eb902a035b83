// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// A newer submission of the same identifier wins over one that runs, should that be interrupted (C3): also when it is
// launched itself before that.
extension Scheduler {
    /// The newer one is on disk. It does not begin before the end of the older one is: a host that dies in between would
    /// bring that back.
    mutating func succeed(by request: PendingRequest) {
        let (identifier, newer) = (request.request.identifier, request.number)
        for number in launches.keys where launches[number]?.plugin == request.plugin {
            let returning = launches[number]?.record.returning ?? []
            launches[number]?.noteSuccessor(newer, of: identifier)
            guard returning.contains(where: { $0.identifier == identifier && $0.number < newer }) else { continue }
            launches[number]?.heldBack.append(identifier)
            plugins[request.plugin]?.recording[identifier, default: 0] += 1
        }
    }

    /// The ends of what was to return are on disk.
    mutating func letSuccessorsBegin(after number: LaunchNumber, at now: Moment) {
        guard let launch = launches[number], launch.record.isComplete, !launch.heldBack.isEmpty else { return }
        launches[number]?.heldBack = []
        for identifier in launch.heldBack { forgetRecording(identifier, of: launch.plugin) }
        considerRequests(of: launch.plugin, at: now)
    }
}

extension LaunchState {
    fileprivate mutating func noteSuccessor(_ newer: SubmissionNumber, of identifier: TaskIdentifier) {
        let works = tasks.filter { $0.outcome == nil }.map(\.work) + record.returning
        for work in works where work.identifier == identifier && work.number < newer {
            successors[work.number] = newer
        }
        dropSucceeded()
    }

    /// What was to return and is not on its way to disk ends instead.
    mutating func dropSucceeded() {
        if successors.isEmpty { return }
        record.waiting = record.waiting.map { step in
            guard let work = step.returning, successors[work.number] != nil else { return step }
            let changes = step.changes.map { change -> LedgerChange in
                if case .returnTask(let launch, let work) = change { .endTask(launch, work.number) } else { change }
            }
            return LaunchRecord.Step(changes: changes)
        }
    }
}

extension LedgerSnapshot {
    /// The newest submission under each identifier of a plugin, pending or running.
    func newest(of plugin: PluginIdentifier) -> [TaskIdentifier: SubmissionNumber] {
        let running = running.filter { $0.plugin == plugin }.flatMap(\.unfinished)
        let works = requests.filter { $0.plugin == plugin }.map(PendingWork.request) + running
        return Dictionary(works.compactMap { work in work.identifier.map { ($0, work.number) } }, uniquingKeysWith: max)
    }
}
