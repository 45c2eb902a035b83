// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import TaskModel
import Testing

@Suite(
    "A launch whose control group cannot be created runs and is journaled, unless isolation lists processes",
    .enabled(if: HostFixture.canMakeControlGroups)
)
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

    @Test(arguments: ["best-effort", "required"])
    func `with isolation best-effort or required a launch without control group runs; journal and host status name it`(
        isolation: String
    ) async throws {
        // An idle runner got its control group earlier.
        let setup = HostSetup(["idle-runners": "0", "isolation": isolation])
        try await HostFixture.with(setup, plugins: [.neighbour]) { host in
            try await host.started(.neighbour)
            try permit(false, host)
            try await host.runNeighbour()
            let entry = try await host.waitForJournal("the missing limits") { $0.event == "limits-missing" }
            #expect(entry.blame == "host" && entry.plugin == TestPlugin.neighbour.identifier && entry.launch != nil)
            for part in ["cannot create the control group", "with memory or processes in the list of isolation"] {
                #expect(entry.message.contains(part), "\(entry.message)")
            }
            let cause = try #require(try await memory(host))
            #expect(cause.contains("the last started launch has no control group"), "\(cause)")
            try permit(true, host)
            try await host.runNeighbour()
            #expect(try await memory(host)?.contains("last started launch") != true)
            #expect(try await host.journal().filter { $0.event == "limits-missing" }.count == 1)
        }
    }

    // Users of plugins enforce the guarantee where the kernel has no controller for it.
    @Test(.enabled(if: geteuid() == 0))
    func `with processes in isolation a launch without control group is not started; its task runs later, uncharged`()
        async throws
    {
        let flags = ["host-retry-delay": "20ms", "idle-runners": "0"]
        let setup = HostSetup(flags, configuration: ["isolation: [processes]"])
        try await HostFixture.with(setup, plugins: [.neighbour]) { host in
            try await host.started(.neighbour)
            try permit(false, host)
            let submission = try await host.submit(TestPlugin.neighbour.task())
            let line = try await host.waitForLog("the refused launch") { $0.contains("gets no control group") }
            #expect(line.contains("isolation requires one or both") && line.contains("Delegate=yes"), "\(line)")
            #expect(line.contains("or remove memory and processes from isolation"), "\(line)")
            #expect(try await host.client.tasks().pending.map(\.attempts) == [0])
            try permit(true, host)
            let end = try await host.outcome(of: submission)
            #expect(end.event == "succeeded", "\(end)")
            let blamed = try await host.journal().filter { $0.blame == "plugin" || $0.event == "limits-missing" }
            #expect(blamed.isEmpty, "\(blamed)")
        }
    }
}
