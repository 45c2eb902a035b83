// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Foundation
import LinuxSystem
import RunnerWire
import TaskModel
import Testing

@testable import PluginLaunch

extension LaunchTests {
    @Suite("A launch ends once, without leftovers")
    struct EndTests {
        static let placements: [ControlGroupPlacement] = [.none, .detected]

        @Test func `the signal that killed a runner is reported`() async throws {
            try await LaunchFixture.with(runner: "abort();") { fixture in
                let end = await fixture.run(1)
                #expect(end.termination == .signaled(SIGABRT))
                #expect(!end.wasKilled && end.lastWords == nil)
            }
        }

        @Test func `a runner's complete crash record is read, and a record that is one byte short is ignored`()
            async throws
        {
            var record = [UInt64](repeating: 0, count: LastWords.recordSize / 8)
            record.withUnsafeMutableBytes { bytes in
                guard let start = bytes.baseAddress else { return }
                LastWords.store(signal: SIGSEGV, address: 0x10, task: 0x2_0001, in: start)
            }
            let words = record.withUnsafeBytes { Array($0) }
            let main = """
                unsigned char byte = 0;
                if (write(4, WORDS, sizeof WORDS - (getenv("CUT") != NULL)) < 0) return 1;
                raise(SIGSEGV);
                """
            try await LaunchFixture.with(frames: ["WORDS": words], runner: main) { fixture in
                let end = await fixture.run(1)
                #expect(end.termination == .signaled(SIGSEGV))
                #expect(end.lastWords == LastWords(signal: SIGSEGV, address: 0x10, task: TaskID(rawValue: 0x2_0001)))
            }
            let cut = RunnerEnvironment([.init(name: "CUT", value: "1")])
            try await LaunchFixture.with(frames: ["WORDS": words], environment: cut, runner: main) { fixture in
                #expect(await fixture.run(1).lastWords == nil)
            }
        }

        @Test(arguments: placements)
        func `a kill cannot be ignored by a runner and is reported as a kill`(groups: ControlGroupPlacement)
            async throws
        {
            let main = """
                for (int s = 1; s < NSIG; s++) signal(s, SIG_IGN);
                puts("deaf 1");
                fflush(stdout);
                forever();
                """
            try await LaunchFixture.with(groups: groups, runner: main) { fixture in
                fixture.launcher.take(for: 1)
                _ = await fixture.events.number(after: "deaf", from: 1)
                fixture.launcher.kill(1)
                fixture.launcher.kill(1)
                let end = await fixture.events.end(1)
                #expect(end.termination == .signaled(SIGKILL))
                #expect(end.wasKilled)
                fixture.launcher.take(for: 2)
                fixture.launcher.kill(2)
                _ = await fixture.events.first { $0.launch == 2 && !$0.isReady ? true : nil }
                #expect(fixture.events.ends(1).count == 1)
            }
        }

        @Test(arguments: placements)
        func `descendants of a killed runner are killed, also those in other sessions`(groups: ControlGroupPlacement)
            async throws
        {
            let main = """
                char *const bare[] = {NULL};
                if (fork() == 0) { printf("child %d\\n", getpid()); fflush(stdout); forever(); }
                if (fork() == 0) {
                    setsid();
                    if (fork() == 0) {
                        printf("daemon %d\\n", getpid());
                        fflush(stdout);
                        if (fork() == 0) { printf("nested %d\\n", getpid()); fflush(stdout); setsid(); forever(); }
                        execle("/bin/sleep", "sleep", "1000", NULL, bare);
                    }
                    _exit(0);
                }
                while (read(3, bare, 1) > 0) {}
                """
            try await LaunchFixture.with(groups: groups, runner: main) { fixture in
                fixture.launcher.take(for: 1)
                var pids: [Int32] = []
                for word in ["child", "daemon", "nested"] {
                    pids.append(await fixture.events.number(after: word, from: 1))
                }
                #expect(pids.allSatisfy(exists))
                fixture.launcher.kill(1)
                await fixture.events.end(1)
                #expect(!pids.contains(where: exists))
            }
        }

        @Test(arguments: placements)
        func `hundreds of descendants are killed when their runner ends in order`(groups: ControlGroupPlacement)
            async throws
        {
            let main = """
                for (int i = 0; i < 300; i++) {
                    if (fork() == 0) {
                        setsid();
                        if (fork() == 0) { printf("%d\\n", getpid()); fflush(stdout); forever(); }
                        _exit(0);
                    }
                    wait(NULL);
                }
                """
            try await LaunchFixture.with(groups: groups, runner: main) { fixture in
                let before = openDescriptors()
                let end = await fixture.run(1)
                #expect(end.termination == .exited(code: 0) && end.leftRunning == 300)
                let pids = fixture.events.lines(1).compactMap { Int32($0) }
                #expect(!pids.isEmpty && !pids.contains(where: exists))
                #expect(openDescriptors().isSubset(of: before))
            }
        }

