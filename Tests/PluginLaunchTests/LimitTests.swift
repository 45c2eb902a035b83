// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import LinuxSystem
import TaskModel
import Testing

@testable import PluginLaunch

extension LaunchTests {
    @Suite("A control group limits the resources of its launch with the controllers that it has")
    struct LimitTests {
        private static let all: Set = ["memory", "pids", "cpu"]
        private static let limited = LaunchResources(
            limits: PluginLimits(memory: 64 << 20, processes: 40),
            isBackground: true
        )

        private func files(_ resources: LaunchResources, _ controllers: Set<String>) -> [String: String] {
            let settings = ControlGroup.settings(resources, controllers: controllers)
            return Dictionary(uniqueKeysWithValues: settings.map { ($0.file, $0.value) })
        }

        @Test func `limits of memory and processes and the weight of a background launch have the kernel's formats`() {
            #expect(
                files(Self.limited, Self.all) == [
                    "memory.max": "67108864", "memory.swap.max": "0", "memory.oom.group": "1", "pids.max": "40",
                    "cpu.weight": "20",
                ]
            )
        }

        @Test func `a launch without limits that is not a background launch gets no settings of its control group`() {
            #expect(files(LaunchResources(limits: .none, isBackground: false), Self.all).isEmpty)
        }

        @Test func `the settings of a control group leave out a limit without its controller`() {
            #expect(files(Self.limited, []).isEmpty)
            #expect(files(Self.limited, ["pids"]) == ["pids.max": "40"])
        }

        @Test func `the memory and process limits of a control group are written although its swap file is missing`()
            async throws
        {
            try await withScratch { directory in
                for file in ["memory.max", "memory.oom.group", "pids.max", "cpu.weight"] {
                    try "max\n".write(toFile: "\(directory)/\(file)", atomically: false, encoding: .utf8)
                }
                try ControlGroup(path: directory).apply(Self.limited, controllers: Self.all)
                #expect(FileBytes.text("\(directory)/memory.max") == "67108864")
                #expect(FileBytes.text("\(directory)/pids.max")?.hasPrefix("40") == true)
                #expect(!FileManager.default.fileExists(atPath: "\(directory)/memory.swap.max"))
            }
        }

        @Test func `a limit that cannot be written is an error with its file`() async throws {
            try await withScratch { directory in
                let error = #expect(throws: SystemError.self) {
                    try ControlGroup(path: directory).apply(Self.limited, controllers: Self.all)
                }
                #expect(error.map { "\($0)" }?.contains("write 67108864 to \(directory)/memory.max") == true)
            }
        }

        @Test func `the controllers of a control group are read from its list`() async throws {
            try await withScratch { directory in
                #expect(ControlGroupParent.controllers(in: directory).isEmpty)
                let list = "\(directory)/cgroup.subtree_control"
                try "cpu memory pids\n".write(toFile: list, atomically: false, encoding: .utf8)
                #expect(ControlGroupParent.controllers(in: directory) == Self.all)
            }
        }

        @Test(.enabled(if: StaleTests.canMakeGroups)) func `a launcher reports the controllers that its groups have`()
            async throws
        {
            try await LaunchFixture.with(groups: .detected, runner: "wait_for_end();") { fixture in
                fixture.launcher.take(for: 1)
                let group = try #require(await fixture.events.ready(1).controlGroup)
                let parent = URL(fileURLWithPath: group).deletingLastPathComponent().path
                #expect(fixture.launcher.controllers == ControlGroupParent.controllers(in: parent))
                fixture.launcher.limit(1, Self.limited)
                fixture.launcher.kill(1)
                #expect(await fixture.events.end(1).wasKilled)
            }
            try await LaunchFixture.with(groups: .none, runner: "return 0;") { fixture in
                #expect(fixture.launcher.controllers == nil)
            }
        }
    }
}
