// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginLaunch
import PluginTrial
import TaskModel

// The flaws that several checks look for.
extension TrialLog {
    /// The violations of a rule whose message contains a text.
    func violations(_ rule: ABIRule, _ text: String) -> [ConformanceFlaw] {
        all { event in
            guard case .violation(rule, let message) = event, message.contains(text) else { return nil }
            return ConformanceFlaw(.fault, message)
        }
    }

    var hasEntered: Bool { entryStatus != nil }

    /// The crash of the process; empty without one.
    var crash: [ConformanceFlaw] {
        crashSignal.map { [ConformanceFlaw(.crash, "the process ended with \(signalName($0))\(after)")] } ?? []
    }

    /// The exit of a process that ended itself; empty without one.
    var exit: [ConformanceFlaw] {
        earlyExit.map { [ConformanceFlaw(.exit, "the process ended itself with exit status \($0)\(after)")] } ?? []
    }

    /// The last output before the end, which often names the cause.
    private var after: String {
        let line = all { if case .output(_, let line) = $0 { line } else { nil } }.last
        return line.map { "; its last output: \($0)" } ?? ""
    }

    /// Every delivered task that the plugin did not complete.
    func incomplete(_ script: TrialScript) -> [ConformanceFlaw] {
        guard case .entered(0, let registered, let offersReceive, _)? = entry else { return [] }
        return script.tasks.indices.compactMap { index in
            let task = script.tasks[index]
            let isDelivered =
                task.kind == .event ? offersReceive : TaskIdentifier(task.identifier).map(registered.permits) ?? false
            guard isDelivered, completion(of: index) == nil else { return nil }
            let reason =
                passedLimit.map { " within the time limit of the trial (\($0.humanReadable))" }
                ?? expiration(of: index).map { ", although it expired (\($0.name))" } ?? ""
            return ConformanceFlaw(.time, "task \(task.identifier) (\(task.kind.name)) was not completed\(reason)")
        }
    }

    /// An entry that did not return before the launch was killed; empty for any other launch.
    var hangInEntry: [ConformanceFlaw] {
        guard !hasEntered, isOverdue else { return [] }
        return [ConformanceFlaw(.time, "entry did not return before the end of the grace period")]
    }

    /// Flaws of a launch that has to end in order: a library that is not loaded, an entry that fails or hangs, a crash,
    /// an exit, or open tasks.
    ///
    /// - Parameter mayRefuse: whether entry may fail.
    func disorder(_ script: TrialScript, mayRefuse: Bool = false) -> [ConformanceFlaw] {
        let ends = crash + exit + hangInEntry
        if !ends.isEmpty { return ends }
        if let message = first({ if case .loadFailed(let message) = $0 { message } else { nil } }) {
            return [ConformanceFlaw(.fault, message)]
        }
        if let status = entryStatus, status != 0, !mayRefuse {
            let name = ABIVocabulary.status.name(of: Int64(status))
            return [ConformanceFlaw(.fault, "entry returned \(name) (\(status))")]
        }
        return incomplete(script)
    }
}
