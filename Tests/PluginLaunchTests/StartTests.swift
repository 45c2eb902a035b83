// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Foundation
import LinuxSystem
import RunnerWire
import TaskModel
import Testing

@testable import PluginLaunch

extension LaunchTests {
    @Suite("A runner starts in a clean environment")
    struct StartTests {
        @Test func `a runner has exactly its six descriptors`() async throws {
            let stray = open("/dev/null", O_RDONLY)
            defer { close(stray) }
            let main = """
                DIR *directory = opendir("/proc/self/fd");
                for (struct dirent *e; (e = readdir(directory)) != NULL;)
                    if (e->d_name[0] != '.' && atoi(e->d_name) != dirfd(directory)) printf("%s\\n", e->d_name);
                """
            try await LaunchFixture.with(runner: main) { fixture in
                await fixture.run(1)
                #expect(Set(fixture.events.lines(1)) == ["0", "1", "2", "3", "4", "5"])
            }
        }

        @Test func `when the user has no epoll watch left, the error of a launch names the limit and the remedy`() {
            let cause = SystemError(number: ENOSPC, attempt: SystemError.watching)
            let error = LaunchError(cause, purpose: "watch launch 1")
            #expect(error.code == .shortage)
            #expect(error.message.contains("raise fs.epoll.max_user_watches"))
        }

        @Test func `a runner's control channel is a stream socket, and its standard input is empty`() async throws {
            let main = """
                int type = 0;
                socklen_t size = sizeof type;
                char byte;
                getsockopt(3, SOL_SOCKET, SO_TYPE, &type, &size);
                printf("%d %zd\\n", type == SOCK_STREAM, read(0, &byte, 1));
                """
            try await LaunchFixture.with(runner: main) { fixture in
                await fixture.run(1)
                #expect(fixture.events.lines(1) == ["1 0"])
            }
        }

        @Test func `a runner leads its own session in the root directory, with default signals and umask`() async throws
        {
            signal(SIGUSR2, SIG_IGN)
            defer { signal(SIGUSR2, SIG_DFL) }
            let main = """
                char directory[4096];
                sigset_t blocked;
                struct sigaction action;
                sigprocmask(SIG_SETMASK, NULL, &blocked);
                sigaction(SIGUSR2, NULL, &action);
                int any = 0;
                for (int s = 1; s < NSIG; s++) any |= sigismember(&blocked, s) == 1;
                printf("%d %d %s %o %d %d\\n", getsid(0) == getpid(), getpgrp() == getpid(),
                    getcwd(directory, sizeof directory), umask(0), any, action.sa_handler == SIG_DFL);
                """
            try await LaunchFixture.with(runner: main) { fixture in
                await fixture.run(1)
                #expect(fixture.events.lines(1) == ["1 1 / 22 0 1"])
            }
        }

