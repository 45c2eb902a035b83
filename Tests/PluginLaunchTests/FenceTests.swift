// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginLaunch
import RunnerWire
import TaskModel
import Testing

extension LaunchTests {
    @Suite("A real runner hands the item and the fence of a claim to the plugin")
    struct FenceTests {
        private static let name = "com.example.reportsfence"

        @Test func `a plugin reads item and fence of each claimed task of its batch, and 0 of a task without a claim`()
            async throws
        {
            let tasks = [
                PlayedPlan.task("\(Self.name).one", index: 0, claim: Claim(item: 71, fence: 3, isBound: false)),
                PlayedPlan.task("\(Self.name).two", index: 1, claim: Claim(item: .max, fence: .max, isBound: true)),
                PlayedPlan.task("\(Self.name).three", index: 2),
            ]
            let plan = PlayedPlan(permitted: ["one", "two", "three"], tasks: tasks)
            try await PlayedHost.with("ReportsFence", plan) { host in
                await host.logged("\(Self.name).one: item 71, fence 3")
                await host.logged("\(Self.name).two: item \(Int64.max), fence \(Int64.max)")
                await host.logged("\(Self.name).three: item 0, fence 0")
                for task in tasks { #expect(await host.completion(of: task.id) == .success) }
                let end = try await host.stop()
                #expect(end.termination == .exited(code: 0))
            }
        }
    }
}
