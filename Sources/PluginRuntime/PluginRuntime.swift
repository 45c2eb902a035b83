// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import RunnerWire
import TaskModel

/// A runner's whole life: takes one plan from the control socket, runs that launch, ends the process.
/// One per process; nothing of it can be taken back.
package enum PluginRuntime {
    package static func run() -> Never {
        guard hasHost else {
            RunnerExit.say(
                "runs one plugin for bgtaskd, which starts it with a socket as descriptor \(RunnerDescriptors.control)"
                    + " and a pipe as descriptor \(RunnerDescriptors.lastWords); it is no command, use bgtask"
            )
            exit(RunnerExit.misuse)
        }
        prepareProcess()
        guard let bell = Bell(), let reserve = WorkQueue(named: "bgtask-reserve"),
            let spare = WorkQueue(named: "bgtask-spare")
        else {
            RunnerExit.end("no descriptor or thread available; raise the limits of bgtaskd's service")
        }
        let channel = ControlChannel(descriptor: RunnerDescriptors.control, bell: bell)
        var decoder = FrameDecoder<HostMessage>()
        let plan = receivePlan(from: channel, &decoder)
        guard parentIsHost else { _exit(RunnerExit.hostIsGone) }

        WorkerThread.setName(plan.plugin.text)
        // A handler and an expiration handler of every task, at once; with those that may still be delivered.
        let running = RunningTasks(capacity: 2 * (plan.tasks.count + laterTasks))
        CrashReporter.install(watching: running)
        let launch = Launch(plan, channel: channel, running: running, spare: spare, reserve: reserve)
        HostTable.launch = launch

        // The deadline is armed before anything of the plugin is mapped: constructors are on the clock.
        let received = decoder
        let isArmed = WorkerThread.start(named: "bgtask-control") {
            var loop = ControlLoop(launch, descriptor: RunnerDescriptors.control, bell: bell, decoder: received)
            loop.run()
        }
        guard isArmed else { RunnerExit.end("no thread available; raise the limits of bgtaskd's service") }
        launch.run()
    }

    /// Continued tasks beyond the batch whose crash can be told from one another's.
    private static let laterTasks = 64

    private static var hasHost: Bool {
        var status = stat()
        guard fstat(RunnerDescriptors.control, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return false }
        // Missing, its number would go to the next descriptor that is opened.
        return fcntl(RunnerDescriptors.lastWords, F_GETFD) >= 0
    }

    private static func prepareProcess() {
        // No program that a plugin starts may speak to the host.
        for descriptor in [RunnerDescriptors.control, RunnerDescriptors.lastWords] {
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        }
        // A plugin's broken pipe is an error to it, not its end.
        signal(SIGPIPE, SIG_IGN)
        // A service manager that stops the host signals its runners too; the host alone decides about their end. Handlers,
        // not SIG_IGN: programs that a plugin starts get their own back.
        for polite in [SIGTERM, SIGINT, SIGHUP] { signal(polite) { _ in } }
        OutputStreams.bufferByLine()
    }

    private static func receivePlan(
        from channel: ControlChannel,
        _ decoder: inout FrameDecoder<HostMessage>
    ) -> RunnerPlan {
        do {
            while true {
                switch try decoder.next() {
                case .plan(let plan): return plan
                case .some:
                    RunnerExit.end("the host's first message was no plan; install host and runner from one release")
                case nil: break
                }
                // A runner that was started ahead of time and never needed ends here, when its host does.
                guard case .bytes(let bytes) = channel.receive(waits: true) else { _exit(RunnerExit.hostIsGone) }
                decoder.append(bytes)
            }
        } catch {
            RunnerExit.end("the plan cannot be read: \(error.message)")
        }
    }

    /// A host that died before its runner was bound to its life leaves an orphan with another parent.
    private static var parentIsHost: Bool {
        // The kernel's `struct ucred`: process, user and group of whoever made the socket pair.
        var peer: (process: Int32, user: UInt32, group: UInt32) = (0, 0, 0)
        var size = socklen_t(MemoryLayout.size(ofValue: peer))
        guard getsockopt(RunnerDescriptors.control, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 else { return true }
        return peer.process == getppid()
    }
}
