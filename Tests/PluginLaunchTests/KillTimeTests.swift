// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import LinuxSystem
import PluginLaunch
import RunnerWire
import TaskModel
import Testing

extension LaunchTests {
    @Suite("The launch thread enforces kill times on its own")
    struct KillTimeTests {
        private static let hello = RunnerMessage.log(.info, message: "hello")
        private static let deaf = """
            for (int s = 1; s < NSIG; s++) signal(s, SIG_IGN);
            """

        private static func killed(_ fixture: LaunchFixture, _ launch: LaunchNumber) async {
            _ = await fixture.events.first { if case .killTimePassed(launch) = $0 { true } else { nil } }
        }

        /// The events of launch 1 as text, one letter each.
        private static func story(_ fixture: LaunchFixture) -> String {
            fixture.events.events.filter { $0.launch == 1 }.map { event in
                switch event {
                case .ready: "r"
                case .message: "m"
                case .killTimePassed: "k"
                case .ended: "e"
                case .unavailable, .wrote, .unlimited, .failedByHost, .refused, .malformed, .windowExceeded, .output,
                    .outputDropped:
                    "?"
                }
            }.joined()
        }

        private func spin(until time: MonotonicTime) {
            while SystemClock().monotonic <= time { sched_yield() }
        }

        @Test func `a runner is killed at its kill time, and the kill is reported before the runner's end`()
            async throws
        {
            try await LaunchFixture.with(runner: Self.deaf + "forever();") { fixture in
                fixture.launcher.take(for: 1)
                _ = await fixture.events.ready(1)
                let time = SystemClock().monotonic + .milliseconds(30)
                fixture.launcher.setKillTime(time, of: 1)
                await Self.killed(fixture, 1)
                #expect(SystemClock().monotonic >= time)
                let end = await fixture.events.end(1)
                #expect(end.termination == .signaled(SIGKILL) && end.wasKilled)
                #expect(Self.story(fixture) == "rke")
            }
        }

        @Test func `a runner that floods a host without capacity is killed at its kill time`() async throws {
            let frames = ["HELLO": try RunnerMessage.assertionEnded(AssertionID(rawValue: 1)).frame()]
            let main = Self.deaf + "for (;;) say(HELLO);"
            try await withScratch { directory in
                let standIn = try StandIn(in: directory, frames: frames, main: main)
                let isTaken: @Sendable (LaunchNumber) -> Bool = { _ in false }
                try await LaunchFixture.with(runner: standIn.path, in: directory, admitOrPause: isTaken) { fixture in
                    fixture.launcher.take(for: 1)
                    _ = await fixture.events.ready(1)
                    fixture.launcher.setKillTime(SystemClock().monotonic + .milliseconds(30), of: 1)
                    #expect(await fixture.events.end(1).wasKilled)
                    let story = Self.story(fixture)
                    #expect(story.hasPrefix("rm") && story.contains("mk") && story.last == "e", "\(story.suffix(99))")
                }
            }
        }

        @Test func `messages that a runner sent before its kill time arrive before the kill is reported`() async throws
        {
            let main =
                Self.deaf
                + #"for (int i = 0; i < 100; i++) say(HELLO); close(open(getenv("SAID"), O_WRONLY)); forever();"#
            try await withScratch { directory in
                let said = "\(directory)/said"
                #expect(mkfifo(said, 0o600) == 0)
                let standIn = try StandIn(in: directory, frames: ["HELLO": try Self.hello.frame()], main: main)
                let environment = RunnerEnvironment([.init(name: "SAID", value: said)])
                try await LaunchFixture.with(
                    runner: standIn.path,
                    in: directory,
                    environment: environment,
                    admitOrPause: { _ in false }
                ) { fixture in
                    fixture.launcher.take(for: 1)
                    _ = await fixture.events.ready(1)
                    // Opens when all messages are sent.
                    close(open(said, O_RDONLY))
                    #expect(fixture.events.messages(1).isEmpty)
                    fixture.launcher.setKillTime(SystemClock().monotonic, of: 1)
                    await fixture.events.end(1)
                    #expect(Self.story(fixture) == "r" + String(repeating: "m", count: 100) + "ke")
                }
            }
        }

        @Test func `the afterKillTimes callback runs after the messages and the kill of an overrunning runner`()
            async throws
        {
            let main =
                Self.deaf
                + #"for (int i = 0; i < 100; i++) say(HELLO); close(open(getenv("SAID"), O_WRONLY)); forever();"#
            try await withScratch { directory in
                let said = "\(directory)/said"
                #expect(mkfifo(said, 0o600) == 0)
                let standIn = try StandIn(in: directory, frames: ["HELLO": try Self.hello.frame()], main: main)
                let environment = RunnerEnvironment([.init(name: "SAID", value: said)])
                try await LaunchFixture.with(
                    runner: standIn.path,
                    in: directory,
                    environment: environment,
                    admitOrPause: { _ in false }
                ) { fixture in
                    fixture.launcher.take(for: 1)
                    _ = await fixture.events.ready(1)
                    // Opens when all messages are sent.
                    close(open(said, O_RDONLY))
                    let story = await withCheckedContinuation { continuation in
                        fixture.launcher.setKillTime(SystemClock().monotonic, of: 1)
                        fixture.launcher.afterKillTimes { continuation.resume(returning: Self.story(fixture)) }
                    }
                    // The runner may have ended before the callback was requested.
                    let expected = "r" + String(repeating: "m", count: 100) + "k"
                    #expect([expected, expected + "e"].contains(story))
                    await fixture.events.end(1)
                }
            }
        }

