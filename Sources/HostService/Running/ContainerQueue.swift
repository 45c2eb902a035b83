// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Dispatch
import HostConfiguration
import Scheduling
import TaskModel

/// Creates and discards containers and reads secret settings, one at a time in the order of the calls, on a queue of
/// its own that may block on the disk.
struct ContainerQueue: Sendable {
    private let state: StateDirectory
    private let users: UserKeeper
    private let secrets: SecretReader
    /// Maximum number of files that get another owner at once. Other calls run in between.
    private let part: Int32
    private let queue = DispatchQueue(label: "bgtask.containers")

    init(state: StateDirectory, users: UserKeeper, secrets: SecretReader, part: Int32 = 20_000) {
        self.state = state
        self.users = users
        self.secrets = secrets
        self.part = part
    }

    /// Reads the secret settings of the plugin of a launch, and creates the container of its main plugin if it does not
    /// exist, after the main plugin has its user. If the container belongs to another user, its files get the plugin's
    /// user as owner, in parts.
    ///
    /// - Parameter then: called on the queue, with the values of the secret settings or with the error.
    func prepare(
        _ preparation: LaunchPreparation,
        then: @escaping @Sendable (Result<[String: String], HostError>) -> Void
    ) {
        queue.async {
            do throws(HostError) {
                let values = try secrets.values(of: preparation.secrets, in: preparation.plugin)
                let main = preparation.container
                let user = try users.assign(main) { plugin, user in
                    state.hasContainer(of: plugin.text) || state.ownersOfDiscarded().contains(user)
                }
                guard try state.makeContainer(of: main.text, user: user, atMost: part) else {
                    return prepare(preparation, then: then)
                }
                then(.success(values))
            } catch {
                then(.failure(error))
            }
        }
    }

    /// Renames the container of a main plugin, so that a later `prepare` creates an empty container.
    func discard(_ main: PluginIdentifier) {
        queue.async { [state] in state.discardContainer(of: main.text) }
    }

    /// Runs `body` on the queue, after all earlier calls.
    func perform(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }
}
