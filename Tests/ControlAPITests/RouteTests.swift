// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel
import Testing

@testable import ControlAPI

@Suite("Client and host share one table of routes")
struct RouteTests {
    @Test(arguments: Route.allCases)
    func `every API route matches the path that it builds, and finds the parameter in that path`(route: Route) {
        let value = route.parameter.map { $0 == "number" ? "41" : "com.example.a%b/c d" }
        let found = Route.matching(method: route.method.rawValue, path: route.path(value, query: [("a", "b&c")]))
        #expect(found?.route == route)
        #expect(found?.value == value)
    }

    @Test func `no two API routes share method and template`() {
        let places = Route.allCases.map { "\($0.method.rawValue) \($0.template)" }
        #expect(Set(places).count == Route.allCases.count)
    }

    @Test func `the paths of API routes for a task, a launch, the journal and a plugin keep their form`() {
        #expect(Route.taskWhy.path("com.example.a") == "/v1/tasks/com.example.a/why")
        #expect(Route.taskWhy.template == "/v1/tasks/{identifier}/why")
        #expect(Route.launchShow.path("41") == "/v1/launches/41")
        #expect(Route.launchShow.parameter == "number")
        #expect(Route.journal.path(query: [("after", "3"), ("follow", "true")]) == "/v1/journal?after=3&follow=true")
        #expect(Route.pluginTrigger.path("com.example.a") == "/v1/plugins/com.example.a/trigger")
        #expect(Route.pluginShow.path("a/../b") == "/v1/plugins/a%2F..%2Fb")
    }

    @Test(arguments: [
        ("GET", "/v1/tasks/a/b/why"), ("GET", "/v2/host"), ("POST", "/v1/host"), ("GET", "/v1/plugins/"), ("GET", "/"),
        ("GET", "/v1/plugins/%zz"), ("GET", "/v1/plugins/%f"), ("GET", ""),
    ])
    func `an unknown method or path matches no API route`(method: String, path: String) {
        #expect(Route.matching(method: method, path: path) == nil)
    }

    @Test func `only submissions, retries, triggers and pushes have the success status 201`() {
        let created: Set<Route> = [.taskSubmit, .taskRetry, .pluginTrigger, .pluginPush]
        #expect(Set(Route.allCases.filter { $0.successStatus == 201 }) == created)
    }
}

@Suite("Journal and launch queries follow their rules")
struct QueryTests {
    private func journal(_ query: String) throws -> JournalQuery {
        try JournalQuery(reading: QueryParameters(query, of: .journal).value, now: Samples.now)
    }

    @Test func `a journal or launch query without a limit has the limit 100`() throws {
        #expect(try journal("") == JournalQuery(after: nil, limit: 100, isFollowing: false))
        #expect(try LaunchQuery(reading: { _ in nil }) == LaunchQuery(limit: 100, plugin: nil))
    }

    @Test func `a journal or launch query takes its values from the query parameters`() throws {
        #expect(try journal("after=7&limit=3&follow=true") == JournalQuery(after: 7, limit: 3, isFollowing: true))
        let launches = try LaunchQuery(reading: QueryParameters("plugin=a.b&limit=1", of: .launchList).value)
        #expect(launches == LaunchQuery(limit: 1, plugin: try Samples.plugin("a.b")))
    }

    @Test func `every journal filter is encoded and parsed unchanged`() throws {
        let filter = JournalFilter(
            plugin: try Samples.plugin("a.b"),
            launch: LaunchNumber(rawValue: 41),
            label: "a.b.c",
            events: [.launch(.crashed), .replaced],
            blame: .plugin,
            since: Samples.now,
            hasClaim: true
        )
        let query = JournalQuery(after: 7, isFollowing: true, filter: filter)
        let path = Route.journal.path(query: query.items)
        #expect(try journal(String(path.split(separator: "?")[1])) == query)
    }

    @Test(arguments: [
        ("2h", -7200), ("1d12h", -129_600), ("0s", 0), ("2026-01-31T01:47:00Z", -60),
        ("2026-01-31T02:47:00+01:00", -60),
        ("2026-01-31T02%3A47%3A00%2B01%3A00", -60),
    ])
    func `the journal filter "since" accepts an instant or an age`(text: String, seconds: Int64) throws {
        #expect(try journal("since=\(text)").filter.since == Samples.now + .seconds(seconds))
    }

    @Test(arguments: ["99999999999999999999d", "106752d", "9999999h9999999h", "99999999999999999999.5h"])
    func `a journal filter "since" that is longer than 64 bits of nanoseconds selects from the earliest time`(
        text: String
    ) throws {
        #expect(try journal("since=\(text)").filter.since == WallTime(nanoseconds: .min))
    }

    @Test(arguments: ["-5min", "-99999999999999999999d", "000", "", "0.1ms", "yesterday"])
    func `a journal filter "since" that is neither a time nor a duration is refused`(text: String) throws {
        let refusal = #expect(throws: RouteError.self) { try journal("since=\(text)") }
        #expect(refusal?.reply.error.field == "since" && refusal?.reply.error.subReason == "query-invalid")
    }
}
