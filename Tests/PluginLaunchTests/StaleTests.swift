// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Foundation
import LinuxSystem
import StatementTraits
import TaskModel
import Testing

@testable import PluginLaunch

extension LaunchTests {
    @Suite("Processes of an earlier host are killed, and no others")
    struct StaleTests {
        @Test func `a recorded process of an earlier host is killed with its process group`() async throws {
            try await LaunchFixture.with(runner: "return 0;") { fixture in
                let process = try Bystander(in: fixture.directory)
                await fixture.launcher.endStale([process.recorded])
                #expect(!process.isAlive)
                // The child is in the same group; reaping the parent hands it to this process.
                process.reap()
                waitForDeath(of: process.child)
            }
        }

        @Test func `a process that reuses a recorded process id is left alone`() async throws {
            try await LaunchFixture.with(runner: "return 0;") { fixture in
                let process = try Bystander(in: fixture.directory)
                let (pid, startTime) = (process.recorded.pid, process.recorded.startTime)
                let (boot, other) = (process.recorded.boot, BootID("other"))
                await fixture.launcher.endStale([
                    RunnerProcess(pid: pid, startTime: startTime + 1, boot: boot, controlGroup: nil),
                    RunnerProcess(pid: pid, startTime: startTime + 1, boot: boot, controlGroup: "/"),
                    RunnerProcess(pid: pid, startTime: startTime, boot: other, controlGroup: nil),
                ])
                #expect(process.isAlive)
                process.end()
            }
        }

        @Test
        func `a runner of a host that is gone is killed; runners of this host or another PID namespace are left alone`()
            async throws
        {
            try await LaunchFixture.with(runner: "return 0;") { fixture in
                let gone = try Bystander(in: fixture.directory)
                let text = try #require(MarkOwner.current?.text)
                let host = try #require(ProcessIdentity(of: gone.recorded.pid))
                gone.end()
                let fields = text.split(separator: "-")
                let orphan = try Bystander(
                    in: fixture.directory,
                    mark: "\(fields[0])-\(host.pid)-\(host.startTime)-5-1"
                )
                let ours = try Bystander(in: fixture.directory, mark: "\(text)-5-1")
                let foreign = try Bystander(in: fixture.directory, mark: "1-\(host.pid)-\(host.startTime)-5-1")
                await fixture.launcher.endStale([])
                #expect(!orphan.isAlive)
                #expect(ours.isAlive && foreign.isAlive)
                for process in [orphan, ours, foreign] { process.end() }
            }
        }

