// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LocatedYAML
import PluginCatalogue
import TaskModel
import Testing

@Suite("A manifest proposes retries of failed tasks by permitted identifier")
struct RetryTests {
    private static let head = """
        background-modes: [processing]
        permitted-identifiers: [com.example.feed.a, com.example.feed.export.*]
        """

    private func yaml(_ retry: String) -> String { PluginCatalogueTests.yaml(Self.head + "\n" + retry) }

    private func permitted(_ text: String) throws -> PermittedIdentifier { try #require(PermittedIdentifier(text)) }

    @Test func `the values of a proposal are read, and missing ones have the defaults`() throws {
        let reading = read(
            yaml(
                """
                retry:
                  com.example.feed.a: { attempts: 5, delay: 30s, backoff: 3, jitter: 0 }
                  com.example.feed.export.*: {}
                  com.example.feed.export.album: { attempts: 2 }
                """
            )
        )
        #expect(reading.problems.isEmpty)
        #expect(
            reading.manifest?.retries == [
                try permitted("com.example.feed.a"):
                    FailureRetry(attempts: 5, delay: .seconds(30), backoff: 3, jitter: 0),
                try permitted("com.example.feed.export.*"): FailureRetry(),
                try permitted("com.example.feed.export.album"): FailureRetry(attempts: 2),
            ]
        )
        #expect(read(yaml("")).manifest?.retries == [:])
    }

    @Test func `a proposal for an identifier that is not permitted is refused with the nearest permitted one`() throws {
        let problem = try #require(read(yaml("retry: { com.example.feed.b: {} }")).problems.first)
        #expect(problem.short == "6 retry.com.example.feed.b retry")
        #expect(problem.remedy == "write \"com.example.feed.a\"")
    }

    @Test(arguments: [
        ("{ a..b: {} }", "6 retry.a..b identifier"), ("[com.example.feed.a]", "6 retry wrong-type"),
        ("{ com.example.feed.a: 3 }", "6 retry.com.example.feed.a wrong-type"),
        ("{ com.example.feed.a: { attempts: 1 } }", "6 retry.com.example.feed.a.attempts wrong-value"),
        ("{ com.example.feed.a: { attempts: 101 } }", "6 retry.com.example.feed.a.attempts wrong-value"),
        ("{ com.example.feed.a: { delay: 2d } }", "6 retry.com.example.feed.a.delay wrong-value"),
        ("{ com.example.feed.a: { delay: 5 } }", "6 retry.com.example.feed.a.delay wrong-type"),
        ("{ com.example.feed.a: { backoff: 0 } }", "6 retry.com.example.feed.a.backoff wrong-value"),
        ("{ com.example.feed.a: { jitter: 101 } }", "6 retry.com.example.feed.a.jitter wrong-value"),
        ("{ com.example.feed.a: { pause: 1s } }", "6 retry.com.example.feed.a.pause unknown-key"),
    ])
    func `an invalid proposal is refused with its place`(retry: String, problem: String) {
        let reading = read(yaml("retry: \(retry)"))
        #expect(reading.problems.map(\.short) == [problem] && reading.manifest == nil)
    }

    @Test func `an extension proposes no retries`() {
        let text = "role: extension\ncontaining-plugin: com.example\nretry: { com.example.feed.a: {} }"
        #expect(found(PluginCatalogueTests.yaml(text)) == ["6 retry role"])
    }

    @Test func `a bound function can have a proposal`() {
        let lines = """
            background-modes: [processing]
            permitted-identifiers: [com.example.feed.a]
            handlers: [{ identifier: com.example.feed.a, symbol: a, arguments: [cancel-flag], returns: void }]
            retry: { com.example.feed.a: { attempts: 2 } }
            """
        let reading = read(PluginCatalogueTests.yaml(lines))
        #expect(reading.problems.isEmpty && reading.manifest?.retries.count == 1)
    }
}
