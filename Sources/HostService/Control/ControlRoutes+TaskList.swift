// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Scheduling
import TaskModel

// The list of pending, running and waiting work, in pages.
extension ControlRoutes {
    /// Maximum number of items that one turn of the decision loop returns. Such a turn takes about half a millisecond
    /// on a processor with cold caches. A longer page takes several turns, with decisions in between.
    static let itemsPerTurn = 10
    /// Maximum number of turns per page. With a filter that matches few items, a page may end before its limit is
    /// reached.
    static let turnsPerPage = 200

    /// A page of the work that matches the query. The decision loop only returns values; messages and JSON are built
    /// outside of its thread.
    func taskList(_ query: TaskQuery) async throws -> TaskListReply {
        let isPartial = !catalogue.isLoaded
        var turn = try await turn(after: query.after, limit: query.limit, of: query)
        var turns = TaskListTurns()
        var list = TaskListReply(pending: [], running: [], events: [], isPartial: isPartial)
        add(turn, to: &list, &turns, matching: query)
        for _ in 1..<Self.turnsPerPage {
            let room = query.limit - list.pending.count - list.events.count
            guard room > 0, let next = turn.page.next else { break }
            turn = try await self.turn(after: next, limit: room, of: query)
            add(turn, to: &list, &turns, matching: query)
        }
        if query.after == nil, list.isEmpty, let plugin = query.plugin { try await requireInstalled(plugin) }
        try await addCursors(to: &list)
        return list
    }

    private func addCursors(to list: inout TaskListReply) async throws {
        let cursors = try await cursors(of: list.pending.map(\.identifier) + list.running.compactMap(\.identifier))
        for index in list.pending.indices {
            list.pending[index].cursor = cursors[list.pending[index].plugin, list.pending[index].identifier]
        }
        for index in list.running.indices {
            let task = list.running[index]
            list.running[index].cursor = cursors[task.plugin, task.identifier]
        }
    }

    /// Throws when the plugin is not installed, because the empty list of an unknown plugin would look like that of an
    /// idle plugin.
    func requireInstalled(_ plugin: PluginIdentifier) async throws {
        try await catalogue.waitUntilLoaded()
        let isInstalled = try await read { scheduler, _ in scheduler.entry(of: plugin) != nil }
        if !isInstalled { throw noSuchPlugin(plugin) }
    }

    private func turn(after cursor: WorkCursor?, limit: Int, of query: TaskQuery) async throws -> Turn {
        let filter = WorkFilter(plugin: query.plugin, kinds: query.kinds)
        let limit = min(limit, Self.itemsPerTurn)
        return try await read { scheduler, now in
            Turn(
                page: scheduler.waitingPage(after: cursor, limit: limit, matching: filter, at: now),
                launches: scheduler.runningLaunches,
                now: now
            )
        }
    }

    private func add(
        _ turn: Turn,
        to list: inout TaskListReply,
        _ turns: inout TaskListTurns,
        matching query: TaskQuery
    ) {
        let tasks = turn.launches.flatMap { launch in
            launch.unfinished.filter { query.includes($0.work) }.map { (task: $0, launch: launch) }
        }
        for (task, launch) in turns.add(tasks, { $0.task.work.number }) {
            list.running.append(TaskListReply.Running(task, of: launch, titles: loop.titles, at: turn.now))
        }
        list.add(turn, turns.add(turn.page.items, \.work.number))
    }
}

/// The values that one turn of the decision loop returns for a list.
private struct Turn: Sendable {
    let page: WaitingPage
    /// The running launches. They are read together with `page`, so no task is in both.
    let launches: [Scheduler.RunningLaunch]
    let now: Moment
}

extension TaskQuery {
    /// Whether the page lists this work while it runs. Work before the page was pending or running on an earlier page;
    /// work behind it may have started since the first page was read.
    fileprivate func includes(_ work: PendingWork) -> Bool {
        let isAfter = after.map { WorkCursor(plugin: work.plugin, number: work.number) > $0 } ?? true
        return isAfter && (plugin.map { $0 == work.plugin } ?? true) && (kinds.isEmpty || kinds.contains(work.kind))
    }
}

extension TaskListReply {
    fileprivate mutating func add(_ turn: Turn, _ items: [WaitingPage.Item]) {
        pending += items.compactMap { Pending($0, at: turn.now) }
        events += items.compactMap { Event($0, at: turn.now) }
        isPartial = isPartial || turn.page.isPartial
        next = turn.page.next?.text
    }

    fileprivate var isEmpty: Bool { pending.isEmpty && events.isEmpty && running.isEmpty && next == nil }
}

extension TaskListReply.Pending {
    /// Creates the listing of a pending request; nil when the item is an event.
    fileprivate init?(_ item: WaitingPage.Item, at now: Moment) {
        guard case .request(let request) = item.work else { return nil }
        self.init(request, reason: item.reasons.first.map { WaitingReason($0, at: now) })
    }
}

extension TaskListReply.Event {
    /// Creates the listing of a waiting event; nil when the item is a request.
    init?(_ item: WaitingPage.Item, at now: Moment) {
        guard case .event(let event) = item.work else { return nil }
        self.init(event, reason: item.reasons.first.map { WaitingReason($0, at: now) })
    }
}

extension TaskListReply.Running {
    init(_ task: PlannedTask, of launch: Scheduler.RunningLaunch, titles: TaskTitles, at now: Moment) {
        var title: (text: String, subtitle: String?)?
        if let changed = titles[task.id] {
            title = (changed.title, changed.subtitle)
        } else if case .request(let pending) = task.work, let terms = pending.request.continued {
            title = (terms.title, terms.subtitle)
        }
        self.init(
            task.work,
            launch: launch.plan.number,
            startedAt: launch.plan.startedAt,
            budget: task.work.kind == .continued ? nil : launch.plan.budget.total,
            used: launch.plan.budget.used(at: now.monotonic),
            isExpiring: launch.expiring.contains(task.id),
            title: title,
            progress: launch.progress[task.id]
        )
    }
}
