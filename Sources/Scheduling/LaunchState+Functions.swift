// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// What is said of a launch whose library has no entry: in its place the manifest is named, and what it binds.
extension LaunchState {
    var bindsFunctions: Bool { boundLibrary != nil }

    private var boundLibrary: String? {
        plan.flatMap { $0.plugin.handlers.isEmpty ? nil : $0.plugin.library.path }
    }

    var entryName: String { boundLibrary.map { "the loading of the library \($0)" } ?? "entry" }

    var entryWords: String { boundLibrary.map { "while the library \($0) was loaded" } ?? "inside entry" }

    /// The function that a task was handed to, with its library and the signature that the operator wrote; nil for a
    /// plugin with an entry of its own.
    ///
    /// - Parameter task: nil where nobody knows; then it is one of those that were left.
    func function(running task: TaskID?) -> String? {
        if let index = task.flatMap(index) { return function(of: index) }
        let left = unfinished
        guard left.count > 1, let plugin = plan?.plugin else { return left.first.flatMap(function) }
        let signatures = left.compactMap(handler).map(\.signature)
        if signatures.isEmpty { return nil }
        return "one of \(signatures.joined(separator: " and ")) of \(plugin.library.path), the signatures that its"
            + " manifest has"
    }

    private func function(of index: Int) -> String? {
        guard let plugin = plan?.plugin, let handler = handler(of: index) else { return nil }
        return "\(handler.signature) of \(plugin.library.path), the signature that its manifest has"
    }

    private func handler(of index: Int) -> DirectHandler? {
        tasks[index].work.identifier.flatMap { plan?.plugin.handler(for: $0) }
    }

    /// Of a task that was killed after the grace.
    func overstay(of index: Int, toldBy told: String) -> String {
        if let handler = handler(of: index), let function = function(of: index) {
            return handler.hasCancelFlag
                ? "\(told) by its cancel flag, but it did not return within the grace: \(function);"
                    + " let it look at the flag more often"
                : "\(told), but nothing tells the function: \(function); give it a cancel-flag if it takes one"
        }
        return tasks[index].hasExpirationHandler
            ? "\(told) and not completed within the grace; complete it in the expiration handler"
            : "\(told), without an expiration handler; set one to be able to stop in order"
    }
}
