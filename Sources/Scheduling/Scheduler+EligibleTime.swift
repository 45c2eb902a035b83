// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// The start of the delay that the host is responsible for. No decision depends on it.
extension Scheduler {
    /// The time since which nothing but other work and the host delays pending work: its own times have come, and no
    /// permission, condition or policy blocks its class. At most `now`.
    ///
    /// - Parameter preparedAt: the time at which the runner of the launch was requested. The class was evaluated then,
    ///   and nothing blocked it. Nil when no runner was requested.
    func eligibleSince(_ work: PendingWork, preparedAt: WallTime?, at now: WallTime) -> WallTime {
        let ready = readyTime(of: work) ?? now
        guard let wait = plugins[work.plugin].waits[WorkClass(of: work)] else { return min(ready, now) }
        return min(max(ready, wait.unblockedSince ?? preparedAt ?? now), now)
    }

    private func readyTime(of work: PendingWork) -> WallTime? {
        switch work {
        case .request(let request): plugins[request.plugin].requests.readySince(of: request)
        case .event(let event): event.createdAt
        }
    }
}
