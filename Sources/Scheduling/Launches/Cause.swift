// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The cause of the end of a launch's process, before its tasks are judged.
enum Cause: Hashable, Sendable {
    /// Every task and assertion had ended, and then the process exited by itself, was killed by the host, or was killed
    /// for lack of memory.
    case finished
    /// A signal ended the process while a task was unfinished.
    ///
    /// - Parameters:
    ///   - task: the task that was running; nil when unknown.
    ///   - function: the bound function that was running, or the handler in a library with an entry function; nil when
    ///     unknown.
    case crashed(signal: Int32, task: TaskID?, function: String?)
    case crashedAfterwards(signal: Int32)
    case exited(code: Int32, function: String?)
    case killedForMemory(function: String?)
    case entryFailed(String)
    case notLoaded(String)
    /// The host killed the process because a task or an assertion overran, or because an expired launch left the disk
    /// severely short.
    case killed
    case hostStopping
    /// A failure outside of the plugin, with its message, ended the launch. No attempt is charged.
    case hostFailed(String)

    init(of launch: Execution, termination: ProcessTermination, lastWords: LastWords?) {
        switch (launch.kill, launch.entry) {
        case (.hostFailed(let message), _): self = .hostFailed(message)
        case (.hostStopping, _): self = .hostStopping
        case (.filledDisk(let message), _): self = .entryFailed(message)
        case (_, .notLoaded(let message)): self = .notLoaded(message)
        case (_, .failed(let status, let cause)): self = .entryFailed(Self.message(ofEntry: status, cause))
        case (.entryOverran, _):
            self = .entryFailed("\(launch.entryName) did not end within the time limit and the grace period")
        case (.overran, _), (.leftDiskShort, _): self = Self.isShutdown(launch) ? .hostStopping : .killed
        case (.lingered, _): self = .finished
        case (.killTimePassed, _): self = .hostFailed(Self.lateHost)
        case (_, .running):
            var message = "the process \(termination.text) \(launch.entryWords)"
            // A runner that lacks resources writes the cause to its output.
            if case .exited = termination { message += "; see its output in the host's log" }
            self = .entryFailed(message)
        case (_, .returned): self = Self.afterEntry(launch, termination, lastWords)
        }
    }

    /// The message about an entry function that returned a failure status.
    ///
    /// - Parameter cause: the refused call or the flaw that made entry fail, with its remedy; nil when unknown.
    private static func message(ofEntry status: Int32, _ cause: String?) -> String {
        let name = ABIVocabulary.status.name(of: Int64(status))
        let meaning = ABIVocabulary.meaning(ofStatus: status).map { ": \($0)" } ?? ""
        // The cause ends with its remedy.
        if let cause { return "the entry function failed with \(status) (\(name)\(meaning)): \(cause)" }
        // The plugin's vendor gives the negative statuses their meaning.
        let remedy = status > 0 ? "; correct the entry function" : ""
        return "the entry function returned \(status) (\(name)\(meaning)) instead of BGT_OK\(remedy)"
    }

    private static let lateHost =
        "the host read the runner's messages too late, and killed the process although the plugin kept its time limits;"
        + " reduce the load of the machine"

    /// Whether all unfinished tasks and open assertions of the launch were expired because the host is stopping.
    private static func isShutdown(_ launch: Execution) -> Bool {
        launch.unfinished.allSatisfy { launch.tasks[$0].expiration?.reason == .hostShutdown }
            && (launch.assertions.isEmpty || launch.assertions.expiration?.reason == .hostShutdown)
    }

    private static func afterEntry(
        _ launch: Execution,
        _ termination: ProcessTermination,
        _ lastWords: LastWords?
    ) -> Cause {
        if launch.unfinished.isEmpty {
            if case .signaled(let signal) = termination { return .crashedAfterwards(signal: signal) }
            if launch.assertions.isEmpty { return .finished }
        }
        switch termination {
        case .signaled(let signal):
            let task = lastWords?.task
            let function = launch.function(running: task) ?? launch.handlerName(running: task)
            return .crashed(signal: signal, task: task, function: function)
        case .exited(let code): return .exited(code: code, function: launch.function(running: nil))
        case .outOfMemory: return .killedForMemory(function: launch.function(running: nil))
        }
    }

