// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import ControlAPI
package import TaskModel

/// The routes that return lists: as a single page, or with all pages joined.
extension ControlClient {
    // MARK: One page

    package func pluginPage(_ query: PluginQuery = PluginQuery()) async throws(ControlError) -> PluginListReply {
        try await ask(.pluginList, query: query.items)
    }

    package func taskPage(_ query: TaskQuery = TaskQuery()) async throws(ControlError) -> TaskListReply {
        try await ask(.taskList, query: query.items)
    }

    package func schedulePage(_ query: ScheduleQuery = ScheduleQuery()) async throws(ControlError) -> ScheduleListReply
    {
        try await ask(.scheduleList, query: query.items)
    }

    package func launchPage(_ query: LaunchQuery = LaunchQuery()) async throws(ControlError) -> LaunchListReply {
        try await ask(.launchList, query: query.items)
    }

    package func transferPage(_ query: TransferQuery = TransferQuery()) async throws(ControlError) -> TransferListReply
    {
        try await ask(.transferList, query: query.items)
    }

    package func journalPage(_ query: JournalQuery = JournalQuery()) async throws(ControlError) -> JournalReply {
        try await ask(.journal, query: query.items)
    }

    package func notificationPage(
        _ query: NotificationQuery = NotificationQuery()
    ) async throws(ControlError) -> NotificationReply {
        try await ask(.notificationList, query: query.items)
    }

    package func logPage(_ query: LogQuery = LogQuery()) async throws(ControlError) -> LogReply {
        try await ask(.logs, query: query.items)
    }

    // MARK: Every page

    /// All plugins and refused manifests, from as many pages as needed.
    ///
    /// - Parameter manifest: path of a manifest file, to list only its plugin or its refusal; nil for all.
    package func plugins(manifest: String? = nil) async throws(ControlError) -> PluginListReply {
        var query = PluginQuery(limit: PageLimit.range.upperBound, manifest: manifest)
        var list = try await pluginPage(query)
        while let next = list.next {
            query.after = try cursor(next, after: query.after, PluginCursor.init(text:))
            let page = try await pluginPage(query)
            list.plugins += page.plugins
            list.refused += page.refused
            list.next = page.next
            list.isPartial = list.isPartial || page.isPartial
        }
        return list
    }

    /// All pending requests, waiting events and running tasks, from as many pages as needed.
    ///
    /// - Parameters:
    ///   - plugin: the plugin whose work is listed; nil for every plugin.
    ///   - kinds: the kinds to list; empty for every kind.
    package func tasks(
        plugin: PluginIdentifier? = nil,
        kinds: Set<TaskKind> = []
    ) async throws(ControlError) -> TaskListReply {
        var query = TaskQuery(limit: PageLimit.range.upperBound, plugin: plugin, kinds: kinds)
        var list = try await taskPage(query)
        while let next = list.next {
            query.after = try cursor(next, after: query.after, WorkCursor.init(text:))
            list.add(try await taskPage(query))
        }
        return list
    }

    /// All schedules, from as many pages as needed. A schedule that became due between two pages is on the later page,
    /// too: it stays at its first place.
    ///
    /// - Parameter plugin: the plugin whose schedules are listed; nil for every plugin.
    package func schedules(plugin: PluginIdentifier? = nil) async throws(ControlError) -> ScheduleListReply {
        var query = ScheduleQuery(limit: PageLimit.range.upperBound, plugin: plugin)
        var list = try await schedulePage(query)
        while let next = list.next {
            query.after = try cursor(next, after: query.after, ScheduleCursor.init(text:))
            let page = try await schedulePage(query)
            let listed = Set(list.schedules.map(\.task))
            list.schedules += page.schedules.filter { !listed.contains($0.task) }
            list.next = page.next
            list.isPartial = list.isPartial || page.isPartial
        }
        return list
    }

    /// The newest `limit` launches that match, newest first.
    ///
    /// - Parameters:
    ///   - plugin: the plugin of the launches; nil for every plugin.
    ///   - isOld: whether no older launch matches either.
    package func launches(
        limit: Int,
        plugin: PluginIdentifier?,
        isOld: (LaunchReply) -> Bool,
        where matches: (LaunchReply) -> Bool
    ) async throws(ControlError) -> [LaunchReply] {
        var query = LaunchQuery(limit: PageLimit.range.upperBound, plugin: plugin)
        var found: [LaunchReply] = []
        while true {
            let page = try await launchPage(query)
            found += page.launches.filter(matches)
            guard let next = page.next, found.count < limit, page.launches.last.map(isOld) != true else {
                return Array(found.prefix(limit))
            }
            query.after = try cursor(next, after: query.after) { Int64($0).map(LaunchNumber.init(rawValue:)) }
        }
    }

