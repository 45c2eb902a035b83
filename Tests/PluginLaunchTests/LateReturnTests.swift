// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginLaunch
import RunnerWire
import StatementTraits
import TaskModel
import Testing

extension LaunchTests {
    @Suite("The end of a launch waits for callbacks that still work")
    struct LateReturnTests {
        @Test(.proves("BGT-ABI-13"))
        func `stop is called after the return of a handler and an expiration handler that outlast their completions`()
            async throws
        {
            let names = ["task", "waits"]
            let tasks = names.enumerated().map {
                PlayedPlan.task("com.example.worksaftercompletion.\($0.element)", index: $0.offset)
            }
            try await PlayedHost.with("WorksAfterCompletion", PlayedPlan(permitted: names, tasks: tasks)) { host in
                _ = await host.first { if case .entered = $0 { true } else { nil } }
                try host.send(.expire([tasks[1].id], .budget))
                for task in tasks { #expect(await host.completion(of: task.id) == .success) }
                let end = try await host.stop()
                #expect(end.termination == .exited(code: 0))
                let lines = host.messages.compactMap { if case .log(_, _, let line) = $0 { line } else { nil } }
                #expect(lines == ["stop after 1 handler, 1 expiration handler, 1 release"])
                #expect(host.violations == [])
            }
        }
    }
}
