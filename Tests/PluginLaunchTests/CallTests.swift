// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import PluginLaunch
import RunnerWire
import TaskModel
import Testing

extension LaunchTests {
    @Suite("A real runner answers every call of its plugin correctly until the end of the launch")
    struct CallTests {
        private static let task = TaskID(launch: PlayedHost.launch, index: 0)

        private func plan(of plugin: String, _ settings: [String: String] = [:], gracePeriod: Duration) -> PlayedPlan {
            PlayedPlan(
                permitted: ["task"],
                settings: settings,
                gracePeriod: gracePeriod,
                tasks: [PlayedPlan.task("com.example.\(plugin.lowercased()).task")]
            )
        }

        private func with(
            _ plugin: String,
            _ settings: [String: String] = [:],
            gracePeriod: Duration = .seconds(60),
            _ body: (PlayedHost) async throws -> Void
        ) async throws {
            try await PlayedHost.with(plugin, plan(of: plugin, settings, gracePeriod: gracePeriod)) { host in
                #expect(await host.completion(of: Self.task) == .success)
                try await body(host)
                #expect(await host.events.end(PlayedHost.launch).termination == .exited(code: 0))
                #expect(host.violations == [])
            }
        }

        @Test(arguments: ["handler", "thread"])
        func `submissions after the last completion are answered although the host's stop message came first`(
            from: String
        ) async throws {
            try await with("SubmitsAfterwards", ["from": from, "times": "3"]) { host in
                let first = try #require(await host.call(1))
                try host.send(.stop)
                try host.answer(first)
                for number in 2...3 as ClosedRange<UInt64> {
                    try host.answer(try #require(await host.call(number), "the launch ended"))
                }
                await host.events.end(PlayedHost.launch)
                #expect(host.text("statuses.txt") == "BGT_OK\nBGT_OK\nBGT_OK\n")
            }
        }

        @Test func `a thread started by the handler can submit while the host's stop message arrives`()
            async throws
        {
            try await with("SubmitsAfterwards", ["from": "later-thread"]) { host in
                try host.send(.stop)
                try host.answer(try #require(await host.call(1), "the launch ended"))
                await host.events.end(PlayedHost.launch)
                #expect(host.text("statuses.txt") == "BGT_OK\n")
            }
        }

        @Test func `a launch whose calls all came from its handler's thread ends without a quiet period`() async throws
        {
            var fastest = Duration.seconds(60)
            // The fastest of five runs: the machine is busy during tests.
            for _ in 0..<5 {
                try await with("SubmitsAfterwards", ["times": "0"]) { host in
                    let stopped = PlayedHost.now()
                    _ = try await host.stop()
                    fastest = min(fastest, PlayedHost.now() - stopped)
                }
            }
            #expect(fastest < .milliseconds(200))
        }

        @Test func `a plugin that never stops calling is ended, and no call that reached the host returns BGT_ENDED`()
            async throws
        {
            let gracePeriod = Duration.seconds(60)
            try await with("CallsWithoutEnd", gracePeriod: gracePeriod) { host in
                let withheld = try #require(await host.call(1))
                try host.send(.stop)
                let stopped = PlayedHost.now()
                // The other calls are answered until one of them returns that the launch has ended.
                var answered = 0
                while SubmissionCounts(host).ended == 0 {
                    let others = host.calls.filter { $0.call != withheld.call }
                    for call in others.dropFirst(answered) { try host.answer(call) }
                    answered = others.count
                    await Task.yield()
                }
                // The withheld answer has kept the process alive so far.
                try host.answer(withheld)
                await host.events.end(PlayedHost.launch)
                #expect(PlayedHost.now() - stopped < gracePeriod)
                let counts = SubmissionCounts(host)
                #expect(answered > 0 && counts.accepted > 0 && counts.other == 0)
                #expect(host.calls.count <= counts.begun - counts.ended, "sent after the end, and was recorded")
            }
        }

        @Test
        func `at most 16 calls await answers, a completion overtakes unsent calls, and the launch's end releases them`()
            async throws
        {
            try await with("FillsWindow") { host in
                // The completion has arrived, and with it every earlier message.
                for number in 1...UInt64(CallWindow.limit) { _ = try #require(await host.call(number)) }
                #expect(host.calls.count == CallWindow.limit)
                try host.answer(host.calls[0])
                _ = try #require(await host.call(UInt64(CallWindow.limit) + 1))
                #expect(host.calls.count == CallWindow.limit + 1)

                try host.send(.stop)
                let ended = "BGT_ENDED\n", accepted = "BGT_OK\n"
                // Three calls were never sent.
                let released = accepted + ended + ended + ended
                await host.wait(for: "statuses.txt") { $0.count == released.utf8.count }
                #expect(host.text("statuses.txt") == released)
                // The sent calls are answered although the launch has ended; the last one keeps the process alive.
                for call in host.calls[1..<CallWindow.limit] { try host.answer(call) }
                let all = released + String(repeating: accepted, count: CallWindow.limit - 1)
                await host.wait(for: "statuses.txt") { $0.count == all.utf8.count }
                #expect(host.text("statuses.txt") == all)
                try host.answer(host.calls[CallWindow.limit])
                await host.events.end(PlayedHost.launch)
                #expect(host.calls.count == CallWindow.limit + 1)
            }
        }
    }
}

/// The counters that CallsWithoutEnd.c writes.
private struct SubmissionCounts {
    let begun: Int
    let accepted: Int
    let ended: Int
    let other: Int

    init(_ host: PlayedHost) {
        let data = FileManager.default.contents(atPath: "\(host.directory)/counts") ?? Data()
        let words = data.withUnsafeBytes { bytes in
            (0..<data.count / 8).map { Int(bytes.loadUnaligned(fromByteOffset: 8 * $0, as: UInt64.self)) }
        }
        (begun, accepted, ended, other) = words.count == 4 ? (words[0], words[1], words[2], words[3]) : (0, 0, 0, 0)
    }
}