        @Test
        func `a process with a mark number of an earlier host of the directory is killed, whatever its environment`()
            async throws
        {
            try await LaunchFixture.with(runner: "return 0;") { fixture in
                let numbers = MarkNumbers.ofDirectory(fixture.directory)
                #expect(numbers.bits == numbers.bits && numbers.bits != MarkNumbers.ofDirectory("/").bits)
                let (number, text) = (1 << 62 | numbers.bits << 32 | 77, try #require(MarkOwner.current?.text))
                let cleared = try Bystander(in: fixture.directory, limit: number)
                let forged = try Bystander(in: fixture.directory, mark: "\(text)-5-1", limit: number)
                let other = try Bystander(in: fixture.directory, limit: number ^ 1 << 33)
                // Random numbers belong to one launcher: this one ends no process by them.
                await fixture.launcher.endStale([])
                #expect(cleared.isAlive && forged.isAlive)
                try await LaunchFixture.with(
                    runner: StandIn(in: fixture.directory, named: "successor", main: "return 0;").path,
                    in: fixture.directory,
                    numbers: numbers
                ) { successor in
                    let ended = await successor.launcher.endStale([])
                    #expect(!cleared.isAlive && !forged.isAlive && other.isAlive)
                    let expected = [cleared, forged].flatMap { [$0.recorded.pid, $0.child] }
                    #expect(Set(ended.map(\.pid)) == Set(expected))
                    #expect(ended.allSatisfy { $0.program.hasPrefix("bystander") })
                }
                for process in [cleared, forged, other] { process.end() }
            }
        }

        @Test(.enabled(if: geteuid() == 0))
        func `a process of another user that copied a mark number of the directory is left alone and not reported`()
            async throws
        {
            let user = UInt32.random(in: 1 << 28..<1 << 29)
            let range = try #require(UserRange(first: user, last: user))
            try await withSuccessor(users: range) { directory, number, endStale in
                let copied = try Bystander(in: directory, user: user + 1, limit: number)
                let ours = try Bystander(in: directory, user: user, limit: number)
                let earlier = try Bystander(in: directory, user: user + 2, limit: number)
                let ended = try await endStale([user + 2])
                #expect(copied.isAlive && !ours.isAlive && !earlier.isAlive)
                #expect(!ended.contains(copied.recorded.pid) && ended.contains(ours.recorded.pid))
                for process in [copied, ours, earlier] { process.end() }
            }
        }

        @Test(.enabled(if: canMakeNamespaces))
        func `a process in an inner process namespace with a mark number is killed if its mark text names a gone host`()
            async throws
        {
            try await withSuccessor { directory, number, endStale in
                let first = try Bystander(in: directory)
                let host = try #require(ProcessIdentity(of: first.recorded.pid))
                first.end()
                let text = try #require(MarkOwner.current?.text)
                let namespace = text.prefix { $0 != "-" }
                let gone = "\(namespace)-\(host.pid)-\(host.startTime)-5-1"
                let left = try Bystander(in: directory, mark: gone, limit: number, hasInnerChild: true)
                let living = try Bystander(in: directory, mark: "\(text)-5-1", limit: number, hasInnerChild: true)
                #expect(ProcessNamespace.of(left.child) == .inner && ProcessNamespace.of(left.recorded.pid) == .own)
                let ended = try await endStale([])
                #expect(ended.contains(left.child) && !ended.contains(living.child))
                #expect(!Bystander.isAlive(left.child) && Bystander.isAlive(living.child))
                for process in [left, living] { process.end() }
            }
        }

        static let canMakeNamespaces = StandIn.spawn(["unshare", "--pid", "--fork", "true"], errors: "/dev/null") == 0

        /// Runs `body` with a launcher of a directory, with a mark number of an earlier launcher of that directory, and
        /// with a function that ends stale processes and returns their process numbers.
        private func withSuccessor(
            users: UserRange? = nil,
            _ body: (String, UInt64, _ endStale: (Set<UInt32>) async throws -> Set<Int32>) async throws -> Void
        ) async throws {
            try await withScratch { directory in
                let numbers = MarkNumbers.ofDirectory(directory)
                let standIn = try StandIn(in: directory, main: "return 0;")
                try await LaunchFixture.with(runner: standIn.path, in: directory, numbers: numbers, users: users) {
                    let launcher = $0.launcher
                    try await body(directory, 1 << 62 | numbers.bits << 32 | 77) { earlier in
                        Set(await launcher.endStale([], ofEarlier: earlier).map(\.pid))
                    }
                }
            }
        }

        @Test func `the process namespace of a process follows from its status; a zombie has none`() {
            func read(_ status: String) -> ProcessNamespace? {
                ProcessNamespace.read(inStatus: "Name:\tsleep\n\(status)\n")
            }
            #expect(read("State:\tS (sleeping)\nNSpid:\t41") == .own)
            #expect(read("State:\tS (sleeping)") == .own)
            #expect(read("State:\tS (sleeping)\nNSpid:\t41\t7") == .inner)
            #expect(read("State:\tZ (zombie)\nNSpid:\t41") == nil)
        }

        @Test(.enabled(if: geteuid() == 0))
        func `a process without a mark is killed when it has a user of the host's plugins, and left alone otherwise`()
            async throws
        {
            let user = UInt32.random(in: 1 << 28..<1 << 29)
            let range = try #require(UserRange(first: user, last: user + 1))
            try await LaunchFixture.with(users: range, runner: "return 0;") { fixture in
                let leftover = try Bystander(in: fixture.directory, user: user + 1)
                let other = try Bystander(in: fixture.directory, user: user + 2)
                let text = try #require(MarkOwner.current?.text)
                let ours = try Bystander(in: fixture.directory, mark: "\(text)-5-1", user: user)
                #expect(ProcessUser.of(leftover.recorded.pid) == user + 1)
                await fixture.launcher.endStale([])
                #expect(!leftover.isAlive && other.isAlive && ours.isAlive)
                for process in [leftover, other, ours] { process.end() }
            }
        }

        @Test(.enabled(if: geteuid() == 0)) func `the process mark of a process of another user is read`() throws {
            let directory = FileManager.default.temporaryDirectory.path
            var marks = RunnerMarkSeries(owner: try #require(MarkOwner.current))
            let mark = marks.next().number
            let process = try Bystander(in: directory, user: 1 << 28, limit: mark)
            #expect(RunnerMark.number(of: process.recorded.pid) == mark)
            #expect(RunnerMark.number(of: process.child) == mark)
            process.end()
        }

        @Test(.enabled(if: canMakeGroups))
        func `control groups of a host that is gone are emptied and removed`() async throws {
            try await LaunchFixture.with(groups: .detected, runner: "wait_for_end();") { fixture in
                fixture.launcher.take(for: 1)
                let own = try #require(await fixture.events.ready(1).controlGroup)
                let container = URL(fileURLWithPath: own).deletingLastPathComponent().deletingLastPathComponent().path
                let old = try ControlGroup(creating: "\(container)/bgtask-1-test")
                let launch = try ControlGroup(creating: "\(old.path)/launch-7")
                let process = try Bystander(in: fixture.directory)
                #expect(bgl_write_file(AT_FDCWD, "\(launch.path)/cgroup.procs", "\(process.recorded.pid)") == 0)

                await fixture.launcher.endStale([])
                #expect(!process.isAlive)
                #expect(!FileManager.default.fileExists(atPath: old.path))
                #expect(FileManager.default.fileExists(atPath: own))
                process.end()
            }
        }

        static let canMakeGroups: Bool = {
            guard let parent = try? ControlGroupParent(.detected, logger: silentLogger) else { return false }
            parent.remove()
            return true
        }()
    }

    @Suite("The host finds its control group and reads its events, and refuses a directory that is none")
    struct ControlGroupTests {
        @Test func `the host's own control group is found in unified, hybrid and partly mounted hierarchies`() {
            let unified = "30 20 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw"
            let hybrid = """
                31 20 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu
                32 20 0:28 / /sys/fs/cgroup/unified rw - cgroup2 c rw
                """
            let bound = "33 20 0:29 /box /sys/fs/cgroup rw - cgroup2 cgroup2 rw"
            #expect(ControlGroupParent.ownGroup(own: "/", mounts: unified) == "/sys/fs/cgroup")
            #expect(ControlGroupParent.ownGroup(own: "/a.slice/b", mounts: unified) == "/sys/fs/cgroup/a.slice/b")
            #expect(ControlGroupParent.ownGroup(own: "/x", mounts: hybrid) == "/sys/fs/cgroup/unified/x")
            #expect(ControlGroupParent.ownGroup(own: "/box/inner", mounts: bound) == "/sys/fs/cgroup/inner")
            #expect(ControlGroupParent.ownGroup(own: "/boxes", mounts: bound) == nil)
            #expect(ControlGroupParent.ownGroup(own: "/", mounts: "") == nil)
        }

        @Test func `a configured control group directory outside a cgroup v2 hierarchy is refused`() async throws {
            try await withScratch { directory in
                for (place, reason) in [
                    (directory, "not in a cgroup v2 hierarchy"), (directory + "/gone", "No such file"),
                ] {
                    let error = #expect(throws: LaunchError.self) {
                        _ = try ControlGroupParent(.under(place), logger: silentLogger)
                    }
                    for part in [place, reason, "none"] { #expect(error?.message.contains(part) == true) }
                }
            }
        }

        @Test(.proves(61)) func `a kill for lack of memory is recognized by the events of the control group`()
            async throws
        {
            try await withScratch { directory in
                let group = ControlGroup(path: directory)
                #expect(!group.ranOutOfMemory)
                for (count, isShort) in [(0, false), (12, true)] {
                    let events = "low 0\noom 1\noom_kill \(count)\noom_group_kill 0\n"
                    try events.write(toFile: "\(directory)/memory.events", atomically: false, encoding: .utf8)
                    #expect(group.ranOutOfMemory == isShort)
                }
            }
        }
    }
}

/// A process that no launcher started. It leads a session, and has a child in the same process group.
private struct Bystander {
    let recorded: RunnerProcess
    let child: Int32

