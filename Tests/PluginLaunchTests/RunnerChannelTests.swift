// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import PluginLaunch
import RunnerWire
import TaskModel
import Testing

extension LaunchTests {
    @Suite("Messages on the control channel arrive complete and in order")
    struct RunnerChannelTests {
        private static let hello = RunnerMessage.log(.info, message: "hello")
        private static let entered = RunnerMessage.entered(status: 0, registered: [], offersReceive: true)

        @Test func `messages between host and runner arrive complete and in order in both directions`() async throws {
            let sent: [HostMessage] = [
                .cancelled(CallNumber(rawValue: 7), isRecorded: true), .expire([], .budget), .stop,
            ]
            let expected = try sent.flatMap { try $0.frame() }
            let frames = [
                "EXPECTED": expected, "HELLO": try Self.hello.frame(), "STOPPED": try RunnerMessage.stopped.frame(),
            ]
            let main = """
                unsigned char seen[sizeof EXPECTED];
                say(HELLO);
                for (size_t n = 0; n < sizeof seen;) n += read(3, seen + n, sizeof seen - n);
                if (memcmp(seen, EXPECTED, sizeof seen) != 0) return 1;
                say(HELLO);
                say(STOPPED);
                """
            try await LaunchFixture.with(frames: frames, runner: main) { fixture in
                fixture.launcher.take(for: 1)
                _ = await fixture.events.ready(1)
                for message in sent { try fixture.launcher.send(message, to: 1) }
                #expect(await fixture.events.end(1).termination == .exited(code: 0))
                #expect(fixture.events.messages(1) == [Self.hello, Self.hello, .stopped])
            }
        }

        @Test
        func `invalid bytes from a runner are reported once and close its channel, and later messages are ignored`()
            async throws
        {
            let frames = ["HELLO": try Self.hello.frame()]
            let main = """
                say(HELLO);
                char garbage[4096];
                memset(garbage, 0xee, sizeof garbage);
                put(garbage, sizeof garbage);
                signal(SIGPIPE, SIG_IGN);
                (void)!write(3, HELLO, sizeof HELLO);
                wait_for_end();
                return 7;
                """
            try await LaunchFixture.with(frames: frames, runner: main) { fixture in
                let end = await fixture.run(1)
                #expect(end.termination == .exited(code: 7))
                #expect(fixture.events.messages(1) == [Self.hello])
                #expect(fixture.events.malformed(1).count == 1)
            }
        }

        @Test func `messages that a runner sent just before its death arrive before the report of its end`()
            async throws
        {
            let main = "for (int i = 0; i < 100; i++) say(HELLO); raise(SIGKILL);"
            try await LaunchFixture.with(frames: ["HELLO": try Self.hello.frame()], runner: main) { fixture in
                for launch in 1...20 as ClosedRange<Int64> {
                    fixture.launcher.take(for: LaunchNumber(rawValue: launch))
                }
                for launch in (1...20).map(LaunchNumber.init(rawValue:)) {
                    await fixture.events.end(launch)
                    let own = fixture.events.events.filter { $0.launch == launch }
                    #expect(fixture.events.messages(launch).count == 100)
                    #expect(own.last?.isEnd == true)
                    #expect(own.first?.isReady == true)
                }
            }
        }

        @Test func `a descendant that keeps the control socket open does not delay the end of the launch`() async throws
        {
            let main = """
                say(HELLO);
                if (fork() == 0) { setsid(); if (fork() == 0) { say(HELLO); forever(); } _exit(0); }
                wait(NULL);
                return 3;
                """
            try await LaunchFixture.with(frames: ["HELLO": try Self.hello.frame()], runner: main) { fixture in
                let end = await fixture.run(1)
                #expect(end.termination == .exited(code: 3))
                #expect(fixture.events.messages(1).first == Self.hello)
            }
        }

