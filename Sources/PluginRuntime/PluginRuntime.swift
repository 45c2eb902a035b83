// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem
import RunnerWire
import Sandbox
import TaskModel

/// The entry point of a runner: it enters the sandbox that the host's first message describes, receives the plan of one
/// launch, runs this launch and ends the process. It runs once per process.
package enum PluginRuntime {
    package static func run() -> Never {
        guard hasHost else {
            RunnerExit.say(
                "runs one plugin for bgtaskd, which starts it with a socket as descriptor \(RunnerDescriptors.control)"
                    + " and a pipe as descriptor \(RunnerDescriptors.lastWords); do not start bgtask-runner, use bgtask"
            )
            exit(RunnerExit.misuse)
        }
        prepareProcess()
        let cursors = CursorMemory.take()
        guard let wakeChannel = WakeChannel() else {
            awaitFirstBytes()
            RunnerExit.endUnstarted(without: .descriptor)
        }
        let channel = HostChannel(descriptor: RunnerDescriptors.control, wakeChannel: wakeChannel)
        var decoder = FrameDecoder<HostMessage>()
        var ruleset: BaseRuleset?
        if !hasBytes {
            ruleset = BaseRuleset.prepared()
            Rehearsal.run()
        }
        guard case .confine(let confinement) = receive(from: channel, &decoder) else { endForOrder("a confinement") }
        guard parentIsHost else { _exit(RunnerExit.hostIsGone) }

        // Inherited by all later threads. A failure has no effect on the plugin.
        if confinement.nice > 0 { Sandbox.lowerPriority(by: confinement.nice) }
        // Before the first other thread: a sandbox does not apply to threads that exist already.
        // Taken: the ruleset has to be closed before any plugin code is mapped.
        var listener = enterSandbox(confinement, channel, ruleset.take())
        guard parentIsHost else { _exit(RunnerExit.hostIsGone) }
        guard let reserve = WorkQueue(named: "bgtask-reserve"), let spare = WorkQueue(named: "bgtask-spare") else {
            RunnerExit.endUnstarted(without: .thread)
        }
        // The plan follows once the launch is recorded: until then no code of the plugin is mapped.
        guard case .plan(let plan) = receive(from: channel, &decoder) else { endForOrder("a plan") }
        // The host has copied a listener that it could not receive. Closed here: its holder could permit refused calls.
        withExtendedLifetime(listener) {}
        listener = nil
        WorkerThread.setName(plan.plugin.text)
        // One slot for a handler and one for an expiration handler of every task, including tasks that are delivered
        // later.
        let running = RunningTasks(capacity: 2 * (plan.tasks.count + laterTasks))
        CrashReporter.install(watching: running)
        let launch = RunnerLaunch(
            plan,
            container: confinement.containerPath,
            channel: channel,
            cursors: cursors,
            running: running,
            spare: spare,
            reserve: reserve
        )
        HostTable.launch = launch

        // The deadline is armed before any plugin code is mapped: constructors count against the budget.
        let received = decoder
        let isArmed = WorkerThread.start(named: "bgtask-control") {
            var loop = ControlLoop(
                launch,
                descriptor: RunnerDescriptors.control,
                wakeChannel: wakeChannel,
                decoder: received
            )
            loop.run()
        }
        guard isArmed else { RunnerExit.endUnstarted(without: .thread) }
        if plan.imitation.contains(.strict) { ForkedProcess.recordCalls() }
        // The runner has its threads. The kernel counts all threads of the user, so none is added below this limit.
        if plan.imitation.contains(.noThreads) { _ = bgl_limit(Int32(__RLIMIT_NPROC.rawValue), 0, 0) }
        launch.run()
    }

    /// The number of concurrent tasks delivered after the batch for which the crash reporter reserves slots, so that it
    /// can attribute a crash to its task.
    private static let laterTasks = 64

    private static var hasHost: Bool {
        var status = stat()
        guard fstat(RunnerDescriptors.control, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return false }
        // If the descriptor were missing, the next opened descriptor would get its number.
        return fcntl(RunnerDescriptors.lastWords, F_GETFD) >= 0
    }

    private static func prepareProcess() {
        // Programs that a plugin starts must not inherit the connection to the host.
        for descriptor in [RunnerDescriptors.control, RunnerDescriptors.lastWords] {
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        }
        // A service manager that stops the host also signals its runners, but only the host decides when they end.
        // Writing to a broken pipe returns an error to the plugin instead of ending the process. The handlers are empty
        // functions instead of SIG_IGN: programs that a plugin starts get the default action back.
        for ineffective in [SIGTERM, SIGINT, SIGHUP, SIGPIPE] { signal(ineffective) { _ in } }
        // Ignored, also in programs that a plugin starts: a write beyond the limit of a file's size returns EFBIG.
        signal(SIGXFSZ, SIG_IGN)
        ForkedProcess.prepare()
        OutputStreams.bufferByLine()
    }

    /// Gives this process its user and its sandbox. If that fails, the process ends before any plugin code is mapped.
    ///
    /// - Returns: the listener for refused system calls, if the host has to copy it before it sends the plan. Closed
    ///   before any plugin code is mapped.
    private static func enterSandbox(
        _ confinement: Confinement,
        _ channel: HostChannel,
        _ ruleset: BaseRuleset?
    ) -> Descriptor? {
        do throws(SystemError) {
            let (messages, listener) = try Sandbox.enter(
                confinement.sandbox,
                as: confinement.user,
                processLimit: confinement.processLimit,
                fileLimit: confinement.fileLimit,
                container: confinement.containerPath,
                prepared: ruleset
            )
            // The first message: the host accepts a listener with the first bytes only.
            var unsent: Descriptor?
            if let listener {
                if !send(listener, over: channel) { unsent = listener }
            } else if confinement.isFiltered {
                channel.send(.confined())
            }
            if confinement.sandbox != nil { try Sandbox.limitDescriptors() }
            for message in messages {
                channel.send(.log(.warning, message: message))
            }
            return unsent
        } catch {
            RunnerExit.endUnstarted(RunnerExit.notConfined, "the sandbox cannot be set up: \(error)")
        }
    }

    /// Sends the listener for refused system calls to the host. If that fails, the process ends: the host could not
    /// answer its refused calls. The caller closes the listener before it maps the plugin, because the holder of the
    /// listener could permit refused calls.
    ///
    /// - Returns: false when the kernel refuses to send it because the user has too many descriptors in flight. The
    ///   host then knows its number, copies it and sends the plan.
    private static func send(_ listener: Descriptor, over channel: HostChannel) -> Bool {
        defer { withExtendedLifetime(listener) {} }
        Sandbox.raiseDescriptorLimit()
        do throws(SystemError) {
            try channel.send(.confined(), with: listener.number)
            return true
        } catch {
            if error.number == ETOOMANYREFS, channel.send(.confined(listener: listener.number)) { return false }
            RunnerExit.endUnstarted(
                RunnerExit.notConfined,
                "the listener for refused system calls does not reach the host: \(error)"
            )
        }
    }

    /// Whether the host has sent the first bytes, or has closed the socket.
    private static var hasBytes: Bool {
        var state = pollfd(fd: RunnerDescriptors.control, events: Int16(POLLIN), revents: 0)
        return poll(&state, 1, 0) != 0
    }

    /// Waits until the host has sent the first bytes, or has closed the socket.
    private static func awaitFirstBytes() {
        var wait = pollfd(fd: RunnerDescriptors.control, events: Int16(POLLIN), revents: 0)
        while poll(&wait, 1, -1) < 0, errno == EINTR {}
    }

    private static func endForOrder(_ expected: String) -> Never {
        RunnerExit.endUnstarted(
            RunnerExit.brokenWire,
            RunnerExit.mismatch("the host sent another message in place of \(expected)")
        )
    }

    private static func receive(
        from channel: HostChannel,
        _ decoder: inout FrameDecoder<HostMessage>
    ) -> HostMessage {
        do {
            while true {
                if let message = try decoder.next() { return message }
                // A runner that never gets a plan ends here, together with its host.
                guard case .bytes(let bytes) = channel.receive(waits: true) else { _exit(RunnerExit.hostIsGone) }
                decoder.append(bytes)
            }
        } catch {
            RunnerExit.endUnstarted(
                RunnerExit.brokenWire,
                RunnerExit.mismatch("the host's message cannot be read: \(error.message)")
            )
        }
    }

    /// Whether the host is still the parent process. If the host died before the parent-death signal was in effect,
    /// another process has adopted the runner. True when the socket does not name the host's process.
    private static var parentIsHost: Bool {
        // The kernel's `struct ucred`: process, user and group that created the socket pair.
        var peer: (process: Int32, user: UInt32, group: UInt32) = (0, 0, 0)
        var size = socklen_t(MemoryLayout.size(ofValue: peer))
        guard getsockopt(RunnerDescriptors.control, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 else { return true }
        return peer.process == getppid()
    }
}
