// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import HostTestKit
import StatementTraits
import TaskModel
import Testing

@Suite("Legacy fetch arrives in the interval that a plugin set, only without permitted identifiers", .proves(84))
struct FetchTests {
    private static let quick = HostSetup(["minimum-fetch-interval": "1s"])

    private static func fetches(_ interval: String, tasks: [String] = [], modes: [String] = ["fetch"]) -> TestPlugin {
        var plugin = TestPlugin("Fetches", tasks: tasks)
        plugin.modes = modes
        plugin.settings = ["interval": interval]
        return plugin
    }

    private func fetch(of plugin: TestPlugin, on host: HostFixture, after start: Int64 = 0) async throws -> JournalLine
    {
        let identifier = plugin.identifier
        return try await host.waitForJournal("a fetch of \(identifier)", after: start) {
            $0.plugin == identifier && $0.task == "fetch" && TaskOutcome(rawValue: $0.event) != nil
        }
    }

    @Test(.proves(84))
    func `a plugin with a fetch interval of one second receives two fetches, in separate event launches`()
        async throws
    {
        let plugin = Self.fetches("1")
        try await HostFixture.with(Self.quick, plugins: [.neighbour, plugin]) { host in
            let first = try await fetch(of: plugin, on: host)
            #expect(first.event == "no-data" && first.blame == "nobody")
            let second = try await fetch(of: plugin, on: host, after: first.number)
            #expect(second.event == "no-data" && second.launch != first.launch)
            #expect(host.containerText(plugin, "fetched.txt").hasPrefix("com.example.fetches\ncom.example.fetches\n"))
            let shown = try await host.client.launch(LaunchNumber(rawValue: try #require(second.launch)))
            #expect(shown.lane == "event")
            try await host.runNeighbour()
        }
    }

    @Test(.proves(84)) func `the fetch interval survives a restart of the host, without another call by the plugin`()
        async throws
    {
        let plugin = Self.fetches("1")
        try await HostFixture.with(Self.quick, plugins: [plugin]) { host in
            _ = try await fetch(of: plugin, on: host)
            var silent = plugin
            silent.settings = [:]
            try await host.stop()
            try host.directory.write(silent.manifest.utf8, to: silent.manifestFile)
            try await host.restart()
            let end = try await host.journalEnd()
            #expect(try await fetch(of: plugin, on: host, after: end).event == "no-data")
        }
    }

    @Test(.proves(6)) func `a plugin with permitted identifiers may not set a fetch interval`() async throws {
        let plugin = Self.fetches("1", tasks: ["task"])
        try await HostFixture.with(plugins: [plugin]) { host in
            let started = try await host.started(plugin)
            #expect(started.event == "no-data")
            #expect(host.containerText(plugin, "statuses.txt") == "BGT_NOT_PERMITTED\n")
        }
    }

    @Test(.proves(84)) func `a plugin without the mode fetch may not set a fetch interval`() async throws {
        let plugin = Self.fetches("1", modes: [])
        try await HostFixture.with(plugins: [plugin]) { host in
            let started = try await host.started(plugin)
            #expect(started.event == "no-data")
            #expect(host.containerText(plugin, "statuses.txt") == "BGT_NOT_PERMITTED\n")
        }
    }

    @Test(.proves(84)) func `a plugin that sets no fetch interval receives no fetch while another plugin receives two`()
        async throws
    {
        var silent = TestPlugin("Fetches", tasks: [])
        silent.modes = ["fetch"]
        // Another plugin fetches meanwhile, so that there was time for a fetch.
        var other = TestPlugin("Fetches2", tasks: [])
        other.library = .compiled("Fetches")
        other.modes = ["fetch"]
        other.settings = ["interval": "1"]
        try await HostFixture.with(Self.quick, plugins: [silent, other]) { host in
            let first = try await fetch(of: other, on: host)
            _ = try await fetch(of: other, on: host, after: first.number)
            #expect(host.containerText(silent, "fetched.txt").isEmpty)
            #expect(try await host.journal().allSatisfy { $0.plugin != silent.identifier || $0.task != "fetch" })
        }
    }
}
