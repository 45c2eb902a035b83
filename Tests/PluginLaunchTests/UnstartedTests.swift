// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import RunnerWire
import TaskModel
import Testing

@testable import PluginLaunch

extension LaunchTests {
    @Suite("A failure of the runner before it loads the plugin is reported as a failure of the runner")
    struct UnstartedTests {
        private static func failure(_ message: RunnerMessage) -> String? {
            if case .sandboxFailed(let text) = message { text } else { nil }
        }

        @Test(.enabled(if: getuid() == 0)) func `a runner that can start no thread reports it, and exits with 4`()
            async throws
        {
            var plan = PlayedPlan(permitted: ["clean"], tasks: [PlayedPlan.task("clean")])
            // Not even the runner's own threads fit.
            (plan.user, plan.processLimit) = (712_345, 1)
            try await PlayedHost.with("Obedient", plan) { host in
                let message = await host.first(Self.failure)
                let beginning = "the launch ended before its plugin was loaded, and no attempt is charged: "
                #expect(message.hasPrefix(beginning + "no thread is available; "))
                #expect(await host.events.end(PlayedHost.launch).termination == .exited(code: 4))
                #expect(host.messages.count == 1)
            }
        }

        @Test func `a runner whose first message is no confinement reports it, and exits with 3`() async throws {
            let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            let runner = (own as NSString).deletingLastPathComponent + "/bgtask-runner"
            try await withScratch { directory in
                try await LaunchFixture.with(runner: runner, in: directory) { fixture in
                    fixture.launcher.take(for: 1)
                    _ = await fixture.events.ready(1)
                    try fixture.launcher.send(.stop, to: 1)
                    let message = await fixture.events.first { event in
                        if case .message(1, let message) = event { Self.failure(message) } else { nil }
                    }
                    #expect(message.contains("the host sent another message in place of a confinement; install"))
                    #expect(await fixture.events.end(1).termination == .exited(code: 3))
                }
            }
        }
    }
}
