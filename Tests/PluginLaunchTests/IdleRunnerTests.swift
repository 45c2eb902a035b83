// Part of bgtask, under the Apache License 2.0; see LICENSE.

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
                        await withCheckedContinuation { continuation in
                            Thread.detachNewThread {
                                var pid: Int32 = 0
                                _ = read(starts.number, &pid, MemoryLayout<Int32>.size)
                                continuation.resume(returning: pid)
                            }
                        }
                    }
                }
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
