// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import Dispatch

/// A launch handler, and the queue on which it runs. The host keeps the object until the host calls its release
/// function.
final class LaunchHandler: Sendable {
    typealias Function = (BGTask) -> Void

    private let function: UncheckedFunction<Function>
    /// The queue on which the vendor's handler runs; nil for the host's private serial queue of the identifier.
    private let queue: DispatchQueue?

    init(queue: DispatchQueue?, _ function: @escaping Function) {
        self.queue = queue
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
        guard let queue else { return task.run(function.call) }
        // Synchronous: the host attributes a crash to a task by the thread of its handler. On the main queue the
        // handler runs on another thread, and a crash there cannot be attributed.
        queue.sync { task.run(function.call) }
    }
}
