// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Dispatch
import HostConfiguration
import TaskModel

/// Creates and discards containers, one at a time in the order of the calls, on a queue of its own that may block on
/// the disk.
struct ContainerQueue: Sendable {
    private let state: StateDirectory
    private let users: UserKeeper
    private let queue = DispatchQueue(label: "bgtask.containers")

    init(state: StateDirectory, users: UserKeeper) {
        self.state = state
        self.users = users
    }

    /// Creates the container of a main plugin if it does not exist, after the plugin has its user.
    ///
    /// - Parameter then: called on the queue, with the error when the container could not be created; nil for success.
    func make(_ main: PluginIdentifier, then: @escaping @Sendable (HostError?) -> Void) {
        queue.async { [state, users] in
            do throws(HostError) {
                let user = try users.assign(main) { state.hasContainer(of: $0.text) }
                try state.makeContainer(of: main.text, user: user)
                then(nil)
            } catch {
                then(error)
            }
        }
    }

    /// Renames the container of a main plugin, so that a later `make` creates an empty container.
    func discard(_ main: PluginIdentifier) {
        queue.async { [state] in state.discardContainer(of: main.text) }
    }

    /// Runs `body` on the queue, after all earlier calls.
    func perform(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }
}
