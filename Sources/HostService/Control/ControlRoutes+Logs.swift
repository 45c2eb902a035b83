// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import HTTPTypes
import HummingbirdCore
import NIOCore
import PluginCatalogue
import Scheduling
import ServiceLifecycle
import TaskLedger
import TaskModel

// Replies from the logs of launches.
extension ControlRoutes {
    /// Maximum number of launches of one task whose lines are found.
    private static let mostLaunches = 1_000

    func logQuery(_ parameters: QueryParameters) async throws -> LogQuery {
        // The host's own clock, which also stamped the lines.
        let now = try await read { _, now in now.wall }
        return try LogQuery(reading: parameters.value, now: now)
    }

    func logs(_ query: LogQuery) async throws -> Response {
        var selection = try await selection(of: query)
        if query.isFollowing { return followLogs(selection) }
        // One line more than the page: if it exists, another page follows.
        selection.limit += 1
        var entries = try await loop.logs.newest(selection, on: threads)
        let hasMore = entries.count > query.limit
        if hasMore { entries.removeFirst() }
        let lines = entries.map(LaunchLogLine.init)
        return Response(json: LogReply(lines: lines, next: hasMore ? entries.first?.position.text : nil))
    }

    /// Streams the newest lines and then every new one, until the followed launch ends, the caller disconnects, or the
    /// host stops.
    private func followLogs(_ selection: LogSelection) -> Response {
        let body = ResponseBody { writer in
            let follower = LogFollower(selection.filter)
            let snapshot = await loop.logs.follow(follower)
            defer { loop.logs.unfollow(follower) }
            // The response head is sent with the first bytes.
            try await writer.write(ByteBuffer())
            for entry in try await loop.logs.newest(selection, of: snapshot, on: threads) {
                try await writer.write(Self.line(entry))
            }
            // A launch that ends after this moment ends the stream.
            let hasEnded = selection.filter.launch.map { loop.runners.processes[$0] == nil } ?? false
            if hasEnded { follower.finish() }
            for await entry in follower.entries.cancelOnGracefulShutdown() { try await writer.write(Self.line(entry)) }
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: [.contentType: "application/x-ndjson"], body: body)
    }

    private static func line(_ entry: LogEntry) throws -> ByteBuffer {
        var buffer = ByteBuffer(bytes: try WireCoding.encode(LaunchLogLine(entry)))
        buffer.writeString("\n")
        return buffer
    }

    // MARK: Selection

    /// The lines that a query selects. Throws for a plugin, launch or task that does not exist: its empty log would
    /// look like that of an existing one.
    private func selection(of query: LogQuery) async throws -> LogSelection {
        let filter = LogFilter(
            level: query.level,
            since: query.since,
            until: query.until,
            text: query.text
        )
        var selection = LogSelection(filter: filter, before: query.before, limit: query.limit)
        if let plugin = query.plugin {
            try await requireKnown(JournalFilter(plugin: plugin))
            selection.filter.plugin = plugin
        }
        if let identifier = query.identifier { try await select(identifier, in: &selection) }
        if let launch = query.launch {
            guard let record = try await recorded({ try $0.launch(launch) }) else {
                throw RouteError.noSuchLaunch(launch)
            }
            selection.filter.launch = launch
            if query.isPrevious { try await selectPrevious(of: record.plugin, in: &selection) }
        } else if query.isPrevious {
            try await selectPrevious(of: selection.filter.plugin, in: &selection)
        }
        return selection
    }

    /// Selects the log of a plugin, or of the launches of a task.
    private func select(_ identifier: TaskIdentifier, in selection: inout LogSelection) async throws {
        try await catalogue.waitUntilLoaded()
        if let plugin = PluginIdentifier(identifier.text), try await isKnown(plugin) {
            if [nil, plugin].contains(selection.filter.plugin) {
                selection.filter.plugin = plugin
            } else {
                // Two different plugins have no launch in common.
                (selection.launches, selection.filter.task) = ([], identifier.text)
            }
            return
        }
        let launches = try await launches(of: identifier)
        if launches.isEmpty { try await requireKnown(identifier, orPlugin: true) }
        selection.launches = launches
        selection.filter.task = identifier.text
    }

    private func isKnown(_ plugin: PluginIdentifier) async throws -> Bool {
        if catalogue.contents.contains(plugin) { return true }
        return try await recorded { try !$0.launches(limit: 1, plugin: plugin).isEmpty }
    }

    /// The launches in which the task has a recorded outcome, and those in which it runs.
    private func launches(of identifier: TaskIdentifier) async throws -> Set<LaunchNumber> {
        let running = try await read { scheduler, _ in
            scheduler.runningLaunches.filter { launch in
                (launch.plan.tasks + launch.unfinished).contains { $0.work.label == identifier.text }
            }.map(\.plan.number)
        }
        let ended = try await recorded { ledger in
            let filter = JournalFilter(label: identifier.text)
            let selection = JournalSelection(
                filter: filter,
                outcomesOnly: true,
                newestFirst: true,
                limit: Self.mostLaunches
            )
            return try ledger.journal(selection).compactMap(\.launch)
        }
        return Set(running).union(ended)
    }

    /// Selects the launch before the selected one, or before the newest one of the selected task or plugin.
    private func selectPrevious(of plugin: PluginIdentifier?, in selection: inout LogSelection) async throws {
        let later = selection.filter.launch
        var earlier: [LaunchNumber]
        if let launches = selection.launches {
            earlier = launches.filter { launch in later.map { launch < $0 } ?? true }.sorted(by: >)
        } else if let plugin {
            let limit = later == nil ? 2 : 1
            earlier = try await recorded { try $0.launches(limit: limit, before: later, plugin: plugin).map(\.number) }
        } else {
            throw RouteError(
                .queryInvalid,
                field: "previous",
                "query previous=true has no launch that it could go back from",
                remedy: "add plugin, identifier or launch"
            )
        }
        if later == nil, !earlier.isEmpty { earlier.removeFirst() }
        guard let previous = earlier.first else {
            throw RouteError(
                .noSuchLaunch,
                "the ledger has no earlier launch to show",
                remedy: "leave previous out, or see \"bgtask launch list\""
            )
        }
        selection.filter.launch = previous
        selection.launches = nil
    }
}

extension LaunchLogLine {
    init(_ entry: LogEntry) {
        let record = entry.record
        self.init(
            at: record.at,
            plugin: entry.plugin,
            launch: entry.launch,
            number: record.number,
            level: record.level,
            stream: record.stream,
            task: record.task,
            text: record.text
        )
    }
}