        @Test func `a runner may write a core file only if the machine does not put it into the working directory`()
            async throws
        {
            var before = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &before)
            var all = rlimit(rlim_cur: before.rlim_max, rlim_max: before.rlim_max)
            setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &all)
            defer { setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &before) }
            let main = """
                struct rlimit core;
                getrlimit(RLIMIT_CORE, &core);
                printf("%d %d\\n", core.rlim_cur == 0, core.rlim_cur == core.rlim_max);
                """
            try await LaunchFixture.with(runner: main) { fixture in
                await fixture.run(1)
                let isLeft = CoreFiles.ofThisMachine == .inWorkingDirectory
                let mayBeMade = before.rlim_max == 0 || !isLeft
                #expect(fixture.events.lines(1) == ["\(isLeft || before.rlim_max == 0 ? 1 : 0) \(mayBeMade ? 1 : 0)"])
            }
        }

        @Test(arguments: [
            ("core", CoreFiles.inWorkingDirectory), ("core.%p\n", .inWorkingDirectory),
            ("cores/%e", .inWorkingDirectory),
            ("/var/crash/core.%p", .collected), ("|/usr/lib/systemd/systemd-coredump %P", .collected),
        ])
        func `the machine's core pattern decides whether core files are collected`(
            _ pattern: String,
            _ place: CoreFiles
        ) {
            #expect(CoreFiles(pattern: pattern) == place)
        }

        @Test func `a runner's environment is the allow-list and a process mark that differs for each launch`()
            async throws
        {
            setenv("SECRET_OF_THE_HOST", "1", 1)
            let main = #"for (char **e = environ; *e; e++) puts(*e);"#
            try await LaunchFixture.with(runner: main) { fixture in
                await fixture.run(1)
                await fixture.run(2)
                let (first, second) = (fixture.events.lines(1), fixture.events.lines(2))
                #expect(first.count == 2 && second.count == 2)
                #expect(first.first == "PATH=/usr/bin:/bin")
                #expect(first.last?.hasPrefix("BGTASK_RUNNER=") == true)
                #expect(first.last != second.last)
            }
        }

        @Test func `the launcher runs the program that it opened, even after the file was replaced`() async throws {
            try await withScratch { directory in
                let old = try StandIn(in: directory, named: "runner", main: #"puts("old");"#)
                let new = try StandIn(in: directory, named: "newer", main: #"puts("new");"#)
                try await LaunchFixture.with(runner: old.path, in: directory) { fixture in
                    #expect(rename(new.path, old.path) == 0)
                    await fixture.run(1)
                    #expect(fixture.events.lines(1) == ["old"])
                }
            }
        }

        @Test(arguments: [ControlGroupPlacement.none, .detected])
        func `the reported process id, start time, boot and control group of a runner are correct`(
            groups: ControlGroupPlacement
        ) async throws {
            let main = #"printf("pid %d\n", getpid()); fflush(stdout); wait_for_end();"#
            try await LaunchFixture.with(groups: groups, runner: main) { fixture in
                fixture.launcher.take(for: 1)
                let process = await fixture.events.ready(1)
                #expect(await fixture.events.number(after: "pid", from: 1) == process.pid)
                #expect(ProcessIdentity(of: process.pid)?.startTime == process.startTime)
                #expect(process.boot == SystemClock().boot)
                if let group = process.controlGroup {
                    #expect(FileBytes.text("\(group)/cgroup.procs") == "\(process.pid)\n")
                }
                fixture.launcher.kill(1)
                await fixture.events.end(1)
                if let group = process.controlGroup { #expect(!FileManager.default.fileExists(atPath: group)) }
            }
        }

        @Test func `a runner is killed when the thread that started it ends`() async throws {
            try await withScratch { directory in
                let standIn = try StandIn(in: directory, main: "forever();")
                let program = try Descriptor(openingProgram: standIn.path)
                let null = try Descriptor(opening: "/dev/null", flags: O_RDWR)
                let pid = await withCheckedContinuation { (continuation: CheckedContinuation<Int32, Never>) in
                    let status = DetachedThread.start("spawns") { continuation.resume(returning: spawn(program, null)) }
                    #expect(status == 0)
                }
                var end = bgl_exit()
                #expect(bgl_wait(pid, 1, &end) == 1)
                #expect(end.signal == SIGKILL)
            }
        }
    }

    @Suite("An unavailable runner is an error with a remedy")
    struct UnavailableTests {
        @Test func `a missing runner binary is reported when the launcher is created`() {
            let error = #expect(throws: LaunchError.self) {
                try Launcher(
                    runner: "/nonexistent/bgtask-runner",
                    environment: LaunchFixture.variables,
                    controlGroups: .none,
                    unclaimed: .left,
                    logger: silentLogger
                ) { _ in }
            }
            #expect(error?.code == .runnerUnusable)
            #expect(error?.message.contains("/nonexistent/bgtask-runner") == true)
        }

        @Test func `a runner file that is not a program is reported at its first launch`() async throws {
            try await withScratch { directory in
                let path = "\(directory)/text"
                try "no program\n".write(toFile: path, atomically: false, encoding: .utf8)
                chmod(path, 0o755)
                try await LaunchFixture.with(runner: path, in: directory) { fixture in
                    fixture.launcher.take(for: 1)
                    let error = await fixture.events.unavailable(1)
                    #expect(error.code == .runnerUnusable)
                    #expect(error.message.contains("\(path): Exec format error"))
                }
            }
        }

        @Test func `a second request to start a runner for a running launch is refused`() async throws {
            try await LaunchFixture.with(runner: "wait_for_end();") { fixture in
                fixture.launcher.take(for: 1)
                fixture.launcher.take(for: 1)
                #expect(await fixture.events.unavailable(1).code == .refused)
                fixture.launcher.kill(1)
                await fixture.events.end(1)
            }
        }

        @Test func `without free descriptors a launch fails with the limit, leaks none, and the host continues`()
            async throws
        {
            try await LaunchFixture.with(runner: "wait_for_end();") { fixture in
                let before = openDescriptors()
                var limit = rlimit()
                getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                let whole = limit
                // Enough descriptors for the control socket, but not for the pipes.
                limit.rlim_cur = rlim_t((before.max() ?? 0) + 4)
                let fillers = (0..<Int(limit.rlim_cur)).map { _ in dup(0) }.filter { $0 >= 0 }
                for filler in fillers.suffix(3) { close(filler) }
                setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                fixture.launcher.take(for: 1)
                let error = await fixture.events.unavailable(1)
                var restored = whole
                setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &restored)
                for filler in fillers.dropLast(3) { close(filler) }
                #expect(error.code == .shortage)
                #expect(error.message.contains("RLIMIT_NOFILE") && error.message.contains("\(limit.rlim_cur)"))
                #expect(openDescriptors().isSubset(of: before))

                fixture.launcher.take(for: 2)
                _ = await fixture.events.ready(2)
                fixture.launcher.kill(2)
                await fixture.events.end(2)
            }
        }
    }
}

/// Starts a program with only three descriptors. Returns its process ID, or a negative errno.
private func spawn(_ program: Descriptor, _ null: Descriptor) -> Int32 {
    let descriptors = [null.number, null.number, null.number]
    let none: [UnsafePointer<CChar>?] = [nil]
    var spawned = bgl_spawned()
    let status = descriptors.withUnsafeBufferPointer { descriptors in
        none.withUnsafeBufferPointer { none in
            var request = bgl_spawn()
            request.executable = program.number
            request.arguments = none.baseAddress
            request.environment = none.baseAddress
            request.descriptors = descriptors.baseAddress
            request.descriptor_count = 3
            request.cgroup = -1
            return bgl_spawn(&request, &spawned)
        }
    }
    if spawned.pidfd >= 0 { close(spawned.pidfd) }
    return status < 0 ? status : spawned.pid
}

/// The numbers of this process's open descriptors.
func openDescriptors() -> Set<Int> {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    // The descriptor of the listing is closed by now.
    return Set(names.compactMap(Int.init).filter { fcntl(Int32($0), F_GETFD) >= 0 })
}