        @Test func `a child that ended by itself without being reaped does not count as left running`() async throws {
            let main = """
                siginfo_t ended;
                if (fork() == 0) _exit(0);
                waitid(P_ALL, 0, &ended, WEXITED | WNOWAIT);
                """
            try await LaunchFixture.with(runner: main) { fixture in
                #expect(await fixture.run(1).leftRunning == 0)
            }
        }

        @Test func `a descendant that traces its runner as a debugger cannot prevent the runner's end`() async throws {
            let main = """
                int ready[2];
                pipe(ready);
                pid_t parent = getpid();
                if (fork() == 0) {
                    setsid();
                    long status = ptrace(PTRACE_SEIZE, parent, 0, 0);
                    printf("tracer %d\\n", status == 0 ? getpid() : 0);
                    fflush(stdout);
                    write(ready[1], "", 1);
                    forever();
                }
                char byte;
                read(ready[0], &byte, 1);
                return 5;
                """
            try await LaunchFixture.with(runner: main) { fixture in
                #expect(await fixture.run(1).termination == .exited(code: 5))
                let tracer = await fixture.events.number(after: "tracer", from: 1)
                #expect(tracer > 0 && !exists(tracer))
            }
        }

        @Test func `an orphan that ends while its launch runs is reaped`() async throws {
            let main = """
                if (fork() == 0) {
                    if (fork() == 0) { printf("orphan %d\\n", getpid()); fflush(stdout); forever(); }
                    _exit(0);
                }
                wait(NULL);
                puts("left 1");
                fflush(stdout);
                wait_for_end();
                """
            try await LaunchFixture.with(runner: main) { fixture in
                fixture.launcher.take(for: 1)
                let orphan = await fixture.events.number(after: "orphan", from: 1)
                _ = await fixture.events.number(after: "left", from: 1)
                let descriptor = try #require(ProcessIdentity(of: orphan)?.open())
                kill(orphan, SIGKILL)
                waitForDeath(descriptor)
                fixture.launcher.take(for: 2)
                _ = await fixture.events.ready(2)
                fixture.launcher.kill(2)
                await fixture.events.end(2)
                #expect(!exists(orphan))
                #expect(fixture.events.ends(1).isEmpty)
            }
        }

        @Test func `a child of the host that the launcher did not start is not reaped by the launcher`() async throws {
            var child: pid_t = 0
            let arguments = [strdup("sh"), strdup("-c"), strdup("exit 42"), nil]
            defer { for argument in arguments { free(argument) } }
            #expect(posix_spawn(&child, "/bin/sh", nil, nil, arguments, nil) == 0)
            let descriptor = try #require(ProcessIdentity(of: child)?.open())
            waitForDeath(descriptor)
            try await LaunchFixture.with(runner: "return 0;") { fixture in await fixture.run(1) }
            var end = bgl_exit()
            #expect(bgl_wait(child, 0, &end) == 1)
            #expect(end.code == 42)
        }

        @Test(arguments: placements)
        func `a hundred launches leave no descriptors and no children behind`(groups: ControlGroupPlacement)
            async throws
        {
            try await LaunchFixture.with(groups: groups, runner: #"puts("x"); return 0;"#) { fixture in
                await fixture.run(1000)
                let before = openDescriptors()
                let launches = (1...100).map(LaunchNumber.init(rawValue:))
                for launch in launches { fixture.launcher.take(for: launch) }
                for launch in launches {
                    #expect(await fixture.events.end(launch).termination == .exited(code: 0))
                    let process = await fixture.events.ready(launch)
                    #expect(!exists(process.pid))
                    if let group = process.controlGroup { #expect(!FileManager.default.fileExists(atPath: group)) }
                }
                #expect(openDescriptors().isSubset(of: before))
                #expect(launches.allSatisfy { fixture.events.ends($0).count == 1 })
            }
        }

        @Test func `a released launcher closes its descriptors`() async throws {
            try await withScratch { directory in
                let standIn = try StandIn(in: directory, main: "return 0;")
                let before = openDescriptors()
                for _ in 0..<20 {
                    try await LaunchFixture.with(runner: standIn.path, in: directory) { fixture in await fixture.run(1)
                    }
                }
                // The thread of the last launcher may still be ending.
                #expect(openDescriptors().count < before.count + 20)
            }
        }

        @Test func `closing the launcher kills running launches and reports their ends before it returns`() async throws
        {
            try await LaunchFixture.with(runner: "forever();") { fixture in
                fixture.launcher.take(for: 1)
                fixture.launcher.take(for: 2)
                _ = await fixture.events.ready(2)
                await fixture.launcher.close()
                #expect(fixture.events.ends(1).map(\.termination) == [.signaled(SIGKILL)])
                #expect(fixture.events.ends(2).map(\.termination) == [.signaled(SIGKILL)])
            }
        }
    }
}

/// Waits until the process is dead. It remains a zombie.
func waitForDeath(_ process: Descriptor) {
    var waited = pollfd(fd: process.number, events: Int16(POLLIN), revents: 0)
    while poll(&waited, 1, -1) < 0 {}
}
