// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

// Messages about a launch whose library has no entry function. They name the manifest and its bound functions instead.
extension Execution {
    var bindsFunctions: Bool { boundLibrary != nil }

    private var boundLibrary: String? { plan.plugin.handlers.isEmpty ? nil : plan.plugin.library.path }

    // The runner does not report when the library is loaded: the time of the entry function includes the library's
    // constructors.
    var entryName: String {
        boundLibrary.map { "loading the library \($0)" } ?? "the library's constructors and entry function"
    }

    var entryWords: String {
        boundLibrary.map { "while the library \($0) was loaded" } ?? "before the entry function returned"
    }

    /// A description of the bound function that a task called: its library, and its signature in the manifest. Nil for
    /// a library with an entry function, and when no unfinished task has a bound function.
    ///
    /// - Parameter task: nil when the task is unknown; the description then names the possible functions.
    func function(running task: TaskID?) -> String? {
        if let index = task.flatMap(index) { return function(of: index) }
        let left = unfinished
        guard left.count > 1 else { return left.first.flatMap(function) }
        let plugin = plan.plugin
        let signatures = left.compactMap(handler).map(\.signature)
        if signatures.isEmpty { return nil }
        return "one of the functions \(signatures.joined(separator: " and ")) of \(plugin.library.path)"
            + " (signatures from the manifest)"
    }

    /// A description of the code that ran a task in a library with an entry function: a handler, or for an event the
    /// receiver of events. Nil when the task is nil or unknown.
    func handlerName(running task: TaskID?) -> String? {
        guard let task, let position = index(of: task) else { return nil }
        let work = tasks[position].work
        return work.identifier == nil ? "the receiver of the event \(work.label)" : "a handler of \(work.label)"
    }

    private func function(of index: Int) -> String? {
        guard let handler = handler(of: index) else { return nil }
        let plugin = plan.plugin
        return "\(handler.signature) of \(plugin.library.path) (signature from the manifest)"
    }

    private func handler(of index: Int) -> FunctionBinding? {
        tasks[index].work.identifier.flatMap { plan.plugin.handler(for: $0) }
    }

    /// The message about an expired task that had not ended when the launch was killed.
    func overstay(of index: Int, after prefix: String) -> String {
        if let handler = handler(of: index), let function = function(of: index) {
            return handler.hasCancelFlag
                ? "\(prefix), and the cancel flag was set, but the function did not return before the launch was"
                    + " killed: \(function); let the function check the flag more often"
                : "\(prefix), but the function has no cancel flag and was killed with the launch: \(function);"
                    + " bind a cancel-flag if the function takes one"
        }
        return tasks[index].hasExpirationHandler
            ? "\(prefix) and not completed before the launch was killed;"
                + " complete the task in its expiration handler"
            : "\(prefix), without an expiration handler; set one, so that the task can stop in order"
    }
}

extension Scheduler {
    /// Whether a launch is still loading a library without an entry function, whose functions the manifest binds.
    package func isLoadingFunctions(_ number: LaunchNumber) -> Bool {
        launches.find(number)?.execution.map { $0.bindsFunctions && $0.entry.isRunning } ?? false
    }
}
