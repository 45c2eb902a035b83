// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import Dispatch

/// A launch handler, and the place where it runs: a thread of the host, a queue or an actor. The host keeps the object
/// until the host calls its release function.
final class LaunchHandler: Sendable {
    private enum Place {
        /// The handler runs on the host's own thread for the identifier.
        case here
        case queue(DispatchQueue)
        /// The handler runs on the actor to which its closure is isolated.
        case actor
    }

    typealias Function = @isolated(any) (BGTask) -> Void

    private let function: UncheckedFunction<Function>
    private let place: Place
    private let isOnMainQueue: Bool

    init(queue: DispatchQueue?, _ function: @escaping Function) {
        let actor = function.isolation
        if actor != nil {
            place = .actor
        } else if let queue {
            place = .queue(queue)
        } else {
            place = .here
        }
        isOnMainQueue = actor is MainActor || (actor == nil && queue === DispatchQueue.main)
        self.function = UncheckedFunction(function)
    }

    /// Runs the handler for a task. Called on the host's private serial queue of the identifier.
    func take(_ id: bgt_task, from host: Host) {
        // Nil when the launch has ended meanwhile.
        guard let delivered = DeliveredTask(id, host) else { return }
        guard let task = delivered.task() else {
            host.log(
                .error,
                "task \(delivered.identifier) fails: its kind is unknown to this version of BackgroundTasks;"
                    + " build the plugin with a newer version of BackgroundTasks"
            )
            delivered.complete(.noData)
            return
        }
        task.expiresOnMainQueue = isOnMainQueue
        switch place {
        case .here: call(task)
        // Synchronous: the host attributes a crash to a task by the thread of its handler. On the main queue and on an
        // actor the handler runs on another thread, and a crash there cannot be attributed.
        case .queue(let queue): queue.sync { call(task) }
        case .actor: Task { await function.call(task) }
        }
    }

    private func call(_ task: BGTask) {
        // The function has no actor isolation here, so it may be called directly; `@isolated(any)` does not change its
        // representation.
        unsafeBitCast(function.call, to: ((BGTask) -> Void).self)(task)
    }
}
