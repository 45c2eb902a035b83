// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Testing

@testable import PluginLaunch

extension LaunchTests {
    @Suite("The groups of launches get the controllers that the host's own control group has")
    struct DelegationTests {
        private static let all: Set = ["memory", "pids", "cpu", "io"]

        private func step(
            offered: Set<String> = all,
            enabled: Set<String> = [],
            members: Set<Int32>,
            isRoot: Bool = false
        ) -> ControlGroupState.Step {
            ControlGroupState(offered: offered, enabled: enabled, members: members).step(host: 7, isRoot: isRoot)
        }

        @Test
        func `a host alone in its control group moves out, and enables memory, pids, cpu and io as far as offered`() {
            #expect(step(members: [7]) == .moveAndEnable(["memory", "pids", "cpu", "io"]))
            #expect(step(offered: ["pids", "rdma"], members: [7]) == .moveAndEnable(["pids"]))
        }

        @Test func `a host that shares its control group with other processes leaves the group unchanged`() {
            #expect(step(members: [7, 8, 9]) == .leave(others: 2))
        }

        @Test func `in an empty control group and in the root group the host enables controllers without a move`() {
            #expect(step(members: []) == .enable(["memory", "pids", "cpu", "io"]))
            #expect(step(members: [1, 7, 8], isRoot: true) == .enable(["memory", "pids", "cpu", "io"]))
        }

        @Test func `without usable controllers, or with all of them enabled, the host's control group is not changed`()
        {
            #expect(step(offered: ["hugetlb"], members: [7]) == .none)
            #expect(step(enabled: ["cpu", "io", "memory", "pids"], members: [7, 8]) == .none)
        }

        @Test func `a control group's controllers and members are read from its files`() async throws {
            try await withScratch { directory in
                for (file, text) in [
                    ("cgroup.controllers", "cpu memory pids\n"), ("cgroup.subtree_control", "pids\n"),
                    ("cgroup.procs", "7\n1234\n"),
                ] {
                    try text.write(toFile: "\(directory)/\(file)", atomically: false, encoding: .utf8)
                }
                let expected = ControlGroupState(
                    offered: ["cpu", "memory", "pids"],
                    enabled: ["pids"],
                    members: [7, 1234]
                )
                #expect(ControlGroupParent.state(of: directory) == expected)
                #expect(expected.step(host: 1234, isRoot: false) == .leave(others: 1))
            }
        }
    }
}