    /// Starts both processes.
    ///
    /// - Parameters:
    ///   - mark: the text of a process mark in the environment of both; nil for none.
    ///   - user: the user of both processes; nil for that of this process.
    ///   - limit: the number of a process mark in a resource limit of both (`RLIMIT_RTTIME`); nil for none.
    ///   - hasInnerChild: whether the child is in a process namespace of its own.
    init(
        in directory: String,
        mark: String? = nil,
        user: UInt32? = nil,
        limit: UInt64? = nil,
        hasInnerChild: Bool = false
    ) throws {
        let division = hasInnerChild ? "int unshare(int); if (unshare(0x20000000)) return 8;" : ""
        let marking = limit.map { "struct rlimit mark = {\($0)ULL, \($0)ULL}; setrlimit(RLIMIT_RTTIME, &mark);" } ?? ""
        let change =
            user.map { "if (setresgid(\($0), \($0), \($0)) || setresuid(\($0), \($0), \($0))) return 9;" } ?? ""
        let main = """
            setsid();
            \(marking)
            \(change)
            \(division)
            pid_t child = fork();
            if (child == 0) forever();
            printf("%d\\n", child);
            fflush(stdout);
            forever();
            """
        let standIn = try StandIn(in: directory, named: "bystander-\(UUID().uuidString)", main: main)
        let process = try Descriptor.pipe()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, process.1.number, 1)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let environment = mark.map { [strdup("BGTASK_RUNNER=\($0)"), nil] } ?? [nil]
        let arguments = [strdup("bystander"), nil]
        defer { for text in environment + arguments { free(text) } }
        var pid: pid_t = 0
        try #require(posix_spawn(&pid, standIn.path, &actions, nil, arguments, environment) == 0)

        var readable = pollfd(fd: process.0.number, events: Int16(POLLIN), revents: 0)
        while poll(&readable, 1, -1) < 0 {}
        var line = [UInt8](repeating: 0, count: 32)
        let count = bgl_read(process.0.number, &line, line.count)
        child = try #require(Int32(String(decoding: line.prefix(max(0, count - 1)), as: UTF8.self)))
        let identity = try #require(ProcessIdentity(of: pid))
        recorded = RunnerProcess(pid: pid, startTime: identity.startTime, boot: SystemClock().boot, controlGroup: nil)
    }

    var isAlive: Bool { Self.isAlive(recorded.pid) }

    /// Whether a process exists and is not a zombie.
    static func isAlive(_ pid: Int32) -> Bool {
        guard let stat = FileBytes.text("/proc/\(pid)/stat") else { return false }
        return !stat.contains(") Z ")
    }

    func reap() { bgl_wait(recorded.pid, 1, nil) }

    func end() {
        kill(-recorded.pid, SIGKILL)
        kill(child, SIGKILL)
        reap()
        bgl_wait(child, 1, nil)
    }
}

/// Waits until a process that this process has adopted is dead, and reaps it.
private func waitForDeath(of child: Int32) {
    bgl_wait(child, 1, nil)
}
