// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import ControlAPI
internal import TaskModel

/// The queries of the lists. A query that a client writes again is read as the same query.
enum FuzzedQuery {
    private static let now = WallTime(nanoseconds: 1_767_268_800 * 1_000_000_000)

    static func problem(_ query: QueryParameters, of route: Route) throws(RouteError) -> String? {
        switch route {
        case .pluginList:
            let read = try PluginQuery(reading: query.value)
            return try problem(read, read.items, of: route) { again throws(RouteError) in
                try PluginQuery(reading: again)
            }
        case .taskList:
            let read = try TaskQuery(reading: query.value)
            return try problem(read, read.items, of: route) { again throws(RouteError) in try TaskQuery(reading: again)
            }
        case .scheduleList:
            let read = try ScheduleQuery(reading: query.value)
            return try problem(read, read.items, of: route) { again throws(RouteError) in
                try ScheduleQuery(reading: again)
            }
        case .launchList:
            let read = try LaunchQuery(reading: query.value)
            return try problem(read, read.items, of: route) { again throws(RouteError) in
                try LaunchQuery(reading: again)
            }
        case .transferList:
            let read = try TransferQuery(reading: query.value)
            return try problem(read, read.items, of: route) { again throws(RouteError) in
                try TransferQuery(reading: again)
            }
        case .journal:
            let read = try JournalQuery(reading: query.value, now: now)
            // A stream has no limit, so a client leaves the limit out.
            if read.isFollowing { return nil }
            return try problem(read, read.items, of: route) { again throws(RouteError) in
                try JournalQuery(reading: again, now: now)
            }
        case .notificationList:
            let read = try NotificationQuery(reading: query.value)
            // A stream has no limit, so a client leaves the limit out.
            if read.isFollowing { return nil }
            return try problem(read, read.items, of: route) { again throws(RouteError) in
                try NotificationQuery(reading: again)
            }
        case .logs:
            let read = try LogQuery(reading: query.value, now: now)
            return try problem(read, read.items, of: route) { again throws(RouteError) in
                try LogQuery(reading: again, now: now)
            }
        case .stats:
            let read = try StatsQuery(reading: query.value, now: now)
            return try problem(read, read.items, of: route) { again throws(RouteError) in
                try StatsQuery(reading: again, now: now)
            }
        case .taskCancel:
            let read = try TaskCancelQuery(reading: query.value)
            return try problem(read, read.items, of: route) { again throws(RouteError) in
                try TaskCancelQuery(reading: again)
            }
        case .apiDescription, .hostStatus, .hostReload, .backupReport, .pluginShow, .pluginPurge, .pluginTrigger,
            .pluginPush, .pushTokenIssue, .pushTokenRevoke, .pushTokenCheck, .pluginPause, .pluginResume, .taskSubmit,
            .taskSubmitBatch, .taskStop, .taskRetry, .taskCursor, .taskCursorClear, .taskWhy,
            .launchShow, .launchStop, .transferShow, .transferPause, .transferResume, .transferCancel, .metrics, .run,
            .simulateExpiration, .simulateConditions, .forecast, .capacity, .leaseList, .leaseShow, .leaseRenew,
            .leaseDelete:
            return nil
        }
    }

    private static func problem<Query: Equatable>(
        _ query: Query,
        _ items: [(name: String, value: String)],
        of route: Route,
        _ read: ((String) -> String?) throws(RouteError) -> Query
    ) throws(RouteError) -> String? {
        let value = route.parameter.map { _ in "com.example.feed" }
        let path = route.path(value, query: items)
        let text = path.split(separator: "?", maxSplits: 1).dropFirst().first.map(String.init)
        do throws(RouteError) {
            let again = try QueryParameters(text, of: route)
            return try read(again.value) == query ? nil : "a query changes when it is written again: \(text ?? "")"
        } catch {
            return "a query is refused when it is written again: \(text ?? ""): \(error.reply.error.message)"
        }
    }
}
