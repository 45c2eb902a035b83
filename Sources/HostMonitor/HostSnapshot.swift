// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
package import ControlClient
package import TaskModel

/// The status, work and journal of a host at about one instant.
package struct HostSnapshot: Hashable, Sendable {
    let host: HostStatusReply
    /// The first page of the tasks. The screen shows no more, and a snapshot may be taken several times a second.
    let tasks: TaskListReply
    /// The running launches, oldest first.
    let launches: [LaunchReply]
    /// The newest journal entries, at most `entriesListed`, without the events in `entriesLeftOut`.
    let journal: JournalReply
    let takenAt: WallTime

    private static let launchesListed = 50
    private static let entriesListed = 12
    private static let entriesRead = 60
    /// Names of journal events that are not shown: each is followed by the entry of an outcome, which has more
    /// information.
    private static let entriesLeftOut: Set<String> = ["submitted", "launched"]

    package static func take(from client: ControlClient, at now: WallTime) async throws(ControlError) -> HostSnapshot {
        let tasks = try await client.taskPage()
        return HostSnapshot(
            host: try await client.host(),
            tasks: tasks,
            launches: try await launches(of: tasks, from: client),
            journal: try await newestEntries(from: client),
            takenAt: now
        )
    }

    private static func newestEntries(from client: ControlClient) async throws(ControlError) -> JournalReply {
        let read = try await client.journal(limit: entriesRead)
        let entries = read.entries.filter { !entriesLeftOut.contains($0.event) }
        return JournalReply(entries: entries.suffix(entriesListed), last: read.last)
    }

    /// The running launches: those among the newest launches, and the launches of the running tasks in `tasks`. The
    /// launch of a continued task may be older than the list of the newest launches.
    private static func launches(
        of tasks: TaskListReply,
        from client: ControlClient
    ) async throws(ControlError) -> [LaunchReply] {
        var launches = try await client.launches(limit: launchesListed).launches
        let older = Set(tasks.running.map(\.launch)).subtracting(launches.map(\.launch))
        for number in older {
            do throws(ControlError) {
                launches.append(try await client.launch(LaunchNumber(rawValue: number)))
            } catch .refused {
                // The ledger no longer has the launch.
                continue
            }
        }
        return launches.filter { $0.outcome == nil }.sorted { $0.launch < $1.launch }
    }
}

extension HostSnapshot {
    /// Number of pending requests, including those beyond the first page.
    var pendingCount: Int { count(tasks.pending.count, of: host.counts.pending) }
    /// Number of waiting events, including those beyond the first page.
    var eventCount: Int { count(tasks.events.count, of: host.counts.events) }

    /// The number of items in a list, of which `shown` are on its first page. `all` is the host's count, taken at
    /// another time than the page, and used only when the list continues after the page.
    private func count(_ shown: Int, of all: Int) -> Int { tasks.next == nil ? shown : max(shown, all) }

    /// The parts of a snapshot whose change causes another appended snapshot. Values that change with time alone, such
    /// as used time, are left out.
    struct FrameKey: Hashable {
        fileprivate let work: [[String?]]
        fileprivate let counts: [Int]
        fileprivate let conditions: [Condition: Bool?]
        fileprivate let lastEntry: Int64
        fileprivate let isStopping: Bool
    }

    var frameKey: FrameKey {
        let running = tasks.running.map { task in
            [
                "\(task.launch)", task.task, task.title, task.subtitle, task.isExpiring ? "expiring" : nil,
                task.progress?.text,
            ]
        }
        let pending = tasks.pending.map { [$0.identifier, "\($0.submission)", $0.reason?.code] }
        let events = tasks.events.map { [$0.plugin, "\($0.submission)", $0.reason?.code] }
        return FrameKey(
            work: running + pending + events,
            counts: [pendingCount, eventCount],
            conditions: host.conditions.states.mapValues(\.holds),
            lastEntry: journal.last,
            isStopping: host.isStopping
        )
    }
}
