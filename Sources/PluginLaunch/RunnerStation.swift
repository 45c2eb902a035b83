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
        let group: ControlGroup?
    }

    let groups: ControlGroupParent?
    private let path: String
    private let executable: Descriptor
    private let emptyInput: Descriptor
    private let environment: RunnerEnvironment
    private let boot: BootID
    private let cores: CoreFiles
    private let logger: Logger
    private(set) var marks: RunnerMarkSeries

    init(
        runner path: String,
        environment: RunnerEnvironment,
        groups: ControlGroupPlacement,
        owner: MarkOwner,
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
        self.environment = environment
        self.logger = logger
        self.groups = try ControlGroupParent(groups, logger: logger)
        boot = SystemClock().boot
        cores = .ofThisMachine
        marks = RunnerMarkSeries(owner: owner)
    }

    mutating func start(for launch: LaunchNumber) throws(LaunchError) -> Start {
        let mark = marks.next()
        let group = makeGroup(for: launch)
        do throws(SystemError) {
            return try start(mark: mark, in: group)
        } catch {
            _ = group?.remove()
            if error.attempt == Self.execution(of: path) { throw Self.unusable(error) }
            throw LaunchError(error, purpose: "start a runner for launch \(launch)")
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

    private func start(mark: RunnerMark, in group: ControlGroup?) throws(SystemError) -> Start {
        try Self.checkReserve()
        let (control, runnerControl) = try Descriptor.socketPair()
        let (standardOutput, runnerOutput) = try Descriptor.pipe()
        let (standardError, runnerError) = try Descriptor.pipe()
        let (lastWords, runnerLastWords) = try Descriptor.pipe()
        let groupDirectory = try group?.open()

        // The order of `RunnerDescriptors`: standard streams, control, last words.
        let inherited = [emptyInput, runnerOutput, runnerError, runnerControl, runnerLastWords]
        let variables = environment.variables.map { "\($0.name)=\($0.value)" } + ["\(RunnerMark.variable)=\(mark.text)"]
        var spawned = bgl_spawned()
        let status = CStrings.with(["bgtask-runner"]) { arguments in
            CStrings.with(variables) { environment in
                inherited.map(\.number).withUnsafeBufferPointer { descriptors in
                    var spawn = bgl_spawn()
                    spawn.executable = executable.number
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
        try SystemError.check(status, isExecution ? Self.execution(of: path) : "start a process")

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
            group: isInGroup ? group : nil
        )
    }

    private func makeGroup(for launch: LaunchNumber) -> ControlGroup? {
        do throws(SystemError) {
            return try groups?.makeGroup(named: "launch-\(launch)")
        } catch {
            let cause = "cannot \(error.attempt): \(error.meaning)"
            logger.warning(
                "the launch runs without a control group, so its limit of memory is not enforced: \(cause)",
                metadata: ["launch": "\(launch)"]
            )
            return nil
        }
    }

    private static func execution(of path: String) -> String { "execute \(path)" }

    private static func unusable(_ error: SystemError) -> LaunchError {
        LaunchError(
            code: .runnerUnusable,
            message: "the runner cannot be used: cannot \(error.attempt): \(error.meaning); "
                + "install bgtask-runner for this machine, or name another runner to bgtaskd with --runner"
        )
    }

    private static func isExecutable(_ file: Descriptor) -> Bool {
        var status = stat()
        return fstat(file.number, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
            && access("/proc/self/fd/\(file.number)", X_OK) == 0
    }
}
