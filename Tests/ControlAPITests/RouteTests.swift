// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Testing

@Suite("Both ends read one table of routes")
struct RouteTests {
    @Test(arguments: Route.allCases)
    func `every route is found again by what it builds`(route: Route) {
        let value = route.parameter.map { $0 == "number" ? "41" : "com.example.a%b/c d" }
        let found = Route.matching(method: route.method.rawValue, path: route.path(value, query: [("a", "b&c")]))
        #expect(found?.route == route)
        #expect(found?.value == value)
    }

    @Test func `no two routes share method and template`() {
        let places = Route.allCases.map { "\($0.method.rawValue) \($0.template)" }
        #expect(Set(places).count == Route.allCases.count)
    }

    @Test func `paths are what programs rely on`() {
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
    func `what is not in the table is not found`(method: String, path: String) {
        #expect(Route.matching(method: method, path: path) == nil)
    }

    @Test func `only a submission and a trigger make something new`() {
        #expect(Set(Route.allCases.filter { $0.successStatus == 201 }) == [.taskSubmit, .pluginTrigger])
    }
}

@Suite("Queries are read by their rules")
struct QueryTests {
    private func reading(_ values: [String: String]) -> (String) -> String? { { values[$0] } }

    @Test func `an absent query means the newest fifty`() throws {
        #expect(try JournalQuery(reading: { _ in nil }) == JournalQuery(after: nil, limit: 50, isFollowing: false))
        #expect(try LaunchQuery(reading: { _ in nil }) == LaunchQuery(limit: 50, plugin: nil))
    }

    @Test func `given values are taken`() throws {
        let journal = try JournalQuery(reading: reading(["after": "7", "limit": "3", "follow": "true"]))
        #expect(journal == JournalQuery(after: 7, limit: 3, isFollowing: true))
        let launches = try LaunchQuery(reading: reading(["limit": "1", "plugin": "a.b"]))
        #expect(launches == LaunchQuery(limit: 1, plugin: "a.b"))
    }

    @Test(arguments: [["limit": "0"], ["limit": "many"], ["after": "-1"], ["follow": "yes"], ["limit": "10001"]])
    func `a value against the rule is refused by name`(values: [String: String]) throws {
        let refusal = try #require(throws: ControlRefusal.self) {
            try JournalQuery(reading: { values[$0] })
        }
        #expect(refusal.status == 400)
        #expect(refusal.reply.error.subReason == "query-invalid")
        let (name, value) = try #require(values.first)
        #expect(refusal.reply.error.message.contains("\(name)=\(value)"))
    }
}
