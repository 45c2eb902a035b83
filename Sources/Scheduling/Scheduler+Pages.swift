// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

// The lists of the control API, one bounded page at a time. Changes nothing.
extension Scheduler {
    /// Number of plugins and works that one page may examine beyond its limit before it ends with a `next`: a filter that
    /// matches rarely must not hold up decisions.
    private static let examinedBeyondLimit = 256

    /// The first `limit` works that match `filter` and follow `cursor`, each with the reasons for its waiting.
    ///
    /// - Parameters:
    ///   - cursor: the `next` of the page before; nil for the first page.
    ///   - limit: at least 1.
    package func waitingPage(
        after cursor: WorkCursor?,
        limit: Int,
        matching filter: WorkFilter = WorkFilter(),
        at now: Moment
    ) -> WaitingPage {
        let mostExamined = limit + Self.examinedBeyondLimit
        let (identifiers, hasMore) = identifiers(from: cursor?.plugin, matching: filter, atMost: mostExamined)
        var items: [WaitingPage.Item] = []
        var examined = 0
        var last = cursor
        for plugin in identifiers {
            examined += 1
            guard let state = plugins[plugin] else { continue }
            for work in state.waitingWork where cursor.map({ $0 < work.cursor }) ?? true {
                if items.count == limit || examined > mostExamined {
                    return WaitingPage(items: items, next: last, isPartial: false)
                }
                examined += 1
                last = work.cursor
                guard filter.includes(work.kind) else { continue }
                items.append(WaitingPage.Item(work: work, reasons: reasons(against: work, at: now)))
            }
            last = .end(of: plugin)
        }
        return WaitingPage(items: items, next: hasMore ? last : nil, isPartial: false)
    }

    /// The first `limit` installed plugins whose identifiers follow `cursor`.
    ///
    /// - Parameter limit: at least 1.
    package func pluginPage(after cursor: PluginIdentifier?, limit: Int) -> PluginPage {
        let running = runningByPlugin
        let most = limit + Self.examinedBeyondLimit
        let (identifiers, hasMore) = firstIdentifiers(atMost: most) { plugin in cursor.map { $0 < plugin } ?? true }
        var summaries: [PluginSummary] = []
        var last = cursor
        for plugin in identifiers {
            if summaries.count == limit { return PluginPage(plugins: summaries, next: last, isPartial: false) }
            last = plugin
            if let summary = summary(of: plugin, running: running) { summaries.append(summary) }
        }
        return PluginPage(plugins: summaries, next: hasMore ? last : nil, isPartial: false)
    }

    /// Nil for a plugin that is not installed.
    package func summary(of plugin: PluginIdentifier) -> PluginSummary? {
        summary(of: plugin, running: runningByPlugin)
    }

    /// Number of plugins that are installed.
    package var installedCount: Int { plugins.values.count { $0.entry != nil } }

    /// Number of events that wait, of all plugins.
    package var waitingEventCount: Int { plugins.values.reduce(0) { $0 + $1.events.count } }

    // MARK: Waiting work

    /// The plugins that a page examines, and whether more follow.
    private func identifiers(
        from first: PluginIdentifier?,
        matching filter: WorkFilter,
        atMost count: Int
    ) -> ([PluginIdentifier], hasMore: Bool) {
        guard let plugin = filter.plugin else {
            return firstIdentifiers(atMost: count) { plugin in first.map { $0 <= plugin } ?? true }
        }
        return (first.map { $0 <= plugin } ?? true ? [plugin] : [], false)
    }

    private func firstIdentifiers(
        atMost count: Int,
        where fits: (PluginIdentifier) -> Bool
    ) -> ([PluginIdentifier], hasMore: Bool) {
        let fitting = plugins.keys.filter(fits).sorted()
        return (Array(fitting.prefix(count)), fitting.count > count)
    }

    // MARK: Plugins

    /// Numbers of running tasks of the plugins that have a launch.
    private var runningByPlugin: [PluginIdentifier: Int] {
        runningLaunches.reduce(into: [:]) { $0[$1.plan.plugin.identifier, default: 0] += $1.unfinished.count }
    }

    private func summary(of plugin: PluginIdentifier, running: [PluginIdentifier: Int]) -> PluginSummary? {
        guard let state = plugins[plugin], let entry = state.entry else { return nil }
        let kinds = entry.role == .main ? state.pending.values.map(\.request.kind.countedAs) : []
        return PluginSummary(
            entry: entry,
            pendingByLimit: kinds.reduce(into: [:]) { $0[$1, default: 0] += 1 },
            pendingCount: kinds.count,
            eventCount: state.events.count,
            runningCount: running[plugin] ?? 0,
            hasLaunch: running[plugin] != nil
        )
    }
}

extension PluginState {
    /// Pending requests and waiting events, by submission number.
    fileprivate var waitingWork: [PendingWork] {
        (pending.values.map { .request($0) } + events.map { .event($0) }).sorted { $0.number < $1.number }
    }
}

extension PendingWork {
    fileprivate var cursor: WorkCursor { WorkCursor(plugin: plugin, number: number) }
}
