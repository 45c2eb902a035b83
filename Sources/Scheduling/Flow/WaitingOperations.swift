// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// A cancellation of the pending requests of a plugin: of one identifier, or of all when `identifier` is nil.
struct Cancellation: Hashable, Sendable {
    let plugin: PluginIdentifier
    let identifier: TaskIdentifier?
    /// The launch whose plugin called; nil for a user's call.
    let launch: LaunchNumber?
    /// The claim whose work alone is cancelled; nil for work with any claim or without one.
    var claim: Claim.Key?
    let reply: ReplyToken

    /// Whether the cancellation affects work with this claim.
    func covers(claim other: Claim?) -> Bool { claim.map { $0 == other?.key } ?? true }

    /// Whether the cancellation affects the identifier. False when `other` is nil, which stands for an event: events
    /// cannot be cancelled. A plugin that cancels all its requests cancels neither its push, which it did not submit,
    /// nor its transfers, which it cancels by their numbers.
    func covers(_ other: TaskIdentifier?) -> Bool {
        guard let other else { return false }
        return identifier.map { $0 == other } ?? (launch == nil || !other.isOfHost)
    }
}

/// An operation on a plugin that waits for the result of a commit in flight, because the outcome of the operation
/// depends on that result.
enum WaitingOperation: Sendable {
    case cancel(Cancellation)
    case stop(TaskIdentifier, reply: ReplyToken)
    case stopLaunch(LaunchNumber, reply: ReplyToken)
    /// A submission that waits behind an earlier cancellation of its identifier, which is itself still waiting. The
    /// cancellation does not wait for this submission.
    case submit(Submission, SubmissionAsker, isForeground: Bool)
}

/// The waiting operations of each plugin, in order of arrival.
struct WaitingOperations: Sendable {
    /// A waiting operation, and the user whose call it is. `user` is nil for a plugin's call or a schedule.
    typealias Entry = (operation: WaitingOperation, user: CallingUser?)

    private var operations: [PluginIdentifier: [Entry]] = [:]

    mutating func add(_ operation: WaitingOperation, by user: CallingUser?, for plugin: PluginIdentifier) {
        operations[plugin, default: []].append((operation, user))
    }

    mutating func take(for plugin: PluginIdentifier) -> [Entry] {
        operations.isEmpty ? [] : operations.removeValue(forKey: plugin) ?? []
    }

    /// Whether a waiting cancellation covers the identifier. A newer submission of the identifier then has to wait.
    func closes(_ identifier: TaskIdentifier, of plugin: PluginIdentifier) -> Bool {
        guard !operations.isEmpty, let operations = operations[plugin] else { return false }
        return operations.contains { operation in
            if case .cancel(let cancellation) = operation.operation { cancellation.covers(identifier) } else { false }
        }
    }

    /// Removes and returns the waiting cancellations that cover any of `works`. Called when the commit of `works` has
    /// failed.
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
