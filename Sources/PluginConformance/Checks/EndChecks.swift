// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginTrial
import RunnerWire
import TaskModel

extension ConformanceCheck {
    /// Checks of calls without an effect (in forked processes, after `stop`, and about cursors of other tasks), of calls
    /// with a copy of the host table, and of memory that is used after `stop` or after a completion. The host of their
    /// trials reports such calls, or makes such memory unusable.
    static let endChecks = [
        noForkedCalls, noLateCalls, hostPointer, cursorOfOpenTask, mainOutlivesStop, taskInfoCopied,
    ]

    private static let noForkedCalls = ConformanceCheck(
        "no-forked-calls",
        level: 2,
        rule: .abi(.placesOfCalls),
        "a process that the plugin forked does not call the host",
        remedy: "call the host before fork, or in the process of the launch; in a forked process a call has no effect",
        needs: orderly,
        trials: { .scripts(strict($0)) }
    ) { logs, _ in logs.flatMap { $0.violations(.calledInFork) } }

    private static let noLateCalls = ConformanceCheck(
        "no-late-calls",
        level: 2,
        rule: .abi(.placesOfCalls),
        "no thread of the plugin calls the host after `stop` has returned",
        remedy: "end own threads in `stop`; after it every call returns BGT_ENDED and has no effect",
        needs: orderly + ["stop-returns"],
        trials: { .scripts(strict($0)) }
    ) { logs, _ in
        logs.flatMap { $0.violations(.calledAfterStop) }.map { ConformanceFlaw(.remark, $0.seen) }
    }

    private static let hostPointer = ConformanceCheck(
        "host-pointer",
        level: 2,
        rule: .abi(.numbers),
        "every call passes the pointer of the host table that entry received",
        remedy: "store the pointer, not a copy of the table, and pass it to every function",
        needs: orderly,
        trials: { .scripts(strict($0)) }
    ) { logs, _ in logs.flatMap { $0.violations(.passedCopy) } }

    private static let cursorOfOpenTask = ConformanceCheck(
        "cursor-of-open-task",
        level: 2,
        rule: .abi(.numbers),
        "the plugin moves and deletes only the cursors of its own requests, before their completion",
        remedy: "pass the number that the handler received, and move the cursor before complete; events have none",
        needs: orderly,
        trials: { .scripts(strict($0)) }
    ) { logs, _ in logs.flatMap { $0.violations(.movedForeignCursor) } }

    private static let mainOutlivesStop = ConformanceCheck(
        "main-outlives-stop",
        level: 2,
        rule: .abi(.processOfHost),
        "`run_main` and own threads run without a crash while `stop` runs and after it has returned",
        remedy: "do not free in `stop` what `run_main` or another thread reads; the end of the process frees it",
        needs: orderly + ["stop-returns"],
        trials: { .scripts(strict($0)) }
    ) { logs, _ in logs.filter { $0.contains { $0 == .stopping } }.flatMap(\.crash) }

    private static let taskInfoCopied = ConformanceCheck(
        "task-info-copied",
        level: 3,
        rule: .abi(.strings),
        "the pointers of task_info are not used after the completion of the task",
        remedy: "copy the strings and the payload before the call of complete, or in the handler",
        needs: orderly + ["event-each"],
        trials: { .scripts(guarded($0)) }
    ) { logs, _ in logs.flatMap(\.crash) }

    /// The ordinary launches on a strict host (`ImitatedHost.strict`): it reports calls without an effect and calls
    /// through a copy of its table, and overwrites memory that `stop` frees.
    private static func strict(_ plugin: ConformancePlugin) -> [TrialScript] {
        plugin.ordinary.map { script in
            var script = script
            script.imitation = .strict
            return script
        }
    }

    /// The standard batch and every event on a host that closes the memory of completed tasks.
    private static func guarded(_ plugin: ConformancePlugin) -> [TrialScript] {
        ([plugin.standard] + plugin.events.filter { $0 != plugin.standard }).map { script in
            var script = script
            script.imitation = .guardedTasks
            return script
        }
    }
}
