// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import PluginLaunch
import RunnerWire
import Synchronization
import TaskModel
import Testing

extension LaunchTests {
    @Suite("A runner that sends more than permitted waits, without effect on other runners")
    struct FlowTests {
        private static let hello = RunnerMessage.log(.info, message: "hello")

        private static func calls(_ count: Int) -> [RunnerMessage] {
            (1...count).map { .pending(CallNumber(rawValue: UInt64($0))) }
        }

        private static func reports(_ fixture: LaunchFixture) -> Int {
            fixture.events.events.count { if case .windowExceeded(1) = $0 { true } else { false } }
        }

        /// Waits for several turns of the launch thread. Each turn reads from every channel as much as is permitted.
        private func passTurns(_ fixture: LaunchFixture, _ launch: LaunchNumber) async {
            fixture.launcher.take(for: launch)
            _ = await fixture.events.ready(launch)
            fixture.launcher.kill(launch)
            await fixture.events.end(launch)
        }

        /// Runs `body` with a launch whose stand-in runner sends `messages` at once, prints "sent 1" and waits for its
        /// end.
        private func withSent(
            _ messages: [RunnerMessage],
            admitOrPause: @escaping @Sendable (LaunchNumber) -> Bool = { _ in true },
            _ body: (LaunchFixture) async throws -> Void
        ) async throws {
            let frames = ["MESSAGES": try messages.flatMap { try $0.frame() }]
            let main = #"say(MESSAGES); puts("sent 1"); fflush(stdout); wait_for_end();"#
            try await withScratch { directory in
                let standIn = try StandIn(in: directory, frames: frames, main: main)
                try await LaunchFixture.with(runner: standIn.path, in: directory, admitOrPause: admitOrPause) {
                    fixture in
                    fixture.launcher.take(for: 1)
                    try await body(fixture)
                    fixture.launcher.kill(1)
                    await fixture.events.end(1)
                }
            }
        }

        @Test func `sixteen unanswered calls of a runner are delivered and do not delay its other messages`()
            async throws
        {
            let messages = Self.calls(CallWindow.limit) + [Self.hello]
            try await withSent(messages) { fixture in
                _ = await fixture.events.first { if case .message(1, Self.hello) = $0 { true } else { nil } }
                #expect(fixture.events.messages(1) == messages)
                #expect(Self.reports(fixture) == 0)
            }
        }

        @Test
        func `a runner's call beyond 16 unanswered calls is delivered in order after an earlier call is answered`()
            async throws
        {
            let messages = Self.calls(CallWindow.limit + 1) + [Self.hello]
            try await withSent(messages) { fixture in
                _ = await fixture.events.number(after: "sent", from: 1)
                await passTurns(fixture, 2)
                #expect(fixture.events.messages(1) == Self.calls(CallWindow.limit))
                try fixture.launcher.send(.pending(CallNumber(rawValue: 1), []), to: 1)
                _ = await fixture.events.first { if case .message(1, Self.hello) = $0 { true } else { nil } }
                #expect(fixture.events.messages(1) == messages)
                #expect(Self.reports(fixture) == 1)
            }
        }

        @Test func `a host message that answers no call does not raise the limit of 16 unanswered calls`() async throws
        {
            try await withSent(Self.calls(CallWindow.limit + 1)) { fixture in
                _ = await fixture.events.number(after: "sent", from: 1)
                try fixture.launcher.send(.expire([], .budget), to: 1)
                await passTurns(fixture, 2)
                #expect(fixture.events.messages(1).count == CallWindow.limit)
            }
        }

        @Test
        func `at a launch's end its calls beyond 16 unanswered ones are dropped, and its other messages delivered`()
            async throws
        {
            try await withSent(Self.calls(3 * CallWindow.limit) + [Self.hello]) { fixture in
                _ = await fixture.events.number(after: "sent", from: 1)
                fixture.launcher.kill(1)
                await fixture.events.end(1)
                #expect(fixture.events.messages(1) == Self.calls(CallWindow.limit) + [Self.hello])
                #expect(Self.reports(fixture) == 1)
            }
        }

        @Test func `a runner's messages wait until the host has capacity for them, and then arrive in order`()
            async throws
        {
            let capacity = Mutex(3)
            let messages: [RunnerMessage] = (1...10).map { .assertionEnded(AssertionID(rawValue: $0)) }
            let admitOrPause: @Sendable (LaunchNumber) -> Bool = { launch in
                guard launch == 1 else { return true }
                return capacity.withLock { capacity in
                    capacity -= 1
                    return capacity >= 0
                }
            }
            try await withSent(messages, admitOrPause: admitOrPause) { fixture in
                await passTurns(fixture, 2)
                _ = await fixture.events.first { event in
                    if case .message(1, let message) = event, message == messages[2] { true } else { nil }
                }
                await passTurns(fixture, 3)
                #expect(fixture.events.messages(1) == Array(messages[..<3]))
                capacity.withLock { $0 = .max }
                fixture.launcher.resumeMessages(of: 1)
                _ = await fixture.events.first { event in
                    if case .message(1, let message) = event, message == messages[9] { true } else { nil }
                }
                #expect(fixture.events.messages(1) == messages)
            }
        }

        @Test func `a runner's output lines wait for the host's capacity as messages do`() async throws {
            let isFull = Mutex(true)
            try await withSent([], admitOrPause: { _ in isFull.withLock { !$0 } }) { fixture in
                _ = await fixture.events.ready(1)
                await passTurns(fixture, 2)
                #expect(fixture.events.lines(1).isEmpty)
                isFull.withLock { $0 = false }
                fixture.launcher.resumeMessages(of: 1)
                _ = await fixture.events.number(after: "sent", from: 1)
            }
        }
    }
}