        @Test func `the channel of a runner that does not read is closed after at most 40 MiB of unsent messages`()
            async throws
        {
            try await LaunchFixture.with(runner: "forever();") { fixture in
                fixture.launcher.take(for: 1)
                _ = await fixture.events.ready(1)
                let text = String(repeating: "x", count: 1 << 20)
                for number in 0..<40 as Range<UInt64> {
                    let refusal = SubmissionRefusal(code: .unavailable, subReason: .notOffered, message: text)
                    try fixture.launcher.send(.refused(CallNumber(rawValue: number), refusal), to: 1)
                }
                let message = await fixture.events.first { event in
                    if case .malformed(1, let message) = event { message } else { nil }
                }
                #expect(message.contains("does not read"))
                fixture.launcher.kill(1)
                await fixture.events.end(1)
                #expect(fixture.events.malformed(1).count == 1)
            }
        }

        @Test func `a control channel that was paused because of a flood sends again after it resumes`() async throws {
            // Small messages are expensive: the channel pauses at the last of them, and no further input arrives.
            let flood = try (0..<27_000).flatMap { _ in try RunnerMessage.stopped.frame() } + Self.hello.frame()
            let refusal = SubmissionRefusal(
                code: .unavailable,
                subReason: .notOffered,
                message: String(repeating: "x", count: 1 << 20)
            )
            let answer = HostMessage.refused(CallNumber(rawValue: 1), refusal)
            let main = """
                put(FLOOD, sizeof FLOOD);
                close(open(getenv("SAID"), O_WRONLY));
                close(open(getenv("READ"), O_RDONLY));
                static char bytes[65536];
                for (long left = atol(getenv("SIZE")); left > 0;) {
                    ssize_t size = read(3, bytes, sizeof bytes);
                    if (size <= 0) return 1;
                    left -= size;
                }
                """
            try await withScratch { directory in
                let (said, mayRead) = ("\(directory)/said", "\(directory)/read")
                #expect(mkfifo(said, 0o600) == 0 && mkfifo(mayRead, 0o600) == 0)
                let size = try answer.frame().count
                let environment = RunnerEnvironment([
                    .init(name: "SAID", value: said), .init(name: "READ", value: mayRead),
                    .init(name: "SIZE", value: "\(size)"),
                ])
                let standIn = try StandIn(in: directory, frames: ["FLOOD": flood], main: main)
                let isSent = DispatchSemaphore(value: 0)
                try await LaunchFixture.with(runner: standIn.path, in: directory, environment: environment) { event in
                    if case .ready = event { isSent.wait() }
                } _: { fixture in
                    fixture.launcher.take(for: 1)
                    _ = await fixture.events.ready(1)
                    // Opens after the last message; the runner reads only after the second pipe opens.
                    close(open(said, O_RDONLY))
                    try fixture.launcher.send(answer, to: 1)
                    isSent.signal()
                    _ = await fixture.events.first { event in
                        if case .message(1, Self.hello) = event { true } else { nil }
                    }
                    close(open(mayRead, O_WRONLY))
                    #expect(await fixture.events.end(1).termination == .exited(code: 0))
                }
            }
        }

        @Test func `a runner that floods its channel does not delay other launches`() async throws {
            // The first runner creates the directory; the second one finds it.
            let main = #"if (mkdir(getenv("FLAG"), 0700) == 0) for (;;) say(HELLO);"#
            try await withScratch { directory in
                let environment = RunnerEnvironment([.init(name: "FLAG", value: "\(directory)/flag")])
                let standIn = try StandIn(in: directory, frames: ["HELLO": try Self.hello.frame()], main: main)
                try await LaunchFixture.with(runner: standIn.path, in: directory, environment: environment) { fixture in
                    fixture.launcher.take(for: 1)
                    _ = await fixture.events.first { event in
                        if case .message(1, _) = event { true } else { nil }
                    }
                    #expect(await fixture.run(2).termination == .exited(code: 0))
                    #expect(fixture.events.ends(1).isEmpty)
                    fixture.launcher.kill(1)
                    #expect(await fixture.events.end(1).termination == .signaled(SIGKILL))
                }
            }
        }
    }
}

extension LaunchEvent {
    var isReady: Bool {
        if case .ready = self { true } else { false }
    }

    var isEnd: Bool {
        if case .ended = self { true } else { false }
    }
}
