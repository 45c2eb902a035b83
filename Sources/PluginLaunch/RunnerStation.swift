// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem
import Logging
import TaskModel

/// Starts runners from the binary that was opened when the station was created. It does not supervise them.
struct RunnerStation {
    /// A started runner process with the host's ends of its channels.
    struct Start {
        let process: RunnerProcess
        let mark: RunnerMark
        /// Whether the process carries the number of its process mark as a resource limit. False where the system
        /// refused to set it: descendants are then recognized only by environment or control group.
        let hasNumber: Bool
        let leader: Descriptor
        let control: Descriptor
        let standardOutput: Descriptor
        let standardError: Descriptor
        let lastWords: Descriptor
        let cursors: CursorMemory
        let group: ControlGroup?
        /// The reason why the process has no control group, although launches have them; nil when it has one, and where
        /// launches have none.
        let missingGroup: String?

        /// Whether the process has ended, reaped or not.
        var hasExited: Bool { hasExited(within: .zero) }

        /// Waits for the end of the process, at most for the given time. Returns whether it has ended.
        func hasExited(within limit: Duration) -> Bool {
            var readiness = pollfd(fd: leader.number, events: Int16(POLLIN), revents: 0)
            return poll(&readiness, 1, Int32(clamping: limit.wholeNanoseconds / 1_000_000)) > 0
        }
    }

    /// A program that runs as a runner.
    private struct Program {
        let path: String
        /// The program, opened to be executed.
        let file: Descriptor
        let isBundled: Bool
    }

    let groups: ControlGroupParent?
    private let path: String
    /// The runner's program, opened to be executed.
    let executable: Descriptor
    private let emptyInput: Descriptor
    private let environment: RunnerEnvironment
    private let boot: BootID
    private let cores: CoreFiles
    /// Whether a launch without a control group is refused, in a launcher whose launches have them.
    private let requiresGroups: Bool
    private(set) var marks: RunnerMarkSeries

    init(
        runner path: String,
        environment: RunnerEnvironment,
        groups: ControlGroupPlacement,
        requiresGroups: Bool,
        owner: MarkOwner,
        numbers: MarkNumbers,
        logger: Logger
    ) throws(LaunchError) {
        do throws(SystemError) {
            executable = try Descriptor(openingProgram: path)
            guard Self.isExecutable(executable) else { throw SystemError(number: EACCES, attempt: "execute \(path)") }
        } catch {
            throw Self.unusable(error)
        }
        do throws(SystemError) {
            emptyInput = try Descriptor(opening: "/dev/null", flags: O_RDONLY)
        } catch {
            throw LaunchError(error, purpose: "give runners an empty standard input")
        }
        self.path = path
        self.requiresGroups = requiresGroups
        self.environment = environment
        self.groups = try ControlGroupParent(groups, logger: logger)
        boot = SystemClock().boot
        cores = .ofThisMachine
        marks = RunnerMarkSeries(owner: owner, numbers: numbers)
    }

    /// Starts a runner.
    ///
    /// - Parameters:
    ///   - launch: the launch that needs the runner now; nil for an idle runner.
    ///   - path: path of a copy of the runner in a main bundle; nil for the runner itself.
    mutating func start(for launch: LaunchNumber?, program path: String? = nil) throws(LaunchError) -> Start {
        let program = try path.map { path throws(LaunchError) in try Self.bundled(path) } ?? ordinary
        let mark = marks.next()
        let (group, cause) = makeGroup(for: mark)
        if let cause, requiresGroups { throw Self.unlimited(launch, cause) }
        let started = try start(program, for: launch, mark, in: group, missingGroup: cause)
        guard requiresGroups, let cause = started.missingGroup else { return started }
        // The runner waits for a plan, and has loaded no plugin code.
        kill(started.process.pid, SIGKILL)
        bgl_wait(started.process.pid, 1, nil)
        throw Self.unlimited(launch, cause)
    }

    private func start(
        _ program: Program,
        for launch: LaunchNumber?,
        _ mark: RunnerMark,
        in group: ControlGroup?,
        missingGroup: String?
    ) throws(LaunchError) -> Start {
        do throws(SystemError) {
            return try start(program, mark: mark, in: group, missingGroup: missingGroup)
        } catch {
            _ = group?.remove()
            if error.attempt == Self.execution(of: program.path) {
                throw Self.unusable(error, isBundled: program.isBundled)
            }
            let purpose = launch.map { "start a runner for launch \($0)" } ?? "start an idle runner"
            throw LaunchError(error, purpose: purpose)
        }
    }

    /// The number of free descriptors that a launch needs: its own, and a reserve for libdispatch, which opens files of
    /// `/proc` and ends the process when it cannot.
    private static let neededDescriptors = 24

    /// Throws when fewer descriptors are free than a launch needs. They are counted, not opened: another thread may
    /// need one at the same time.
    private static func checkReserve() throws(SystemError) {
        if try openDescriptors() + neededDescriptors > sysconf(Int32(_SC_OPEN_MAX)) {
            throw SystemError(number: EMFILE, attempt: "reserve descriptors")
        }
    }