        @Test func `the afterKillTimes callback runs even if the launch thread has ended`() async throws {
            try await LaunchFixture.with(runner: "return 0;") { fixture in
                await fixture.launcher.close()
                await withCheckedContinuation { continuation in
                    fixture.launcher.afterKillTimes { continuation.resume() }
                }
            }
        }

        /// Expects that a replaced kill time does not kill the launch.
        ///
        /// - Parameter replacement: set in place of a kill time that has not passed. The launch thread is blocked
        ///   meanwhile, and continues after the first time has passed.
        private func expectNoKill(replacing replacement: MonotonicTime?) async throws {
            let mayGoOn = DispatchSemaphore(value: 0)
            try await withScratch { directory in
                let standIn = try StandIn(in: directory, main: "char c; return read(3, &c, 1) == 1 ? 5 : 6;")
                try await LaunchFixture.with(runner: standIn.path, in: directory) { event in
                    if event.isReady, event.launch == 2 { mayGoOn.wait() }
                } _: { fixture in
                    fixture.launcher.take(for: 1)
                    _ = await fixture.events.ready(1)
                    let time = SystemClock().monotonic + .milliseconds(200)
                    fixture.launcher.setKillTime(time, of: 1)
                    fixture.launcher.take(for: 2)
                    _ = await fixture.events.ready(2)
                    fixture.launcher.setKillTime(replacement, of: 1)
                    let isInTime = SystemClock().monotonic < time
                    spin(until: time)
                    mayGoOn.signal()
                    try fixture.launcher.send(.stop, to: 1)
                    let end = await fixture.events.end(1)
                    fixture.launcher.kill(2)
                    await fixture.events.end(2)
                    guard isInTime else { return try await expectNoKill(replacing: replacement) }
                    #expect(end.termination == .exited(code: 5) && !end.wasKilled)
                    #expect(Self.story(fixture) == "re")
                }
            }
        }

        @Test func `a kill time withdrawn before it passes kills no launch, even if the launch thread is late`()
            async throws
        {
            try await expectNoKill(replacing: nil)
        }

        @Test func `a later kill time of a launch replaces an earlier kill time that has not passed`() async throws {
            try await expectNoKill(replacing: SystemClock().monotonic + .seconds(3_600))
        }

        @Test func `an earlier kill time of a launch replaces a later kill time`() async throws {
            try await LaunchFixture.with(runner: "forever();") { fixture in
                fixture.launcher.take(for: 1)
                _ = await fixture.events.ready(1)
                fixture.launcher.setKillTime(SystemClock().monotonic + .seconds(3_600), of: 1)
                fixture.launcher.setKillTime(SystemClock().monotonic + .milliseconds(10), of: 1)
                #expect(await fixture.events.end(1).wasKilled)
            }
        }

        @Test func `a runner that exited before its kill time is not killed, even if the launch thread is late`()
            async throws
        {
            let mayGoOn = DispatchSemaphore(value: 0)
            try await withScratch { directory in
                let standIn = try StandIn(in: directory, main: "return 5;")
                try await LaunchFixture.with(runner: standIn.path, in: directory) { event in
                    if event.isReady { mayGoOn.wait() }
                } _: { fixture in
                    fixture.launcher.take(for: 1)
                    let process = await fixture.events.ready(1)
                    while !isZombie(process.pid) { sched_yield() }
                    fixture.launcher.setKillTime(SystemClock().monotonic, of: 1)
                    mayGoOn.signal()
                    let end = await fixture.events.end(1)
                    #expect(end.termination == .exited(code: 5) && !end.wasKilled)
                    #expect(Self.story(fixture) == "re")
                }
            }
        }

        @Test func `three launches are killed in the order of their kill times`() async throws {
            try await LaunchFixture.with(runner: "forever();") { fixture in
                for launch: LaunchNumber in [1, 2, 3] {
                    fixture.launcher.take(for: launch)
                    _ = await fixture.events.ready(launch)
                }
                let start = SystemClock().monotonic
                fixture.launcher.setKillTime(start + .milliseconds(60), of: 2)
                fixture.launcher.setKillTime(start + .milliseconds(20), of: 3)
                fixture.launcher.setKillTime(start + .milliseconds(40), of: 1)
                await fixture.events.end(2)
                let kills = fixture.events.events.compactMap { event in
                    if case .killTimePassed(let launch) = event { launch } else { nil as LaunchNumber? }
                }
                #expect(kills == [3, 1, 2])
            }
        }
    }
}

/// Whether the process has ended and was not reaped.
private func isZombie(_ pid: Int32) -> Bool {
    let status = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
    return status.contains("State:\tZ")
}
