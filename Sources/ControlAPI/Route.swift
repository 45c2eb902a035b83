// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The routes of the control API, in one table for host and client. The types of the bodies are declared elsewhere.
package enum Route: String, CaseIterable, Hashable, Sendable {
    case apiDescription
    case hostStatus
    case hostReload
    case backupReport
    case pluginList
    case pluginShow
    case pluginPurge
    case pluginTrigger
    case pluginPush
    case pushTokenIssue
    case pushTokenRevoke
    case pushTokenCheck
    case pluginPause
    case pluginResume
    case taskSubmit
    case taskSubmitBatch
    case taskCancel
    case taskStop
    case taskRetry
    case taskCursor
    case taskCursorClear
    case taskList
    case taskWhy
    case scheduleList
    case launchList
    case launchShow
    case launchStop
    case transferList
    case transferShow
    case transferPause
    case transferResume
    case transferCancel
    case leaseList
    case leaseShow
    case leaseRenew
    case leaseDelete
    case journal
    case notificationList
    case stats
    case metrics
    case logs
    case run
    case simulateExpiration
    case simulateConditions
    case forecast
    case capacity

    package enum Method: String, Hashable, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case delete = "DELETE"
    }

    package var method: Method {
        switch self {
        case .apiDescription, .hostStatus, .pluginList, .pluginShow, .taskList, .taskWhy, .scheduleList, .launchList,
            .launchShow, .transferList, .transferShow, .journal, .notificationList, .logs, .stats, .metrics,
            .taskCursor, .leaseList, .leaseShow, .capacity:
            .get
        case .hostReload, .backupReport, .pluginTrigger, .pluginPush, .pushTokenIssue, .pushTokenCheck,
            .pluginPause, .pluginResume, .taskSubmit, .taskSubmitBatch,
            .taskStop, .taskRetry, .launchStop, .transferPause, .transferResume, .transferCancel, .run,
            .simulateExpiration, .simulateConditions, .forecast:
            .post
        case .leaseRenew: .put
        case .pluginPurge, .pushTokenRevoke, .taskCancel, .taskCursorClear, .leaseDelete: .delete
        }
    }

    /// The path of the route with its parameter in braces, such as `/v1/launches/{number}`.
    package var template: String {
        switch self {
        case .apiDescription: "/v1/openapi.yaml"
        case .hostStatus: "/v1/host"
        case .hostReload: "/v1/host/reload"
        case .backupReport: "/v1/host/backups"
        case .pluginList: "/v1/plugins"
        case .pluginShow, .pluginPurge: "/v1/plugins/{identifier}"
        case .pluginTrigger: "/v1/plugins/{identifier}/trigger"
        case .pluginPush: "/v1/plugins/{identifier}/push"
        case .pushTokenIssue, .pushTokenRevoke: "/v1/plugins/{identifier}/push-token"
        case .pushTokenCheck: "/v1/push-tokens/check"
        case .pluginPause: "/v1/plugins/{identifier}/pause"
        case .pluginResume: "/v1/plugins/{identifier}/resume"
        case .taskSubmit, .taskList: "/v1/tasks"
        case .taskSubmitBatch: "/v1/tasks/batch"
        case .taskCancel: "/v1/tasks/{identifier}"
        case .taskStop: "/v1/tasks/{identifier}/stop"
        case .taskRetry: "/v1/tasks/{identifier}/retry"
        case .taskCursor, .taskCursorClear: "/v1/tasks/{identifier}/cursor"
        case .taskWhy: "/v1/tasks/{identifier}/why"
        case .scheduleList: "/v1/schedules"
        case .launchList: "/v1/launches"
        case .launchShow: "/v1/launches/{number}"
        case .launchStop: "/v1/launches/{number}/stop"
        case .transferList: "/v1/transfers"
        case .transferShow: "/v1/transfers/{number}"
        case .transferPause: "/v1/transfers/{number}/pause"
        case .transferResume: "/v1/transfers/{number}/resume"
        case .transferCancel: "/v1/transfers/{number}/cancel"
        case .leaseList: "/v1/leases"
        case .leaseShow, .leaseRenew, .leaseDelete: "/v1/leases/{name}"
        case .journal: "/v1/journal"
        case .notificationList: "/v1/notifications"
        case .stats: "/v1/stats"
        case .metrics: "/v1/metrics"
        case .logs: "/v1/logs"
        case .run: "/v1/run"
        case .simulateExpiration: "/v1/simulate/expiration"
        case .simulateConditions: "/v1/simulate/conditions"
        case .forecast: "/v1/forecast"
        case .capacity: "/v1/capacity"
        }
    }

    /// The name of the path's parameter; nil for a path without one.
    package var parameter: String? {
        Self.segments(template).first { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
    }

    /// The permitted names of the route's query parameters.
    package var queryNames: [String] {
        switch self {
        case .pluginList: PluginQuery.names
        case .taskList: TaskQuery.names
        case .scheduleList: ScheduleQuery.names
        case .launchList: LaunchQuery.names
        case .transferList: TransferQuery.names
        case .journal: JournalQuery.names
        case .notificationList: NotificationQuery.names
        case .logs: LogQuery.names
        case .stats: StatsQuery.names
        case .taskSubmit: TaskSubmission.queryNames
        case .taskCancel: TaskCancelQuery.names
        case .apiDescription, .hostStatus, .hostReload, .backupReport, .pluginShow, .pluginPurge, .pluginTrigger,
            .pluginPush, .pushTokenIssue, .pushTokenRevoke, .pushTokenCheck, .pluginPause, .pluginResume,
            .taskSubmitBatch, .taskStop, .taskRetry, .taskCursor, .taskCursorClear, .taskWhy, .launchShow,
            .launchStop, .transferShow, .transferPause, .transferResume, .transferCancel, .metrics, .run,
            .simulateExpiration, .simulateConditions, .forecast, .capacity, .leaseList, .leaseShow, .leaseRenew,
            .leaseDelete:
            []
        }
    }

    /// Whether a call of the route needs a body. Calls of the other routes must not have one.
    package var takesBody: Bool {
        switch self {
        case .hostReload, .taskStop, .taskRetry, .launchStop, .transferPause, .transferResume, .transferCancel,
            .pluginResume:
            false
        default: method == .post || method == .put
        }
    }

    /// Maximum size of the body of a call in bytes: a payload in base 64 plus the other fields, or many requests.
    package var maximumBody: Int { self == .taskSubmitBatch ? 2 << 20 : 256 << 10 }

    /// The HTTP status of a successful answer to the route; a dry run of a submission, which creates nothing, has 200.
    package var successStatus: Int {
        switch self {
        case .taskSubmit, .taskRetry, .pluginTrigger, .pluginPush: 201
        default: 200
        }
    }

    /// The path with `value` as its parameter, followed by the query.
    package func path(_ value: String? = nil, query: [(name: String, value: String)] = []) -> String {
        precondition((value == nil) == (parameter == nil), "a value is given exactly for a route with a parameter")
        let segments = Self.segments(template).map { segment in
            segment.hasPrefix("{") ? PercentCoding.encode(value ?? "") : String(segment)
        }
        let path = "/" + segments.joined(separator: "/")
        if query.isEmpty { return path }
        return path + "?" + query.map { "\($0.name)=\(PercentCoding.encode($0.value))" }.joined(separator: "&")
    }

    /// The route of a call, with the value of the path's parameter; nil when no route matches.
    package static func matching(method: String, path: String) -> (route: Route, value: String?)? {
        let asked = segments(String(path.prefix { $0 != "?" }))
        for route in allCases where route.method.rawValue == method {
            if case .some(let value) = route.value(in: asked) { return (route, value) }
        }
        return nil
    }

    /// The methods of the routes at a path; empty when no route has this path.
    package static func methods(at path: String) -> [Method] {
        let asked = segments(String(path.prefix { $0 != "?" }))
        return allCases.filter { $0.value(in: asked) != nil }.map(\.method).sorted { $0.rawValue < $1.rawValue }
    }

    /// The value of the parameter in a path: `.none` when the path does not match the route, `.some(nil)` for a route
    /// without a parameter.
    private func value(in asked: [Substring]) -> String?? {
        let template = Self.segments(template)
        guard template.count == asked.count else { return nil }
        var value: String?
        let fits = zip(template, asked).allSatisfy { pattern, segment in
            guard pattern.hasPrefix("{") else { return pattern == segment }
            value = PercentCoding.decode(String(segment))
            return value?.isEmpty == false
        }
        return fits ? .some(value) : nil
    }

    private static func segments(_ path: String) -> [Substring] {
        path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    }
}

extension Route: CustomStringConvertible {
    package var description: String { "\(method.rawValue) \(template)" }
}
