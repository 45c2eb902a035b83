// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

// The lists of the control API, one page at a time. Changes nothing.
extension Scheduler {
    /// Number of plugins and work items that a page may examine beyond its limit. Then the page ends with a `next`. A
    /// filter that rarely matches thus delays decisions only for a bounded time.
    private static let examinedBeyondLimit = 32

    /// The next items after `cursor` that match `filter`, at most `limit`, each with the reasons against it. The page
    /// has fewer items when it has examined `examinedBeyondLimit` more plugins and items than `limit`.
    ///
    /// - Parameters:
    ///   - cursor: the `next` of the previous page; nil for the first page.
    ///   - limit: at least 1.
    package func waitingPage(
        after cursor: WorkCursor?,
        limit: Int,
        matching filter: WorkFilter = WorkFilter(),
        at now: Moment
    ) -> WaitingPage {
        var items: [WaitingPage.Item] = []
        var left = limit + Self.examinedBeyondLimit
        var last = cursor
        for plugin in identifiers(from: cursor?.plugin, matching: filter, limit: left + 1) {
            if left <= 0 { return WaitingPage(items: items, next: last, isPartial: loading.isPartial(filter)) }
            left -= 1
            let number = cursor?.plugin == plugin ? cursor?.number : nil
            let works = waitingWork(of: plugin, after: number, limit: left + 1)
            var evaluations: [Lane: LaneEvaluation] = [:]
            for work in works {
                if items.count == limit || left <= 0 {
                    return WaitingPage(items: items, next: last, isPartial: loading.isPartial(filter))
                }
                left -= 1
                last = WorkCursor(plugin: plugin, number: work.number)
                guard filter.includes(work.kind) else { continue }
                let reasons = reasons(against: work, &evaluations, at: now)
                items.append(WaitingPage.Item(work: work, reasons: reasons))
            }
            last = .end(of: plugin)
        }
        return WaitingPage(items: items, next: nil, isPartial: loading.isPartial(filter))
    }

    /// The summaries of the next installed plugins after `cursor`, ordered by identifier, at most `limit`.
    ///
    /// - Parameter limit: at least 1.
    package func pluginPage(after cursor: PluginIdentifier?, limit: Int) -> PluginPage {
        var summaries: [PluginSummary] = []
        var left = limit + Self.examinedBeyondLimit
        var last = cursor
        for plugin in plugins.names(after: cursor) {
            if summaries.count == limit || left <= 0 {
                return PluginPage(plugins: summaries, next: last, isPartial: loading.isPartial(WorkFilter()))
            }
            left -= 1
            last = plugin
            if let summary = summary(of: plugin) { summaries.append(summary) }
        }
        return PluginPage(plugins: summaries, next: nil, isPartial: loading.isPartial(WorkFilter()))
    }

    /// The summary of a plugin; nil when it is not installed.
    package func summary(of plugin: PluginIdentifier) -> PluginSummary? {
        guard plugins.contains(plugin), let entry = plugins[plugin].entry else { return nil }
        let isMain = entry.role == .main
        let executions = launches.numbers(of: plugin).compactMap { launches.find($0)?.execution }
        let limited = TaskKind.submittable.filter { isMain && $0.countedAs == $0 }
        let limits = plugins[plugin].requests.limits
        // The lists contain this work as well.
        let requeued = workBeingRequeued(of: plugin).map(\.kind)
        func pendingCount(_ kind: TaskKind) -> Int {
            limits.storedCount(of: kind) + requeued.count { $0.countedAs == kind }
        }
        let requeuedEvents = requeued.count { $0 == .event }
        return PluginSummary(
            entry: entry,
            pendingByLimit: Dictionary(uniqueKeysWithValues: limited.map { ($0, pendingCount($0)) })
                .filter { $0.value > 0 },
            pendingCount: isMain ? plugins[plugin].requests.count + requeued.count - requeuedEvents : 0,
            eventCount: plugins[plugin].events.count + requeuedEvents,
            runningCount: executions.reduce(0) { $0 + $1.unfinished.count },
            hasLaunch: !executions.isEmpty,
            pause: pause(of: plugin),
            isPaused: [plugin, entry.containingPlugin].compactMap(\.self).contains { pause(of: $0) != nil }
        )
    }

    // MARK: Waiting work

    /// The plugins that a page examines, ordered by identifier: `first`, then up to `limit` plugins after it. If the
    /// filter contains a plugin, only that plugin, unless it precedes `first`.
    private func identifiers(
        from first: PluginIdentifier?,
        matching filter: WorkFilter,
        limit: Int
    ) -> [PluginIdentifier] {
        if let plugin = filter.plugin {
            return plugins.contains(plugin) && first.map { $0 <= plugin } ?? true ? [plugin] : []
        }
        let following = plugins.names(after: first).prefix(limit)
        return (first.map { plugins.contains($0) ? [$0] : [] } ?? []) + following
    }

    /// Pending requests, waiting events, and interrupted work that is being requeued, with numbers above `number`,
    /// ordered by number.
    private func waitingWork(of plugin: PluginIdentifier, after number: SubmissionNumber?, limit: Int) -> [PendingWork]
    {
        let requests = plugins[plugin].requests.requests(after: number, limit: limit).map(PendingWork.request)
        let events = plugins[plugin].events.events(after: number, limit: limit).map(PendingWork.event)
        let requeued = workBeingRequeued(of: plugin).filter { work in number.map { $0 < work.number } ?? true }
        if events.isEmpty, requeued.isEmpty { return requests }
        return Array((requests + events + requeued).sorted { $0.number < $1.number }.prefix(limit))
    }

    /// The reasons against an item of the page.
    ///
    /// - Parameter evaluations: cache of the page's evaluations; one evaluation serves all ready requests of the
    ///   background lane.
    private func reasons(
        against work: PendingWork,
        _ evaluations: inout [Lane: LaneEvaluation],
        at now: Moment
    ) -> [Reason] {
        guard case .request(let request) = work, work.kind.lane == .background,
            let index = plugins[request.plugin].requests.group(of: request)
        else { return reasons(against: work, at: now) }
        let evaluation = evaluations[.background] ?? evaluate(request.plugin, in: .background, at: now)
        evaluations[.background] = evaluation
        guard let group = evaluation.groups.first(where: { $0.index == index }) else {
            return reasons(against: work, at: now)
        }
        return Eligibility.reasons(group.reasons, behind: evaluation.alone(before: request.number))
    }
}