    /// Indices of the unfinished tasks to which the cause charges an attempt. The caller charges none to a task that
    /// was expired or stopped before.
    func charged(in launch: Execution) -> Set<Int> {
        let unfinished = launch.unfinished
        switch self {
        case .entryFailed, .notLoaded: return Set(unfinished)
        case .crashed(_, let task?, _):
            if let index = launch.index(of: task), unfinished.contains(index) { return [index] }
            return launch.tasks.count == 1 ? Set(unfinished) : []
        case .crashed, .exited, .killedForMemory: return launch.tasks.count == 1 ? Set(unfinished) : []
        case .finished, .crashedAfterwards, .killed, .hostStopping, .hostFailed: return []
        }
    }

    /// Whether each interrupted task has to run in a launch by itself, so that a faulty task cannot interrupt other
    /// tasks again.
    var makesTasksRunAlone: Bool {
        switch self {
        case .crashed, .exited, .killedForMemory: true
        case .finished, .crashedAfterwards, .entryFailed, .notLoaded, .killed, .hostStopping, .hostFailed: false
        }
    }

    var taskOutcome: TaskOutcome {
        switch self {
        case .crashed, .crashedAfterwards: .crashed
        case .exited: .exited
        case .killedForMemory: .killedForMemory
        case .entryFailed: .entryFailed
        case .notLoaded: .loadFailed
        case .finished, .killed, .hostStopping, .hostFailed: .interrupted
        }
    }

    func outcome(of launch: Execution) -> LaunchOutcome {
        switch self {
        case .finished: launch.tasks.contains { $0.expiration != nil } ? .expired : .completed
        case .crashed, .crashedAfterwards: .crashed
        case .exited: .exited
        case .killedForMemory: .killedForMemory
        case .entryFailed: .entryFailed
        case .notLoaded: .loadFailed
        case .killed: .overran
        case .hostStopping: .interrupted
        case .hostFailed: .lost
        }
    }

    var blame: Blame {
        switch self {
        case .finished: .nobody
        case .hostStopping, .hostFailed: .host
        case .crashed, .crashedAfterwards, .exited, .killedForMemory, .entryFailed, .notLoaded, .killed: .plugin
        }
    }

    var text: String {
        switch self {
        case .finished: "the launch had ended"
        case .crashed(let signal, _, let function?): "the process was ended by \(signalName(signal)) in \(function)"
        case .crashed(let signal, _, nil): "the process was ended by \(signalName(signal))"
        case .crashedAfterwards(let signal): "the process was ended by \(signalName(signal)) after its last task"
        case .exited(let code, let function):
            "the process exited with code \(code)" + (function.map { " in \($0)," } ?? "")
                + " before all its tasks were completed"
        case .killedForMemory(let function):
            "the kernel killed the process for lack of memory" + (function.map { " while it ran \($0)" } ?? "")
        case .entryFailed(let message): message
        case .notLoaded(let message): message
        case .killed: "the launch was killed because another task or an assertion ran past the grace period"
        case .hostStopping: "the host stopped"
        case .hostFailed(let message): message
        }
    }

    /// The message about the end of the launch, with the names of assertions that were still open.
    func message(of launch: Execution) -> String {
        let assertions = launch.assertions
        if assertions.isEmpty { return messageOfTasks(of: launch) }
        guard case .killed = self, launch.kill != .leftDiskShort, launch.unfinished.isEmpty,
            let expiration = assertions.expiration
        else {
            return "\(messageOfTasks(of: launch)); still open: \(assertions.account)"
        }
        return
            "\(ABIRule.sharedBudget.rawValue): assertion still open at the end of the grace period (expired:"
            + " \(expiration.reason.name)): \(assertions.account); the launch was killed; end every assertion before"
            + " the deadline of the launch, or in the expiration handler of the assertion"
    }

    private func messageOfTasks(of launch: Execution) -> String {
        switch self {
        case .finished where launch.kill == .lingered:
            "every task had ended, but the process did not exit within the grace period and was killed"
        case .finished: "every task had ended"
        case .exited(let code, _) where launch.unfinished.isEmpty:
            "the process exited with code \(code) after its last task, while an assertion kept the launch open"
        case .killed where launch.kill == .leftDiskShort:
            "the launch was killed before the end of the grace period, because it used up the reserve of the disk and"
                + " less than half of it is left"
        case .killed: "a task was not completed within the grace period after its expiration; the launch was killed"
        default: text
        }
    }
}

extension ProcessTermination {
    var text: String {
        switch self {
        case .exited(let code): "exited with code \(code)"
        case .signaled(let signal): "was ended by \(signalName(signal))"
        case .outOfMemory: "was killed for lack of memory"
        }
    }
}
