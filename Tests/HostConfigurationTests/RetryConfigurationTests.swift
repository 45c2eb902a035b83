// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import HostTestKit
import Scheduling
import TaskModel
import Testing

@testable import HostConfiguration

@Suite("The operator accepts, overrides or refuses the retries of failed tasks")
struct RetryConfigurationTests {
    private func read(_ retry: String) async throws -> (choices: RetryChoices?, problems: [String]) {
        try await ScratchDirectory.with { directory in
            let file = try directory.write("plugins: { com.example.feed: { \(retry) } }".utf8, to: "bgtaskd.yaml")
            let reading = try HostFlags.parse(["--user", "--config", file]).read()
            let plugin = try #require(PluginIdentifier("com.example.feed"))
            return (reading.configuration.scheduling.plugins[plugin]?.retries, reading.problems)
        }
    }

    private func permitted(_ text: String) throws -> PermittedIdentifier { try #require(PermittedIdentifier(text)) }

    @Test func `without the key, and with the word refuse, retries are refused`() async throws {
        #expect(try await read("enabled: true").choices == RetryChoices(.refuse))
        #expect(try await read("retry: refuse").choices == RetryChoices(.refuse))
    }

    @Test func `the word accept accepts every proposal`() async throws {
        let read = try await read("retry: accept")
        #expect(read.choices == RetryChoices(.accept) && read.problems.isEmpty)
    }

    @Test func `a mapping decides for single identifiers and patterns, and refuses the others`() async throws {
        let read = try await read(
            """
            retry: { com.example.feed.a: accept, com.example.feed.b: refuse, \
            com.example.feed.c: { attempts: 5, delay: 10min }, com.example.feed.d.*: {} }
            """
        )
        let own: [PermittedIdentifier: RetryChoices.Choice] = [
            try permitted("com.example.feed.a"): .accept, try permitted("com.example.feed.b"): .refuse,
            try permitted("com.example.feed.c"): .override(.init(attempts: 5, delay: .seconds(600))),
            try permitted("com.example.feed.d.*"): .override(.init()),
        ]
        #expect(read.problems.isEmpty && read.choices == RetryChoices(.refuse, own: own))
    }

    @Test(arguments: [
        ("retry: always", "is \"always\", which is not one of accept, refuse"),
        ("retry: { com.example.feed.a: always }", "write accept, refuse, or terms such as { attempts: 3, delay"),
        ("retry: { com.example.feed.a: { attempts: 1 } }", "is 1, which is not between 2 and 100"),
        ("retry: { com.example.feed.a: { delay: 2d } }", "is 2d, which is not between 1s and 1d"),
        ("retry: { com.example.feed.a: { pause: 2d } }", "is not a known key"),
        ("retry: { com..a: accept }", "write an identifier that the plugin's manifest permits"),
    ])
    func `an invalid decision about retries is refused with key, rule and remedy`(
        retry: String,
        problem: String
    ) async throws {
        let read = try await read(retry)
        #expect(read.problems.count == 1 && read.problems.first?.contains("plugins.com.example.feed.retry") == true)
        #expect(read.problems.first?.contains(problem) == true, "\(read.problems)")
    }

    @Test func `a changed decision about retries applies at a reload`() throws {
        let plugin = try #require(PluginIdentifier("com.example.feed"))
        let present = HostConfiguration(paths: .system, processors: 1)
        var new = present
        new.scheduling.plugins[plugin] = PluginPolicy()
        new.scheduling.plugins[plugin]?.retries = RetryChoices(.accept)
        let reload = present.reloaded(as: new)
        #expect(reload.applied == ["plugins.com.example.feed"])
        #expect(reload.configuration.scheduling.plugins[plugin]?.retries == RetryChoices(.accept))
    }
}
