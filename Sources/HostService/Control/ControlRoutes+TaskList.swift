// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Scheduling
import TaskModel

// The list of work, a page at a time.
extension ControlRoutes {
    /// Items that one turn of the decision loop hands out. A longer page takes several turns, with decisions in between.
    static let itemsPerTurn = 100
    /// Turns that one page may take: a filter that matches rarely ends a page before its limit.
    static let turnsPerPage = 20

    /// Sentences and JSON are made outside the decision loop, from the values that it hands out.
    func taskList(_ query: TaskQuery) async throws -> TaskListReply {
        let isFirst = query.after == nil
        let running = isFirst ? try await runningTasks(matching: query) : []
        var list = TaskListReply(pending: [], running: running, events: [], isPartial: !catalog.isLoaded)
        var cursor = query.after
        for _ in 0..<Self.turnsPerPage {
            let room = query.limit - list.pending.count - list.events.count
            let (page, now) = try await waitingPage(after: cursor, limit: min(room, Self.itemsPerTurn), of: query)
            list.pending += page.items.compactMap { TaskListReply.Pending($0, at: now) }
            list.events += page.items.compactMap { TaskListReply.Event($0, at: now) }
            list.isPartial = list.isPartial || page.isPartial
            cursor = page.next
            if cursor == nil || list.pending.count + list.events.count == query.limit { break }
        }
        list.next = cursor?.text
        if isFirst, list.isEmpty, let plugin = query.plugin { try await requireInstalled(plugin) }
        return list
    }

    /// An empty list of a plugin that is not there would look like one that has nothing to do.
    func requireInstalled(_ plugin: PluginIdentifier) async throws {
        try await catalog.waitUntilLoaded()
        let isInstalled = try await read { scheduler, _ in scheduler.entry(of: plugin) != nil }
        if !isInstalled { throw ControlRefusal.noSuchPlugin(plugin.text) }
    }

    private func waitingPage(
        after cursor: WorkCursor?,
        limit: Int,
        of query: TaskQuery
    ) async throws -> (WaitingPage, Moment) {
        let filter = WorkFilter(plugin: query.plugin, kinds: query.kinds)
        return try await read { scheduler, now in
            (scheduler.waitingPage(after: cursor, limit: limit, matching: filter, at: now), now)
        }
    }

    private func runningTasks(matching query: TaskQuery) async throws -> [TaskListReply.Running] {
        let (launches, now) = try await read { scheduler, now in (scheduler.runningLaunches, now) }
        return launches.flatMap { launch in
            launch.unfinished.filter { query.includes($0.work) }.map { task in
                TaskListReply.Running(task, of: launch, titles: scheduler.titles, at: now)
            }
        }
    }
}

extension TaskQuery {
    fileprivate func includes(_ work: PendingWork) -> Bool {
        (plugin.map { $0 == work.plugin } ?? true) && (kinds.isEmpty || kinds.contains(work.kind))
    }
}

extension TaskListReply {
    fileprivate var isEmpty: Bool { pending.isEmpty && events.isEmpty && running.isEmpty && next == nil }
}

extension TaskListReply.Pending {
    /// Nil for an event.
    fileprivate init?(_ item: WaitingPage.Item, at now: Moment) {
        guard case .request(let request) = item.work else { return nil }
        self.init(request, reason: item.reasons.first.map { WaitingReason($0, at: now) })
    }
}

extension TaskListReply.Event {
    /// Nil for a request.
    init?(_ item: WaitingPage.Item, at now: Moment) {
        guard case .event(let event) = item.work else { return nil }
        self.init(event, reason: item.reasons.first.map { WaitingReason($0, at: now) })
    }
}

extension TaskListReply.Running {
    init(_ task: PlannedTask, of launch: Scheduler.RunningLaunch, titles: TitleBook, at now: Moment) {
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
