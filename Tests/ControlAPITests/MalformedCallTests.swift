// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import TaskModel
import Testing

@Suite("A malformed call is refused with field, rule and remedy")
struct MalformedCallTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let route: Route
        let body: String
        let subReason: String
        let field: String?
        let remedy: String
        var testDescription: String { "\(route): \(body.prefix(60))" }

        init(_ body: String, _ subReason: String, _ field: String?, _ remedy: String, to route: Route = .taskSubmit) {
            self.route = route
            self.body = body
            self.subReason = subReason
            self.field = field
            self.remedy = remedy
        }
    }

    private func refusal(_ call: Case) throws -> RouteError {
        let data = Data(call.body.utf8)
        return try #require(throws: RouteError.self) {
            switch call.route {
            case .taskSubmit: _ = try TaskSubmission.reading(data, for: call.route).validated()
            case .run: _ = try RunOrder.reading(data, for: call.route).validated()
            case .simulateExpiration: _ = try ExpirationSimulation.reading(data, for: call.route).validated()
            case .leaseRenew: _ = try LeaseOrder.reading(data, for: call.route).validated()
            case .forecast: _ = try ForecastOrder.reading(data, for: call.route).validated(at: Samples.now)
            default: _ = try ConditionsSimulation.reading(data, for: call.route).validated()
            }
        }
    }

    @Test(arguments: [
        Case("", "body-missing", nil, "identifier, kind"),
        Case("{", "body-not-json", nil, "JSON object"), Case("hello", "body-not-json", nil, "JSON object"),
        Case("[]", "body-not-object", nil, "JSON object"), Case("7", "body-not-object", nil, "JSON object"),
        Case("null", "body-not-object", nil, "JSON object"),
        Case(
            #"{"identifier": "a.b", "kind": "refresh", "payloda": ""}"#,
            "field-unknown",
            "payloda",
            "write \"payload\""
        ),
        Case(#"{"identifier": "a.b", "kind": "refresh", "x": 1}"#, "field-unknown", "x", "write one of identifier"),
        Case(#"{"Identifier": "a.b", "kind": "refresh"}"#, "field-unknown", "Identifier", "write \"identifier\""),
        Case(
            #"{"identifier": "a.b", "kind": "refresh", "kind": "processing"}"#,
            "field-repeated",
            "kind",
            "keep one of them"
        ),
        Case(#"{"kind": "refresh", "\u006bind": 1, "x": {}}"#, "field-repeated", "kind", "keep one of them"),
        Case(#"{"a\"b": "\\", "a\u0022b": "c"}"#, "field-repeated", "a\"b", "keep one of them"),
        Case(
            #"{"x": {"x": 1, "x": 2}, "y": ["x", "x"], "kind": "\"x\": {\"kind\": "}"#,
            "field-unknown",
            "x",
            "write one of identifier"
        ),
        Case(#"{"kind": "refresh"}"#, "field-missing", "identifier", "add the field: write a string"),
        Case(#"{"identifier": 1, "kind": "refresh"}"#, "field-type", "identifier", "write a string"),
        Case(#"{"identifier": "a.b", "kind": ["refresh"]}"#, "field-type", "kind", "write a string"),
        Case(#"{"identifier": "a.b", "kind": null}"#, "field-null", "kind", "write a string"),
        Case(
            #"{"identifier": "a.b", "kind": "refresh", "payload": null}"#,
            "field-null",
            "payload",
            "leave the field out"
        ),
        Case(
            #"{"identifier": "a.b", "kind": "refresh", "requires_network": "yes"}"#,
            "field-type",
            "requires_network",
            "true or false"
        ),
        Case(
            #"{"identifier": "a.b", "kind": "refresh", "requires_network": 1}"#,
            "field-type",
            "requires_network",
            "true"
        ),
        Case(#"{"identifier": "started", "kind": "refresh"}"#, "identifier-invalid", "identifier", "reverse-DNS name"),
        Case(#"{"identifier": "a..b", "kind": "refresh"}"#, "identifier-invalid", "identifier", "remove the extra dot"),
        Case(#"{"identifier": "a.b", "kind": "event"}"#, "kind-unknown", "kind", "refresh, processing"),
        Case(#"{"identifier": "a.b", "kind": "Refresh"}"#, "kind-unknown", "kind", "write \"refresh\""),
        Case(
            #"{"identifier": "a.b", "kind": "refresh", "earliest_begin": "soon"}"#,
            "time-invalid",
            "earliest_begin",
            "3339"
        ),
        Case(#"{"identifier": "a.b", "kind": "refresh", "earliest_begin": 7}"#, "field-type", "earliest_begin", "3339"),
        Case(
            #"{"identifier": "a.b", "kind": "refresh", "earliest_begin": "2999-01-01T00:00:00Z"}"#,
            "time-invalid",
            "earliest_begin",
            "3339"
        ),
        Case(#"{"identifier": "a.b", "kind": "refresh", "payload": "%%%"}"#, "base64-invalid", "payload", "RFC 4648"),
        Case(#"{"identifier": "a.b", "kind": "refresh", "payload": "===="}"#, "base64-invalid", "payload", "padding"),
        Case(#"{"identifier": "a.b", "kind": "refresh", "payload": "AP8K="}"#, "base64-invalid", "payload", "padding"),
        Case(
            #"{"identifier": "a.b", "kind": "refresh", "payload": "\#(String(repeating: "AAAA", count: 21_846))"}"#,
            "payload-too-large",
            "payload",
            "only the path"
        ),
        Case(#"{"identifiers": []}"#, "identifier-missing", "identifiers", "at least one", to: .run),
        Case(#"{"identifiers": ["a.b", 7]}"#, "field-type", "identifiers[1]", "a string", to: .run),
        Case(#"{"identifiers": "a.b"}"#, "field-type", "identifiers", "a list", to: .run),
        Case(#"{"identifiers": ["a.b", "c d"]}"#, "identifier-invalid", "identifiers[1]", "remove it", to: .run),
        Case(#"{"identifier": ""}"#, "identifier-invalid", "identifier", "reverse-DNS", to: .simulateExpiration),
        Case(#"{"until": "2026-02-09T02:00:00Z"}"#, "time-invalid", "until", "8d ahead", to: .forecast),
        Case(#"{"until": "2026-01-31T01:48:00Z"}"#, "time-invalid", "until", "later time", to: .forecast),
        Case(#"{"limit": 1001}"#, "number-invalid", "limit", "from 1 to 1000", to: .forecast),
        Case(#"{"limit": 1.5}"#, "field-type", "limit", "a whole number", to: .forecast),
        Case("{}", "field-missing", "trusted_until_boot_ns", "a whole number", to: .leaseRenew),
        Case(
            #"{"trusted_for": 1, "trusted_until_boot_ns": 1}"#,
            "number-invalid",
            "trusted_for",
            "keep one of them",
            to: .leaseRenew
        ),
        Case(#"{"trusted_until_boot_ns": 1.5}"#, "field-type", "trusted_until_boot_ns", "a whole", to: .leaseRenew),
        Case(#"{"trusted_until_boot_ns": "1"}"#, "field-type", "trusted_until_boot_ns", "a whole", to: .leaseRenew),
        Case(
            #"{"trusted_until_boot_ns": -1}"#,
            "number-invalid",
            "trusted_until_boot_ns",
            "CLOCK_BOOTTIME",
            to: .leaseRenew
        ),
        Case(#"{"trusted_for": "30s"}"#, "field-type", "trusted_for", "a number", to: .leaseRenew),
        Case(#"{"trusted_for": -0.5}"#, "number-invalid", "trusted_for", "the seconds", to: .leaseRenew),
        Case(#"{"trusted_for": 86401}"#, "number-invalid", "trusted_for", "the seconds", to: .leaseRenew),
        Case(
            #"{"trusted_for": 1, "acknowledged": -1}"#,
            "number-invalid",
            "acknowledged",
            "0 for none",
            to: .leaseRenew
        ),
        Case(
            #"{"identifier": "a.b", "kind": "refresh", "claim": {"item": 1, "fence": 1, "bound": true}}"#,
            "field-missing",
            "claim",
            "POST /v1/tasks/batch"
        ),
        Case(#"{"conditions": {"network": 0}}"#, "field-type", "conditions.network", "true, false", to: .forecast),
        Case(#"{"conditions": {"nework": true}}"#, "field-unknown", "conditions.nework", "network", to: .forecast),
        Case(#"{"conditions": {}}"#, "condition-missing", "conditions", "leave the field out", to: .forecast),
        Case(
            #"{"policies": {"day_budget_ns": 0}}"#,
            "number-invalid",
            "policies.day_budget_ns",
            "from 1000000000",
            to: .forecast
        ),
        Case("{}", "condition-missing", nil, "one of external_power, network, idle", to: .simulateConditions),
        Case(#"{"network": 0}"#, "field-type", "network", "true, false or null", to: .simulateConditions),
        Case(
            #"{"locked_containers": ["a.b"]}"#,
            "field-type",
            "locked_containers",
            "an object with true, false or null for each",
            to: .simulateConditions
        ),
        Case(
            #"{"locked_containers": {"a.b": true, "a.c": "yes"}}"#,
            "field-type",
            "locked_containers.a.c",
            "true, false or null",
            to: .simulateConditions
        ),
        Case(
            #"{"locked_containers": {"a": true}}"#,
            "identifier-invalid",
            "locked_containers",
            "reverse-DNS",
            to: .simulateConditions
        ),
        Case(
            #"{"network": true, "locked_containers": {}}"#,
            "condition-missing",
            "locked_containers",
            "at least one",
            to: .simulateConditions
        ),
    ])
    func `a malformed request body is refused with sub-reason, field and remedy`(call: Case) throws {
        let refusal = try refusal(call)
        let error = refusal.reply.error
        #expect(refusal.status == 400 && error.code == "malformed")
        #expect(error.subReason == call.subReason && error.field == call.field)
        #expect(error.remedy?.contains(call.remedy) == true, "\(error.remedy ?? "no remedy")")
        if let field = call.field { #expect(error.message.contains(field)) }
        #expect(error.message.utf8.count < 200)
    }

    @Test(arguments: [
        ("limit=0", "query-invalid", "limit", "1 to 1000"), ("limit=many", "query-invalid", "limit", "whole number"),
        ("limit=1001", "query-invalid", "limit", "1000"), ("limit=", "query-invalid", "limit", "whole number"),
        ("after=-1", "query-invalid", "after", "at least 0"), ("before=0", "query-invalid", "before", "at least 1"),
        ("follow=yes", "query-invalid", "follow", "true or false"),
        ("claims=1", "query-invalid", "claims", "true or false"),
        ("launch=0", "query-invalid", "launch", "at least 1"),
        ("event=crashd", "query-invalid", "event", "\"crashed\""),
        ("blame=vendor", "query-invalid", "blame", "nobody, plugin, host, user, machine"),
        ("since=soon", "query-invalid", "since", "2h"), ("since=2", "query-invalid", "since", "2h"),
        ("since=-2h", "query-invalid", "since", "2h"), ("since=-99999999999999d", "query-invalid", "since", "2h"),
        ("plugin=feed", "identifier-invalid", "plugin", "reverse-DNS"),
        ("identifier=started", "identifier-invalid", "identifier", "reverse-DNS"),
        ("lmit=3", "query-unknown", "lmit", "\"limit\""), ("limit=3&limit=3", "query-repeated", "limit", "once"),
        ("=3", "query-unknown", "", "limit"), ("limit=%zz", "query-invalid", nil, "%25"),
    ])
    func `a malformed journal query is refused with sub-reason, field and remedy`(
        query: String,
        subReason: String,
        field: String?,
        remedy: String
    ) throws {
        let refusal = try #require(throws: RouteError.self) {
            try JournalQuery(reading: QueryParameters(query, of: .journal).value, now: Samples.now)
        }
        #expect(refusal.status == 400)
        #expect(refusal.reply.error.subReason == subReason && refusal.reply.error.field == field)
        #expect(refusal.reply.error.remedy?.contains(remedy) == true, "\(refusal.reply.error.remedy ?? "no remedy")")
    }

    @Test(arguments: [
        (Route.taskList, "limit=1001", "query-invalid", "limit", "1 to 1000"),
        (.taskList, "after=42", "query-invalid", "after", "\"next\""),
        (.taskList, "after=com.example.a/", "query-invalid", "after", "\"next\""),
        (.taskList, "after=com.example.a/1/2", "query-invalid", "after", "\"next\""),
        (.taskList, "after=", "query-invalid", "after", "first page"),
        (.taskList, "plugin=feed", "identifier-invalid", "plugin", "reverse-DNS"),
        (.taskList, "kind=refersh", "query-invalid", "kind", "\"refresh\""),
        (.taskList, "kind=refresh,", "query-invalid", "kind", "one of refresh, processing"),
        (.taskList, "kind=refresh&kind=event", "query-repeated", "kind", "once"),
        (.taskList, "kinds=refresh", "query-unknown", "kinds", "\"kind\""),
        (.pluginList, "limit=0", "query-invalid", "limit", "1 to 1000"),
        (.pluginList, "after=feed", "query-invalid", "after", "\"next\""),
        (.pluginList, "manifest=feed.yaml", "query-invalid", "manifest", "absolute path"),
        (.pluginList, "plugin=com.example.a", "query-unknown", "plugin", "limit, after, manifest"),
        (.scheduleList, "after=feed", "query-invalid", "after", "\"next\""),
        (.scheduleList, "after=1.5/com.example.a/com.example.a.b", "query-invalid", "after", "first page"),
        (.scheduleList, "kind=refresh", "query-unknown", "kind", "limit, after, plugin"),
        (.launchList, "limit=1001", "query-invalid", "limit", "1 to 1000"),
        (.launchList, "after=0", "query-invalid", "after", "\"next\""),
        (.transferList, "after=0", "query-invalid", "after", "\"next\""),
        (.transferList, "session=Photos", "query-invalid", "session", "lower-case"),
        (.transferList, "state=runing", "query-invalid", "state", "\"running\""),
        (.transferList, "kind=upload", "query-unknown", "kind", "limit, after, plugin, session, state"),
        (.logs, "before=1-2", "query-invalid", "before", "\"next\""),
        (.logs, "level=loud", "query-invalid", "level", "debug, info, warning"),
        (.logs, "until=soon", "query-invalid", "until", "RFC 3339"),
        (.launchList, "kind=refresh", "query-unknown", "kind", "limit, after, plugin"),
        (.taskCancel, "claim_item=71", "query-invalid", "claim_fence", "give both"),
        (.taskCancel, "claim_fence=3", "query-invalid", "claim_item", "give both"),
        (.taskCancel, "claim_item=0&claim_fence=3", "query-invalid", "claim_item", "of at least 1"),
        (.taskCancel, "claim_item=71&claim_fence=3.0", "query-invalid", "claim_fence", "whole number"),
        (.taskCancel, "claim=71", "query-unknown", "claim", "claim_item"),
    ])
    func `a malformed list query is refused with sub-reason, field and remedy`(
        route: Route,
        query: String,
        subReason: String,
        field: String,
        remedy: String
    ) throws {
        let refusal = try #require(throws: RouteError.self) {
            let parameters = try QueryParameters(query, of: route)
            switch route {
            case .taskList: _ = try TaskQuery(reading: parameters.value)
            case .pluginList: _ = try PluginQuery(reading: parameters.value)
            case .scheduleList: _ = try ScheduleQuery(reading: parameters.value)
            case .transferList: _ = try TransferQuery(reading: parameters.value)
            case .logs: _ = try LogQuery(reading: parameters.value, now: Samples.now)
            case .taskCancel: _ = try TaskCancelQuery(reading: parameters.value)
            default: _ = try LaunchQuery(reading: parameters.value)
            }
        }
        #expect(refusal.status == 400)
        #expect(refusal.reply.error.subReason == subReason && refusal.reply.error.field == field)
        #expect(refusal.reply.error.remedy?.contains(remedy) == true, "\(refusal.reply.error.remedy ?? "no remedy")")
    }

    @Test func `list queries of the client are parsed unchanged by the host, and the default limit is 100`() throws {
        let plugin = try Samples.plugin()
        let cursor = WorkCursor(plugin: plugin, number: SubmissionNumber(rawValue: 7))
        let tasks = TaskQuery(limit: 3, after: cursor, plugin: plugin, kinds: [.refresh, .event])
        let plugins = PluginQuery(limit: 3, after: .refused("/a b/c.yaml"), manifest: "/a&b.yaml")
        let launches = LaunchQuery(limit: 3, after: LaunchNumber(rawValue: 9), plugin: plugin)
        let schedule = ScheduleCursor(next: Samples.now, plugin: plugin, identifier: try Samples.task())
        let schedules = ScheduleQuery(limit: 3, after: schedule, plugin: plugin)
        func parameters(_ items: [(name: String, value: String)], _ route: Route) throws -> QueryParameters {
            let path = route.path(query: items)
            return try QueryParameters(path.firstIndex(of: "?").map { String(path[$0...].dropFirst()) }, of: route)
        }
        #expect(try TaskQuery(reading: parameters(tasks.items, .taskList).value) == tasks)
        #expect(try PluginQuery(reading: parameters(plugins.items, .pluginList).value) == plugins)
        #expect(try LaunchQuery(reading: parameters(launches.items, .launchList).value) == launches)
        #expect(try ScheduleQuery(reading: parameters(schedules.items, .scheduleList).value) == schedules)
        #expect(try ScheduleQuery(reading: { _ in nil }) == ScheduleQuery(limit: 100))
        let transfers = TransferQuery(
            limit: 3,
            after: SubmissionNumber(rawValue: 9),
            plugin: plugin,
            session: TransferSession("photos"),
            states: [.running, .failed]
        )
        #expect(try TransferQuery(reading: parameters(transfers.items, .transferList).value) == transfers)
        #expect(try TransferQuery(reading: { _ in nil }) == TransferQuery(limit: 100))
        let logs = LogQuery(
            limit: 3,
            before: LogPosition(at: Samples.now, launch: LaunchNumber(rawValue: 9), number: 2),
            isFollowing: true,
            plugin: plugin,
            launch: LaunchNumber(rawValue: 9),
            identifier: try Samples.task(),
            isPrevious: true,
            level: .warning,
            since: Samples.now,
            until: Samples.now,
            text: "a & b"
        )
        #expect(try LogQuery(reading: parameters(logs.items, .logs).value, now: Samples.now) == logs)
        #expect(try LogQuery(reading: { _ in nil }, now: Samples.now) == LogQuery(limit: 100))
        #expect(try TaskQuery(reading: { _ in nil }) == TaskQuery(limit: 100))
        #expect(try PluginQuery(reading: { _ in nil }) == PluginQuery(limit: 100))
        #expect(try LaunchQuery(reading: { _ in nil }) == LaunchQuery(limit: 100))
    }

    @Test func `the claim in the query of a cancellation is parsed unchanged, and may be left out`() throws {
        let query = TaskCancelQuery(claim: Claim.Key(item: 71, fence: .max))
        let path = Route.taskCancel.path("com.example.feed.clean", query: query.items)
        let text = try #require(path.split(separator: "?").last)
        let parameters = try QueryParameters(String(text), of: .taskCancel)
        #expect(try TaskCancelQuery(reading: parameters.value) == query)
        #expect(try TaskCancelQuery(reading: { _ in nil }).claim == nil && TaskCancelQuery().items.isEmpty)
    }

    @Test func `schedules without a next occurrence come after the others, and each cursor is parsed unchanged`() throws
    {
        let (plugin, task) = (try Samples.plugin(), try Samples.task())
        let other = try Samples.task("com.example.feed.zoom")
        let ordered = [
            ScheduleCursor(next: Samples.now, plugin: plugin, identifier: other),
            ScheduleCursor(next: Samples.now + .seconds(1), plugin: plugin, identifier: task),
            ScheduleCursor(next: nil, plugin: plugin, identifier: task),
            ScheduleCursor(next: nil, plugin: plugin, identifier: other),
        ]
        #expect(ordered.reversed().sorted() == ordered)
        #expect(ordered.map { ScheduleCursor(text: $0.text) } == ordered)
    }

    @Test(arguments: Route.allCases.filter(\.queryNames.isEmpty))
    func `an API route without query parameters refuses a query parameter, and the error names the parameter`(
        route: Route
    ) {
        let refusal = #expect(throws: RouteError.self) { try QueryParameters("a=b", of: route) }
        #expect(refusal?.reply.error.subReason == "query-unknown" && refusal?.reply.error.field == "a")
        #expect(throws: Never.self) { try QueryParameters("", of: route) }
    }

    @Test(arguments: ["zero", "0", "-1", "99999999999999999999", ""])
    func `an invalid launch number in a path is refused, and the error names the field 'number'`(text: String) {
        let refusal = #expect(throws: RouteError.self) { try LaunchNumber(validating: text) }
        #expect(refusal?.status == 400 && refusal?.reply.error.field == "number")
    }
}
