// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginLaunch
import RunnerWire
import StatementTraits
import TaskModel
import Testing

extension LaunchTests {
    @Suite("A real runner moves the cursor of a task until the host ends the movements")
    struct CursorRunnerTests {
        @Test(.proves("C19"))
        func `a loop without durable checkpoints ends when the task of a newer request starts`() async throws {
            let task = PlayedPlan.task("com.example.countsforever.task", .processing)
            try await PlayedHost.with("CountsForever", PlayedPlan(permitted: ["task"], tasks: [task])) { host in
                _ = await host.first { if case .cursorWritten(task.id, _) = $0 { true } else { nil } }
                try host.send(.yieldCursor(task.id))
                #expect(await host.completion(of: task.id) == .failure)
                let end = try await host.stop()
                #expect(end.termination == .exited(code: 0))
                #expect(host.text("statuses.txt") == "for_each BGT_ENDED\n")
            }
        }
    }
}
