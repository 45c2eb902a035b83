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

    @Test func `a killed idle runner is no launch: the journal has no entry for it, and the next launch succeeds`()
        async throws
    {
        try await HostFixture.with { host in
            try await host.started(.neighbour)
            try await host.runNeighbour()
            try await host.waitUntilIdle(2)
            let idle = host.runnerProcesses()
            for process in idle { kill(process, SIGKILL) }
            try await withDeadline(waitingFor: "the host to reap its idle runners") {
                while idle.contains(where: { kill($0, 0) == 0 }) {
                    try Task.checkCancellation()
                    await Task.yield()
                }
            }
            let end = try await host.outcome(of: host.submit(TestPlugin.neighbour.task()))
            #expect(end.event == "succeeded")
            let ends = try await host.client.launches(limit: 10).launches.map(\.outcome)
            #expect(ends.allSatisfy { $0 == "completed" || $0 == nil })
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
