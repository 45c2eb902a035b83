// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import RunnerWire
import TaskModel
import Testing

@testable import PluginLaunch

extension LaunchTests {
    @Suite("A runner's output becomes bounded log lines")
    struct OutputTests {
        @Test func `lines of each output stream arrive in order, including an unfinished last line`() async throws {
            let main = #"printf("one\n\ntwo\nrest"); fprintf(stderr, "wrong\n");"#
            try await LaunchFixture.with(runner: main) { fixture in
                await fixture.run(1)
                #expect(fixture.events.lines(1) == ["one", "", "two", "rest"])
                #expect(fixture.events.lines(1, .standardError) == ["wrong"])
            }
        }

        @Test func `output of a runner that is not valid UTF-8 is repaired`() async throws {
            try await LaunchFixture.with(runner: #"puts("a\xff\xfe b");"#) { fixture in
                await fixture.run(1)
                #expect(fixture.events.lines(1) == ["a\u{fffd}\u{fffd} b"])
            }
        }

        @Test func `an output line that is too long continues as the next line`() async throws {
            let main = """
                for (int i = 0; i < 8192; i++) putchar('a');
                putchar('\\n');
                for (int i = 0; i < 8193; i++) putchar('b');
                putchar('\\n');
                """
            try await LaunchFixture.with(runner: main) { fixture in
                await fixture.run(1)
                let lengths = fixture.events.lines(1).map(\.utf8.count)
                #expect(lengths == [8192, 8192, 1])
            }
        }

        @Test func `of a flood of output a part is logged, and the dropped lines are counted`() async throws {
            let main = #"for (int i = 0; i < 300000; i++) puts("the same again and again");"#
            try await LaunchFixture.with(runner: main) { fixture in
                await fixture.run(1)
                let kept = fixture.events.lines(1).count
                let dropped = fixture.events.events.reduce(0) { sum, event in
                    if case .outputDropped(1, .standardOutput, let lines) = event { sum + lines } else { sum }
                }
                #expect(kept >= LineRateLimit.burst && dropped > 0)
                #expect(kept + dropped == 300_000)
            }
        }

        @Test func `of a flood of log messages a part is logged, and the dropped messages are counted`() async throws {
            let hello = try RunnerMessage.log(.info, message: "hello").frame()
            let stopped = try RunnerMessage.stopped.frame()
            let main = "for (int i = 0; i < 30000; i++) say(HELLO); say(STOPPED);"
            try await LaunchFixture.with(frames: ["HELLO": hello, "STOPPED": stopped], runner: main) { fixture in
                await fixture.run(1)
                let messages = fixture.events.messages(1)
                let dropped = fixture.events.events.reduce(0) { sum, event in
                    if case .outputDropped(1, .log, let lines) = event { sum + lines } else { sum }
                }
                #expect(messages.last == .stopped)
                #expect(messages.count - 1 >= LineRateLimit.burst && dropped > 0)
                #expect(messages.count - 1 + dropped == 30_000)
            }
        }

        @Test func `a runner that prints without end can be killed`() async throws {
            try await LaunchFixture.with(runner: #"for (;;) puts("y");"#) { fixture in
                fixture.launcher.take(for: 1)
                _ = await fixture.events.first { event in
                    if case .output = event { true } else { nil }
                }
                fixture.launcher.kill(1)
                #expect(await fixture.events.end(1).termination == .signaled(SIGKILL))
            }
        }
    }
}
