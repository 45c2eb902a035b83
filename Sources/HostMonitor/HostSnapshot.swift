// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
package import ControlClient
package import TaskModel

/// The status, work and journal of a host at about one instant.
package struct HostSnapshot: Hashable, Sendable {
    let host: HostStatusReply
    /// The first page alone: a picture has no room for more, and a snapshot is taken several times a second.
    let tasks: TaskListReply
    /// Those that run, oldest first.
    let launches: [LaunchReply]
    /// The last few entries.
    let journal: JournalReply
    let takenAt: WallTime

    private static let launchesListed = 50
    private static let entriesListed = 12
    private static let entriesRead = 60
    /// Each is followed by the entry of an outcome, which says more.
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

    /// The newest that run, and older ones that have a task running: a continued one may be older than any list is long.
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
                // Its history is gone already.
                continue
            }
        }
        return launches.filter { $0.outcome == nil }.sorted { $0.launch < $1.launch }
    }
}

extension HostSnapshot {
    /// Number of pending requests, those beyond the first page included.
    var pendingCount: Int { count(tasks.pending.count, of: host.counts.pending) }
    /// Number of waiting events, those beyond the first page included.
    var eventCount: Int { count(tasks.events.count, of: host.counts.events) }

    /// The host's count is of another instant than the page: it is used only when the page is not the whole list.
    private func count(_ shown: Int, of all: Int) -> Int { tasks.next == nil ? shown : max(shown, all) }

    /// What is worth another picture where pictures add up: all but what merely passes with time.
    struct Occasion: Hashable {
        fileprivate let work: [[String?]]
        fileprivate let counts: [Int]
        fileprivate let conditions: [Condition: Bool?]
        fileprivate let lastEntry: Int64
        fileprivate let isStopping: Bool
    }

    var occasion: Occasion {
        let running = tasks.running.map { task in
            [
                "\(task.launch)", task.task, task.title, task.subtitle, task.isExpiring ? "expiring" : nil,
                task.progress.map { "\($0.done)/\($0.total)" },
            ]
        }
        let pending = tasks.pending.map { [$0.identifier, "\($0.submission)", $0.reason?.code] }
        let events = tasks.events.map { [$0.plugin, "\($0.submission)", $0.reason?.code] }
        return Occasion(
            work: running + pending + events,
            counts: [pendingCount, eventCount],
            conditions: host.conditions.states.mapValues(\.holds),
            lastEntry: journal.last,
            isStopping: host.isStopping
        )
    }
}
