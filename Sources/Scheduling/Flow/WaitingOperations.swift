// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// A cancellation: one identifier of a plugin, or all that it has.
struct Cancellation: Hashable, Sendable {
    let plugin: PluginIdentifier
    let identifier: TaskIdentifier?
    /// The launch that asked; nil for a caller.
    let launch: LaunchNumber?
    let reply: ReplyToken

    /// Events have no identifier and cannot be cancelled.
    func covers(_ other: TaskIdentifier?) -> Bool { other != nil && (identifier == nil || identifier == other) }
}

/// Something that was asked of a plugin and cannot be decided before a commit in flight is known.
enum WaitingOperation: Sendable {
    case cancel(Cancellation)
    case stop(TaskIdentifier, reply: ReplyToken)
    /// It came after a cancellation that waits, and must not keep that waiting.
    case submit(Submission, SubmissionAsker, isForeground: Bool)
}

/// Operations of each plugin in the order of their arrival.
struct WaitingOperations: Sendable {
    /// An operation, with the user who called for it; nil where a plugin or a schedule did.
    typealias Entry = (operation: WaitingOperation, user: CallingUser?)

    private var operations: [PluginIdentifier: [Entry]] = [:]

    mutating func add(_ operation: WaitingOperation, by user: CallingUser?, for plugin: PluginIdentifier) {
        operations[plugin, default: []].append((operation, user))
    }

    mutating func take(for plugin: PluginIdentifier) -> [Entry] {
        operations.isEmpty ? [] : operations.removeValue(forKey: plugin) ?? []
    }

    /// A cancellation that waits closes its identifier to newer requests.
    func closes(_ identifier: TaskIdentifier, of plugin: PluginIdentifier) -> Bool {
        guard !operations.isEmpty, let operations = operations[plugin] else { return false }
        return operations.contains { operation in
            if case .cancel(let cancellation) = operation.operation { cancellation.covers(identifier) } else { false }
        }
    }

    /// Takes out the cancellations that wait for what could not be recorded.
    mutating func takeCancellations(
        of plugin: PluginIdentifier,
        covering works: [PendingWork]
    ) -> [Cancellation] {
        var taken: [Cancellation] = []
        operations[plugin]?.removeAll { operation in
            guard case .cancel(let cancellation) = operation.operation,
                works.contains(where: { cancellation.covers($0.identifier) })
            else { return false }
            taken.append(cancellation)
            return true
        }
        return taken
    }
}
