// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Glibc
import HostTestKit
import TaskModel
import Testing

@Suite("A host starts runners in advance of launches")
struct IdleRunnerTests {
    @Test func `after a launch two runners wait for a plan, and the next launch runs in one of them`() async throws {
        try await HostFixture.with { host in
            try await host.started(.neighbour)
            try await host.runNeighbour()
            try await host.waitUntilIdle(2)
            let idle = host.runnerProcesses()
            #expect(idle.count == 2)
            let end = try await host.outcome(of: host.submit(TestPlugin.neighbour.task()))
            let launch = try await host.client.launch(LaunchNumber(rawValue: try #require(end.launch)))
            #expect(end.event == "succeeded" && idle.contains(launch.pid))
        }
    }

    @Test func `a launch in a main bundle starts a runner of its own and leaves the idle runners`() async throws {
        var plugin = TestPlugin("Recorder", tasks: ["processing1"])
        plugin.manifestLines = ["main-bundle: true"]
        try await HostFixture.with(plugins: [.neighbour, plugin]) { host in
            try await host.started(.neighbour)
            try await host.started(plugin)
            try await host.runNeighbour()
            try await host.waitUntilIdle(2)
            let idle = Set(host.runnerProcesses())
            let end = try await host.outcome(of: host.submit(plugin.task()))
            let launch = try await host.client.launch(LaunchNumber(rawValue: try #require(end.launch)))
            #expect(end.event == "succeeded" && !idle.contains(launch.pid))
            try await host.waitUntilIdle(2)
            #expect(Set(host.runnerProcesses()) == idle)
        }
    }

    @Test func `a killed idle runner is no launch: the journal has no entry for it, and the next launch succeeds`()
        async throws
    {
        try await HostFixture.with { host in
            try await host.started(.neighbour)
            try await host.runNeighbour()
            try await host.waitUntilIdle(2)
            let idle = host.runnerProcesses()
            let before = try await host.journalEnd()
            for process in idle { kill(process, SIGKILL) }
            try await withDeadline(waitingFor: "the host to reap its idle runners") {
                while idle.contains(where: { kill($0, 0) == 0 }) {
                    try Task.checkCancellation()
                    await Task.yield()
                }
            }
            // Recorded in order: the journal has the entry of a killed process, if any, before those of a later launch.
            let end = try await host.outcome(of: host.submit(TestPlugin.neighbour.task()))
            #expect(end.event == "succeeded")
            let entries = try await host.wholeJournal(after: before)
            #expect(entries.allSatisfy { $0.submission == end.submission || $0.launch == end.launch }, "\(entries)")
            let ends = try await host.client.launches(limit: 10).launches.map(\.outcome)
            #expect(ends.allSatisfy { $0 == "completed" || $0 == nil })
        }
    }

    @Test func `a host that starts while memory is short keeps no idle runner until memory is no longer short`()
        async throws
    {
        try await HostFixture.with(HostSetup(["low-memory": "true"])) { host in
            // An event is launched while memory is short.
            let start = try await host.started(.neighbour)
            _ = try await host.end(ofLaunch: try #require(start.launch))
            #expect(try await host.client.host().idleRunners.waiting == 0)
            #expect(host.runnerProcesses().isEmpty)
            _ = try await host.client.simulateConditions(ConditionsSimulation([.lowMemory: .holds(false)]))
            try await host.waitUntilIdle(2)
        }
    }
}

extension HostFixture {
    /// Waits until that number of runners wait for a plan, and no launch runs.
    fileprivate func waitUntilIdle(_ count: Int) async throws {
        try await withDeadline(waitingFor: "\(count) idle runners") { [self] in
            while true {
                let status = try await client.host()
                if status.counts.runningLaunches == 0, status.idleRunners.waiting == count { return }
                try Task.checkCancellation()
            }
        }
    }
}
