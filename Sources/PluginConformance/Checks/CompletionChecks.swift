// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginLaunch
import PluginTrial
import RunnerWire
import TaskModel

extension ConformanceCheck {
    /// Checks about handlers and completions.
    static let completionChecks = [
        noUnwinding, processChannel, processNotEnded, noCrash, completes, completesOnce, completesWithOutcome,
        completesOwn, assertionNumbers, assertionEnded, stopReturns,
    ]

    private static let noUnwinding = ConformanceCheck(
        "no-unwinding",
        level: 1,
        rule: .abi(.noUnwinding),
        "no exception and no panic leaves a callback",
        remedy: "catch every exception and panic in the callback, and complete the task as failed",
        needs: ["entry-succeeds"]
    ) { logs, _ in
        logs.filter { $0.crashSignal != nil }.flatMap { log in
            log.all { event -> ConformanceFlaw? in
                guard case .output(_, let line) = event, unwinding.contains(where: line.contains) else { return nil }
                return ConformanceFlaw(.crash, "the process ended after the output: \(line)")
            }.prefix(1)
        }
    }

    private static let processChannel = ConformanceCheck(
        "process-channel",
        level: 1,
        rule: .abi(.processOfHost),
        "the plugin does not use descriptors that it did not open",
        remedy: "use only descriptors that the plugin opened; the runner's channel is one of the others",
        needs: ["entry-succeeds"]
    ) { logs, _ in
        logs.flatMap { log in
            log.all { if case .malformed(let message) = $0 { ConformanceFlaw(.fault, message) } else { nil } }
        }
    }

    private static let processNotEnded = ConformanceCheck(
        "process-not-ended",
        level: 1,
        rule: .abi(.processOfHost),
        "the plugin does not end its process, and does not close the runner's descriptors",
        remedy: "complete the tasks and return; do not call exit, and close only descriptors that the plugin opened",
        needs: ["entry-succeeds", "process-channel"]
    ) { logs, _ in logs.flatMap(\.exit) }

    private static let noCrash = ConformanceCheck(
        "no-crash",
        level: 1,
        rule: .abi(.processOfHost),
        "the handlers of all tasks run without a crash",
        remedy: "debug the handler; the output before the crash often names the cause",
        needs: ["entry-succeeds", "no-unwinding"]
    ) { logs, _ in logs.flatMap(\.crash) }

    private static let completes = ConformanceCheck(
        "completes",
        level: 1,
        rule: .abi(.oneCompletion),
        "every delivered task is completed, at the latest in the grace period",
        remedy: "complete each task on every path, also after an error; set an expiration handler that stops the"
            + " work and completes the task",
        needs: sound
    ) { logs, plugin in logs.flatMap { $0.incomplete(plugin.standard) } }

    private static let completesOnce = ConformanceCheck(
        "completes-once",
        level: 1,
        rule: .abi(.oneCompletion),
        "every task is completed once",
        violation: .completedTwice,
        remedy: "complete the task at one place; only the first completion counts",
        needs: ["entry-succeeds"]
    )

    private static let completesWithOutcome = ConformanceCheck(
        "completes-with-outcome",
        level: 1,
        rule: .abi(.oneCompletion),
        "tasks are completed with an outcome of the header",
        violation: .completedWithoutOutcome,
        remedy: "pass BGT_OUTCOME_SUCCESS, BGT_OUTCOME_FAILURE or BGT_OUTCOME_NO_DATA, not a boolean value or a status",
        needs: ["entry-succeeds"]
    )

    private static let completesOwn = ConformanceCheck(
        "completes-own",
        level: 1,
        rule: .abi(.numbers),
        "only delivered tasks are completed",
        violation: .completedForeign,
        remedy: "complete the number that the handler received, in the same process",
        needs: ["entry-succeeds"]
    )

    private static let assertionNumbers = ConformanceCheck(
        "assertion-numbers",
        level: 1,
        rule: .abi(.numbers),
        "every assertion is ended once, by its number",
        violation: .endedForeignAssertion,
        remedy: "end each assertion once, with the number that begin_assertion stored",
        needs: ["entry-succeeds"]
    )

    private static let assertionEnded = ConformanceCheck(
        "assertion-ended",
        level: 1,
        rule: .abi(.sharedBudget),
        "every assertion is ended, at the latest when it expires",
        remedy: "end each assertion; set an assertion handler that stops the work and ends the assertion",
        needs: sound + ["completes"],
        trials: { .scripts($0.ordinary) }
    ) { logs, plugin in
        // The end of a launch with a defect of another check cuts the assertions off.
        zip(logs, plugin.ordinary).flatMap { $0.disorder($1).isEmpty ? openAssertions($0) : [] }
    }

    private static let stopReturns = ConformanceCheck(
        "stop-returns",
        level: 1,
        rule: .abi(.sharedBudget),
        "`stop` returns within the grace period",
        remedy: "let `stop` flush data and end own threads without waiting for other events",
        needs: sound + ["completes", "assertion-ended"]
    ) { logs, _ in
        // A held stream lock delays the end, too, and fails its own check.
        logs.filter { $0.violations(.heldStream).isEmpty }.compactMap(\.lateEnd).map {
            ConformanceFlaw(.time, "the launch ended \($0.humanReadable) after the last completion")
        }
    }

    /// Names of the checks that pass when launches run to their end: entry succeeds, and the process neither crashes
    /// nor ends itself.
    static let sound = ["entry-succeeds", "no-unwinding", "process-channel", "process-not-ended", "no-crash"]

    /// Messages with which language runtimes report an exception or a panic that nothing caught.
    private static let unwinding = [
        "terminate called", "panicked at", "panic: ", "fatal runtime error: Rust", "uncaught exception",
    ]

    private static func openAssertions(_ log: TrialLog) -> [ConformanceFlaw] {
        let ended = Set(log.all { if case .assertionEnded(let id) = $0 { id } else { nil } })
        return log.all { event -> ConformanceFlaw? in
            guard case .assertionBegan(let id, let name) = event, !ended.contains(id) else { return nil }
            return ConformanceFlaw(.time, "the assertion \(name.inQuotes) was open at the end of the launch")
        }
    }
}
