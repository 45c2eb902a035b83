// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Dispatch
import HostConfiguration
import LinuxSystem
import PluginLaunch
import Scheduling
import TaskModel

/// The prepared data of a launch, before its plan exists.
struct PreparedLaunch: Hashable, Sendable {
    /// The values of the plugin's secret settings.
    var secrets: [String: String] = [:]
    /// Path of the runner in the plugin's main bundle; nil for the ordinary runner.
    var program: String?
}

/// Creates and discards containers and main bundles and reads secret settings, one at a time in the order of the calls,
/// on a queue of its own that may block on the disk.
struct ContainerQueue: Sendable {
    private let state: StateDirectory
    private let users: UserKeeper
    private let secrets: SecretReader
    private let bundles: RunnerBundles
    /// Maximum number of files that get another owner at once. Other calls run in between.
    private let part: Int32
    private let queue = DispatchQueue(label: "bgtask.containers")

    /// Creates the queue. Its first operation deletes the bundles of earlier hosts.
    init(
        state: StateDirectory,
        users: UserKeeper,
        secrets: SecretReader,
        bundles: RunnerBundles,
        part: Int32 = 20_000
    ) {
        self.state = state
        self.users = users
        self.secrets = secrets
        self.bundles = bundles
        self.part = part
        queue.async { bundles.removeAll() }
    }

    /// Reads the secret settings of the plugin of a launch, and creates the container of its main plugin if it does not
    /// exist, after the main plugin has its user. If the container belongs to another user, its files get the plugin's
    /// user as owner, in parts. Makes the main bundle of the plugin, if its manifest requests one.
    ///
    /// - Parameter then: called on the queue, with the prepared data or with the error.
    func prepare(
        _ preparation: LaunchPreparation,
        then: @escaping @Sendable (Result<PreparedLaunch, HostError>) -> Void
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
                if preparation.stagesTransfers { try state.makeStaging(of: main.text, user: user) }
                then(.success(PreparedLaunch(secrets: values, program: try makeBundle(preparation))))
            } catch {
                then(.failure(error))
            }
        }
    }

    private func makeBundle(_ preparation: LaunchPreparation) throws(HostError) -> String? {
        guard let bundle = preparation.mainBundle else { return nil }
        do throws(SystemError) {
            return try bundles.make(preparation.plugin.text, bundle)
        } catch {
            throw HostError(
                code: .stateDirectoryUnusable,
                message: "the main bundle of \(preparation.plugin) cannot be made: \(error);"
                    + " find the problem with: bgtask host check --state-directory \(state.path)"
            )
        }
    }

    /// Deletes the main bundles of plugins. Plugins without a bundle are ignored.
    func removeBundles(of plugins: [PluginIdentifier]) {
        if plugins.isEmpty { return }
        queue.async { [bundles] in bundles.remove(plugins.map(\.text)) }
    }

    /// Renames the container of a main plugin, so that a later `prepare` creates an empty container.
    func discard(_ main: PluginIdentifier) {
        queue.async { [state] in state.discardContainer(of: main.text) }
    }

    /// Runs `body` on the queue, after all earlier calls.
    func perform(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }
}
