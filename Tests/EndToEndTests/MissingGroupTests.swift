// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import TaskModel
import Testing

@Suite("A launch whose control group cannot be created", .enabled(if: HostFixture.canMakeControlGroups))
struct MissingGroupTests {
    /// Sets whether the host can create control groups.
    private func permit(_ isPermitted: Bool, _ host: HostFixture) throws {
        let parent = try #require(host.controlGroups().first)
        let limit = isPermitted ? "max" : "0"
        try Data(limit.utf8).write(to: URL(filePath: parent + "/cgroup.max.descendants"))
    }

    private func memory(_ host: HostFixture) async throws -> String? {
        try await host.client.host().isolation.guarantees.first { $0.name == "memory" }?.notEnforced
    }

    @Test func `by default the launch runs, is journaled, and host status names the missing limit and its cause`()
        async throws
    {
        // An idle runner got its control group earlier.
        try await HostFixture.with(HostSetup(["idle-runners": "0"]), plugins: [.neighbour]) { host in
            try await host.started(.neighbour)
            try permit(false, host)
            try await host.runNeighbour()
            let entry = try await host.waitForJournal("the missing limits") { $0.event == "limits-missing" }
            #expect(entry.blame == "host" && entry.plugin == TestPlugin.neighbour.identifier && entry.launch != nil)
            #expect(entry.message.contains("cannot create the control group"), "\(entry.message)")
            let cause = try #require(try await memory(host))
            #expect(cause.contains("the last started launch has no control group"), "\(cause)")
            try permit(true, host)
            try await host.runNeighbour()
            #expect(try await memory(host)?.contains("last started launch") != true)
            #expect(try await host.journal().filter { $0.event == "limits-missing" }.count == 1)
        }
    }

    @Test func `with isolation required the launch is not started, and its task runs uncharged when it can be`()
        async throws
    {
        let setup = HostSetup(["isolation": "required", "host-retry-delay": "20ms", "idle-runners": "0"])
        try await HostFixture.with(setup, plugins: [.neighbour]) { host in
            try await host.started(.neighbour)
            try permit(false, host)
            let submission = try await host.submit(TestPlugin.neighbour.task())
            let line = try await host.waitForLog("the refused launch") { $0.contains("gets no control group") }
            #expect(line.contains("isolation requires them") && line.contains("Delegate=yes"), "\(line)")
            #expect(try await host.client.tasks().pending.map(\.attempts) == [0])
            try permit(true, host)
            let end = try await host.outcome(of: submission)
            #expect(end.event == "succeeded", "\(end)")
            let blamed = try await host.journal().filter { $0.blame == "plugin" || $0.event == "limits-missing" }
            #expect(blamed.isEmpty, "\(blamed)")
        }
    }
}
