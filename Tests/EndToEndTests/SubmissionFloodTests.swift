// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import HostTestKit
import TaskModel
import Testing

@Suite("Plugins that flood the host with submissions slow down only their own launches")
struct SubmissionFloodTests {
    /// A plugin whose launch submits without pause until it ends. Its budget is ten minutes.
    private static func flooder(_ name: String) -> TestPlugin {
        var plugin = TestPlugin(name, policy: ["budgets: { processing: 10min }", "grace-period: 200ms"])
        plugin.library = .compiled("FloodsSubmissions")
        plugin.settings = ["task": plugin.task()]
        return plugin
    }

    @Test(.timeLimit(.minutes(30)))
    func `under two submission floods another task succeeds, an overrunning one is killed; the host grows < 48 MiB`()
        async throws
    {
        let flooders = [Self.flooder("FloodsSubmissions"), Self.flooder("FloodsSubmissionsToo")]
        let deaf = TestPlugin("Deaf", policy: ["budgets: { processing: 3s }", "grace-period: 200ms"])
        try await HostFixture.with(plugins: [.neighbour, deaf] + flooders) { host in
            for flooder in flooders {
                _ = try await host.submit(flooder.task())
                try await host.waitForLog("the flood of \(flooder.identifier)") {
                    $0.contains("the flood begins") && $0.contains("plugin=\(flooder.identifier) ")
                }
            }
            let before = try host.residentKilobytes()

            let recorded = try await host.journalEnd()
            let submission = try await host.submit(deaf.task())
            let launch = try await host.launch(of: deaf)
            #expect(try await host.client.host().counts.runningLaunches >= 2)
            let neighbour = try await host.submit(TestPlugin.neighbour.task())
            #expect(try await host.outcome(of: neighbour, after: recorded).event == "succeeded")
            let end = try await host.outcome(of: submission, after: recorded)
            #expect(end.event == "overran" && end.launch == launch.number, "\(end)")
            #expect(!host.runnerProcesses().contains(launch.pid))

            #expect(try await host.running(of: flooders).count == flooders.count)
            let growth = try host.residentKilobytes() - before
            #expect(growth < 48 * 1_024, "the host grew by \(growth) kB")

            for flooder in flooders {
                let number = try await host.launch(of: flooder).number
                let violation = try await host.violation(in: number)
                #expect(
                    violation.names(flooder, rule: "more than 16 calls", remedy: "do not touch descriptors"),
                    "\(violation)"
                )
            }
            for flooder in flooders { try await host.expireOnceEntered(flooder.task()) }
            while try await !host.running(of: flooders).isEmpty { await Task.yield() }
            for flooder in flooders { _ = try await host.client.cancel(host.identifier(flooder.task())) }
        }
    }
}

extension HostFixture {
    fileprivate func running(of plugins: [TestPlugin]) async throws -> [TaskListReply.Running] {
        let names = Set(plugins.map(\.identifier))
        return try await client.tasks().running.filter { names.contains($0.plugin) }
    }
}
