// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginLaunch
import PluginTrial
import TaskModel

// The flaws that several checks look for.
extension TrialLog {
    func violations(_ kind: ViolationKind) -> [ConformanceFlaw] {
        all { if case .violation(kind, let message) = $0 { ConformanceFlaw(.fault, message) } else { nil } }
    }

    /// The failure of entry, as a flaw; empty when entry succeeded or did not return.
    ///
    /// - Parameter words: returns the description of the flaw for the name and number of the status.
    func failedEntry(_ words: (String) -> String = { "entry returned \($0)" }) -> [ConformanceFlaw] {
        entryFailure.map { [ConformanceFlaw(.fault, words($0))] } ?? []
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

    /// The last output of the process before its end, as the end of a message; empty without output. It often names the
    /// cause.
    private var after: String {
        let line = all { if case .output(_, let line) = $0 { line } else { nil } }.last
        return line.map { "; its last output: \($0)" } ?? ""
    }

    /// Every delivered task that the plugin did not complete.
    func incomplete(_ script: TrialScript) -> [ConformanceFlaw] {
        script.tasks.indices.compactMap { index in
            let task = script.tasks[index]
            let isDelivered = isDelivered(task.identifier, isEvent: task.kind == .event)
            guard isDelivered, completion(of: index) == nil else { return nil }
            let reason =
                passedLimit.map { " within the time limit of the trial (\($0.humanReadable))" }
                ?? expiration(of: index).map { ", although it expired (\($0.name))" } ?? ""
            return ConformanceFlaw(.time, "task \(task.identifier) (\(task.kind.name)) was not completed\(reason)")
        }
    }

    /// The time between the end of the last task or assertion and the end of the launch, if it is at least the grace
    /// period, as when a callback has not returned; nil otherwise.
    var lateEnd: Duration? {
        guard let begin = time(of: { $0 == .stopping }), let end = time(of: { $0 == .stopped }),
            end - begin >= gracePeriod
        else { return nil }
        return end - begin
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
        return mayRefuse || entryFailure == nil ? incomplete(script) : failedEntry()
    }
}
