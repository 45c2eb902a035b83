// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginLaunch
import PluginTrial
import SandboxPolicy
import TaskModel

extension ConformanceCheck {
    /// Checks of what the plugin does to the process of a launch: its settings, its child processes, its log lines and
    /// its system calls.
    static let processChecks = [
        processHandlers, processMask, processDirectory, processUmask, processDescriptors, processStreams,
        noChildrenLeft, logWithinLimits, grantsSuffice,
    ]

    private static let processHandlers = processCheck(
        "process-handlers",
        "the plugin leaves the runner's signal handlers in place",
        .changedSignalHandler,
        remedy: "do not install handlers of SIGTERM, SIGINT, SIGHUP, SIGPIPE and crash signals; use stop and"
            + " expiration handlers"
    )

    private static let processMask = processCheck(
        "process-mask",
        "entry leaves the signal mask of the main thread unchanged",
        .changedSignalMask,
        remedy: "restore the mask before entry returns; threads of the plugin may block signals"
    )

    private static let processDirectory = processCheck(
        "process-directory",
        "the plugin leaves the working directory unchanged",
        .changedDirectory,
        remedy: "use absolute paths, such as the container's"
    )

    private static let processUmask = processCheck(
        "process-umask",
        "the plugin leaves the umask unchanged",
        .changedUmask,
        remedy: "pass modes to open and mkdir"
    )

    private static let processDescriptors = processCheck(
        "process-descriptors",
        "the plugin leaves stdin, stdout and stderr open and unchanged",
        .changedStream,
        remedy: "do not close or redirect the descriptors 0 to 2; use descriptors that the plugin opens"
    )

    private static let processStreams = processCheck(
        "process-streams",
        "no thread holds the lock of stdout or stderr at the end of the launch",
        .heldStream,
        remedy: "release the lock before the last task is completed"
    )

    private static let noChildrenLeft = ConformanceCheck(
        "no-children-left",
        level: 2,
        rule: .abi(.processOfHost),
        "no process of the launch is left when it ends",
        remedy: "wait for started processes before the last task is completed",
        needs: sound + ["completes"],
        trials: { .scripts($0.ordinary) }
    ) { logs, _ in
        logs.compactMap { log in
            guard let count = log.end?.leftRunning, count > 0, !log.isOverdue else { return nil }
            let processes = count == 1 ? "1 process of the plugin was" : "\(count) processes of the plugin were"
            return ConformanceFlaw(.leak, "\(processes) left running at the end of the launch, and killed")
        }
    }

    private static let logWithinLimits = ConformanceCheck(
        "log-within-limits",
        level: 2,
        rule: .abi(.processOfHost),
        "the plugin writes no more lines than the log accepts",
        remedy: "write less, or to a file in the container; lines above the rate limit are dropped",
        needs: ["entry-succeeds"]
    ) { logs, _ in
        logs.flatMap { log in
            log.all { event -> ConformanceFlaw? in
                guard case .outputDropped(let stream, let lines) = event else { return nil }
                return ConformanceFlaw(.fault, "\(lines) lines of \(stream.rawValue) were dropped")
            }
        }
    }

    private static let grantsSuffice = ConformanceCheck(
        "grants-suffice",
        level: 2,
        rule: .manifest,
        "the sandbox refuses no system call of the plugin",
        remedy: "add the grant to the manifest, or remove the call from the plugin",
        needs: ["entry-succeeds"],
        trials: { .scripts([$0.standard] + $0.events) }
    ) { logs, _ in
        let calls = logs.flatMap { log in
            log.all { if case .denied(let call) = $0 { call.message(grants: []) } else { nil } }
        }
        return Set(calls).sorted().map { ConformanceFlaw(.remark, $0) }
    }

    /// A check of level 1 for one kind of violation that the runner finds in the state of the process.
    private static func processCheck(
        _ name: String,
        _ promise: String,
        _ kind: ViolationKind,
        remedy: String
    ) -> ConformanceCheck {
        ConformanceCheck(
            name,
            level: 1,
            rule: .abi(.processOfHost),
            promise,
            violation: kind,
            remedy: remedy,
            needs: ["entry-succeeds"]
        )
    }
}