    /// The newest `limit` launches, newest first, of one plugin or, when `plugin` is nil, of all.
    package func launches(
        limit: Int,
        plugin: PluginIdentifier? = nil
    ) async throws(ControlError) -> LaunchListReply {
        var query = LaunchQuery(limit: min(limit, PageLimit.range.upperBound), plugin: plugin)
        var list = try await launchPage(query)
        while let next = list.next, list.launches.count < limit {
            query.after = try cursor(next, after: query.after) { Int64($0).map(LaunchNumber.init(rawValue:)) }
            query.limit = min(limit - list.launches.count, PageLimit.range.upperBound)
            let page = try await launchPage(query)
            list.launches += page.launches
            list.next = page.next
        }
        return list
    }

    /// The newest `limit` transfers that match, newest first, from as many pages as needed.
    package func transfers(
        limit: Int,
        plugin: PluginIdentifier? = nil,
        session: TransferSession? = nil,
        states: Set<TransferState> = []
    ) async throws(ControlError) -> TransferListReply {
        let most = PageLimit.range.upperBound
        var query = TransferQuery(limit: min(limit, most), plugin: plugin, session: session, states: states)
        var list = try await transferPage(query)
        while let next = list.next, list.transfers.count < limit {
            query.after = try cursor(next, after: query.after, TransferQuery.cursor)
            query.limit = min(limit - list.transfers.count, most)
            let page = try await transferPage(query)
            list.transfers += page.transfers
            list.next = page.next
        }
        return list
    }

    /// The first `limit` matching entries after the number `after`, or the newest `limit` matching entries if `after`
    /// is nil; oldest first.
    package func journal(
        after: Int64? = nil,
        limit: Int,
        filter: JournalFilter = JournalFilter()
    ) async throws(ControlError) -> JournalReply {
        let most = PageLimit.range.upperBound
        var list = try await journalPage(JournalQuery(after: after, limit: min(limit, most), filter: filter))
        var page = list
        while page.entries.count == most, list.entries.count < limit {
            let limit = min(limit - list.entries.count, most)
            if after == nil {
                let first = list.entries.first?.number
                page = try await journalPage(JournalQuery(before: first, limit: limit, filter: filter))
                list = JournalReply(entries: page.entries + list.entries, last: list.last)
            } else {
                page = try await journalPage(JournalQuery(after: page.last, limit: limit, filter: filter))
                list = JournalReply(entries: list.entries + page.entries, last: page.last)
            }
        }
        return list
    }

    /// The newest `limit` matching entries of the filter, oldest first.
    package func journal(
        limit: Int,
        filter: JournalFilter,
        where matches: (JournalLine) -> Bool
    ) async throws(ControlError) -> JournalReply {
        let most = PageLimit.range.upperBound
        var page = try await journalPage(JournalQuery(limit: min(limit, most), filter: filter))
        let last = page.last
        // The first page may be smaller than the others, for lists whose entries all match.
        var (size, found) = (min(limit, most), page.entries.filter(matches))
        while page.entries.count == size, found.count < limit, let first = page.entries.first?.number {
            size = most
            page = try await journalPage(JournalQuery(before: first, limit: size, filter: filter))
            found = page.entries.filter(matches) + found
        }
        return JournalReply(entries: Array(found.suffix(limit)), last: last)
    }

    /// The newest `limit` lines of logs that the query selects, oldest first, from as many pages as needed.
    package func logs(_ query: LogQuery, limit: Int) async throws(ControlError) -> LogReply {
        var query = query
        query.limit = min(limit, PageLimit.range.upperBound)
        var list = try await logPage(query)
        while let next = list.next, list.lines.count < limit {
            query.before = try cursor(next, after: query.before, LogPosition.init(text:))
            query.limit = min(limit - list.lines.count, PageLimit.range.upperBound)
            let page = try await logPage(query)
            list = LogReply(lines: page.lines + list.lines, next: page.next)
        }
        return list
    }

    /// Parses the cursor `next` of a page. Throws when `next` is malformed, or equal to `current`: a list with such a
    /// cursor would never end.
    private func cursor<Cursor: Equatable>(
        _ next: String,
        after current: Cursor?,
        _ read: (String) -> Cursor?
    ) throws(ControlError) -> Cursor {
        if let cursor = read(next), cursor != current { return cursor }
        throw .misunderstood(socket: socket, detail: "\"next\" is \"\(next)\", which is no cursor of a following page")
    }
}