    /// The number of open descriptors of this process.
    private static func openDescriptors() throws(SystemError) -> Int {
        let place = "/proc/self/fd"
        var status = stat()
        if stat(place, &status) == 0, status.st_size > 0 { return Int(status.st_size) }
        // Before Linux 6.2 the size is 0.
        guard let directory = opendir(place) else { throw SystemError(number: errno, attempt: "read \(place)") }
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil { count += 1 }
        return count
    }

    private func start(
        _ program: Program,
        mark: RunnerMark,
        in group: ControlGroup?,
        missingGroup: String?
    ) throws(SystemError) -> Start {
        try Self.checkReserve()
        let (control, runnerControl) = try Descriptor.socketPair()
        let (standardOutput, runnerOutput) = try Descriptor.pipe()
        let (standardError, runnerError) = try Descriptor.pipe()
        let (lastWords, runnerLastWords) = try Descriptor.pipe()
        let cursors = try CursorMemory()
        let groupDirectory = try group?.open()

        // The order of `RunnerDescriptors`: standard streams, control, last words, cursors.
        let inherited = [emptyInput, runnerOutput, runnerError, runnerControl, runnerLastWords, cursors.descriptor]
        let variables = environment.variables.map { "\($0.name)=\($0.value)" } + ["\(RunnerMark.variable)=\(mark.text)"]
        var spawned = bgl_spawned()
        let status = CStrings.with(["bgtask-runner"]) { arguments in
            CStrings.with(variables) { environment in
                inherited.map(\.number).withUnsafeBufferPointer { descriptors in
                    var spawn = bgl_spawn()
                    spawn.executable = program.file.number
                    spawn.arguments = arguments
                    spawn.environment = environment
                    spawn.descriptors = descriptors.baseAddress
                    spawn.descriptor_count = Int32(descriptors.count)
                    spawn.cgroup = groupDirectory?.number ?? -1
                    spawn.mark = mark.number
                    spawn.leaves_no_core = cores == .inWorkingDirectory ? 1 : 0
                    return bgl_spawn(&spawn, &spawned)
                }
            }
        }
        let isExecution = spawned.failed_stage == Int32(BGL_STAGE_EXEC)
        try SystemError.check(status, isExecution ? Self.execution(of: program.path) : "start a process")

        let leader = Descriptor(owning: spawned.pidfd)
        guard let identity = ProcessIdentity(of: spawned.pid) else {
            kill(spawned.pid, SIGKILL)
            bgl_wait(spawned.pid, 1, nil)
            throw SystemError(number: ENOENT, attempt: "read /proc/\(spawned.pid)/stat")
        }
        let isInGroup = spawned.is_in_cgroup != 0
        if !isInGroup { _ = group?.remove() }
        return Start(
            process: RunnerProcess(
                pid: identity.pid,
                startTime: identity.startTime,
                boot: boot,
                controlGroup: isInGroup ? group?.path : nil
            ),
            mark: mark,
            hasNumber: spawned.is_marked != 0,
            leader: leader,
            control: control,
            standardOutput: standardOutput,
            standardError: standardError,
            lastWords: lastWords,
            cursors: cursors,
            group: isInGroup ? group : nil,
            missingGroup: group == nil || isInGroup
                ? missingGroup : "the kernel refuses to start the runner in the control group"
        )
    }

    /// The control group of a runner, or the reason why it has none. Both are nil where launches have no control
    /// groups. The group has the runner's number, not that of a launch: an idle runner has no launch yet, and a process
    /// is not moved between groups.
    private func makeGroup(for mark: RunnerMark) -> (group: ControlGroup?, cause: String?) {
        do throws(SystemError) {
            return (try groups?.makeGroup(named: "runner-\(mark.sequence)"), nil)
        } catch {
            return (nil, "the host cannot \(error.attempt): \(error.meaning)")
        }
    }

    private static func unlimited(_ launch: LaunchNumber?, _ cause: String) -> LaunchError {
        let name = launch.map { "launch \($0)" } ?? "an idle runner"
        return LaunchError(
            code: .refused,
            message: "\(name) gets no control group, so its limits of memory and processes cannot be enforced,"
                + " and isolation requires one or both: \(cause); let the host create control groups below its own"
                + " (Delegate=yes), or remove memory and processes from isolation, and restart the host"
        )
    }

    private static func execution(of path: String) -> String { "execute \(path)" }

    private var ordinary: Program { Program(path: path, file: executable, isBundled: false) }

    private static func bundled(_ path: String) throws(LaunchError) -> Program {
        do throws(SystemError) {
            return Program(path: path, file: try Descriptor(openingProgram: path), isBundled: true)
        } catch {
            throw unusable(error, isBundled: true)
        }
    }

    private static func unusable(_ error: SystemError, isBundled: Bool = false) -> LaunchError {
        let remedy =
            isBundled
            ? "if the file system of the state directory, which has the main bundles, is mounted with noexec, mount it"
                + " without"
            : "install bgtask-runner for this machine, or name another runner to bgtaskd with --runner"
        return LaunchError(
            code: .runnerUnusable,
            message: "the runner cannot be used: cannot \(error.attempt): \(error.meaning); \(remedy)"
        )
    }

    private static func isExecutable(_ file: Descriptor) -> Bool {
        var status = stat()
        return fstat(file.number, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
            && access("/proc/self/fd/\(file.number)", X_OK) == 0
    }
}
