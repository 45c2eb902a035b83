// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Foundation
import LinuxSystem
import TaskModel
import Testing

@testable import PluginLaunch

extension LaunchTests {
    @Suite("A launch takes a runner that was started in advance")
    struct IdleRunnerTests {
        /// Runs `body` with a launcher that keeps one idle runner, and with a function that waits for the next start of
        /// a runner and returns its process number.
        private func withIdleRunner(
            groups: ControlGroupPlacement = .none,
            _ body: (LaunchFixture, _ nextStart: @escaping @Sendable () async throws -> Int32) async throws -> Void
        ) async throws {
            try await withScratch { directory in
                let pipe = "\(directory)/starts"
                #expect(mkfifo(pipe, 0o600) == 0)
                // Open for both directions, so that neither side waits for the other.
                let starts = try Descriptor(opening: pipe, flags: O_RDWR)
                let main = """
                    int pid = getpid();
                    write(open("\(pipe)", O_WRONLY), &pid, sizeof pid);
                    wait_for_end();
                    """
                let standIn = try StandIn(in: directory, main: main)
                try await LaunchFixture.with(runner: standIn.path, in: directory, groups: groups, idleRunners: 1) {
                    try await body($0) {
                        try await withCheckedThrowingContinuation { continuation in
                            Thread.detachNewThread {
                                continuation.resume(with: Result { try Self.number(from: starts) })
                            }
                        }
                    }
                }
            }
        }

        private struct NoStart: Error {}

        /// Reads a process number. Throws after a time that only a fault exceeds.
        private static func number(from pipe: Descriptor) throws -> Int32 {
            var readable = pollfd(fd: pipe.number, events: Int16(POLLIN), revents: 0)
            guard poll(&readable, 1, 60_000) == 1 else { throw NoStart() }
            var pid: Int32 = 0
            _ = read(pipe.number, &pid, MemoryLayout<Int32>.size)
            return pid
        }

        /// A child of this process that traces another process.
        private struct Tracer {
            let pid: Int32

            init(of process: Int32, in directory: String) throws {
                let ready = try Descriptor.pipe()
                let main = """
                    if (ptrace(PTRACE_SEIZE, \(process), 0, 0) != 0) return 9;
                    write(1, "", 1);
                    forever();
                    """
                let path = try StandIn(in: directory, named: "tracer", main: main).path
                var actions = posix_spawn_file_actions_t()
                posix_spawn_file_actions_init(&actions)
                defer { posix_spawn_file_actions_destroy(&actions) }
                posix_spawn_file_actions_adddup2(&actions, ready.1.number, 1)
                let arguments = [strdup("tracer"), nil]
                defer { free(arguments[0]) }
                var pid: pid_t = 0
                try #require(posix_spawn(&pid, path, &actions, nil, arguments, [nil]) == 0)
                self.pid = pid
                var readable = pollfd(fd: ready.0.number, events: Int16(POLLIN), revents: 0)
                try #require(poll(&readable, 1, 60_000) == 1, "the tracer attaches")
            }

            func end() {
                kill(pid, SIGKILL)
                bgl_wait(pid, 1, nil)
            }
        }

        @Test(arguments: [ControlGroupPlacement.none, .detected])
        func `the launch after an ended launch runs in the process that was started in advance`(
            groups: ControlGroupPlacement
        ) async throws {
            try await withIdleRunner(groups: groups) { fixture, nextStart in
                fixture.launcher.take(for: 1)
                let first = try await nextStart()
                #expect(await fixture.events.ready(1).pid == first)
                let idle = try await nextStart()
                fixture.launcher.kill(1)
                await fixture.events.end(1)
                fixture.launcher.take(for: 2)
                let second = await fixture.events.ready(2)
                #expect(second.pid == idle)
                fixture.launcher.kill(2)
                #expect(await fixture.events.end(2).termination == .signaled(SIGKILL))
                if let group = second.controlGroup { #expect(!FileManager.default.fileExists(atPath: group)) }
            }
        }

        @Test func `a launch does not get an idle runner that was killed`() async throws {
            try await withIdleRunner { fixture, nextStart in
                fixture.launcher.take(for: 1)
                _ = try await nextStart()
                let idle = try await nextStart()
                let process = try #require(ProcessIdentity(of: idle)?.open())
                kill(idle, SIGKILL)
                var ended = pollfd(fd: process.number, events: Int16(POLLIN), revents: 0)
                #expect(poll(&ended, 1, -1) == 1)
                fixture.launcher.take(for: 2)
                let second = await fixture.events.ready(2).pid
                #expect(second != idle)
                #expect(try await nextStart() == second)
            }
        }

        @Test func `a killed idle runner that another process traces delays no launch, and is reaped after its tracer`()
            async throws
        {
            try await withIdleRunner { fixture, nextStart in
                fixture.launcher.take(for: 1)
                _ = try await nextStart()
                let idle = try await nextStart()
                let tracer = try Tracer(of: idle, in: fixture.directory)
                let process = try #require(ProcessIdentity(of: idle)?.open())
                kill(idle, SIGKILL)
                waitForDeath(process)
                fixture.launcher.take(for: 2)
                #expect(await fixture.events.ready(2).pid != idle)
                #expect(exists(idle))
                tracer.end()
                let limit = ContinuousClock.now + .seconds(60)
                while exists(idle), .now < limit { await Task.yield() }
                #expect(!exists(idle))
            }
        }

        @Test func `a launcher closes while another process traces its idle runner`() async throws {
            var (idle, tracer): (Int32, Tracer?) = (0, nil)
            try await withIdleRunner { fixture, nextStart in
                fixture.launcher.take(for: 1)
                _ = try await nextStart()
                idle = try await nextStart()
                tracer = try Tracer(of: idle, in: fixture.directory)
            }
            let ended = try #require(tracer)
            ended.end()
            bgl_wait(idle, 1, nil)
        }

        @Test func `a closed launcher leaves no idle runner and no descriptor of one`() async throws {
            let before = openDescriptors()
            var idle: Int32 = 0
            try await withIdleRunner { fixture, nextStart in
                fixture.launcher.take(for: 1)
                _ = try await nextStart()
                idle = try await nextStart()
                #expect(exists(idle))
            }
            #expect(!exists(idle))
            #expect(openDescriptors().isSubset(of: before))
        }

        @Test func `a launch starts a runner of its own after the number of idle runners was set to 0`() async throws {
            try await withIdleRunner { fixture, nextStart in
                fixture.launcher.take(for: 1)
                _ = try await nextStart()
                let idle = try await nextStart()
                fixture.launcher.keepIdleRunners(0)
                fixture.launcher.take(for: 2)
                let second = await fixture.events.ready(2).pid
                #expect(second != idle)
                #expect(fixture.launcher.idleRunners == 0)
                #expect(try await nextStart() == second)
            }
        }
    }
}
