// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Dispatch
import HostConfiguration
import TaskModel

/// Makes and discards containers, one after the other in the order of the calls, on a thread that may wait for the disk.
struct ContainerQueue: Sendable {
    private let state: StateFolder
    private let queue = DispatchQueue(label: "bgtask.containers")

    init(state: StateFolder) { self.state = state }

    /// Makes the container of a main plugin, if there is none.
    ///
    /// - Parameter then: called on the queue, with the error when there is no container.
    func make(_ main: PluginIdentifier, then: @escaping @Sendable (HostError?) -> Void) {
        queue.async { [state] in
            do throws(HostError) {
                try state.makeContainer(of: main.text)
                then(nil)
            } catch {
                then(error)
            }
        }
    }

    /// Moves the container of a main plugin aside: a later `make` begins an empty one.
    func discard(_ main: PluginIdentifier) {
        queue.async { [state] in state.discardContainer(of: main.text) }
    }

    /// Runs `body` after everything that was asked for before.
    func perform(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }
}
