// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import PluginInstaller
import TaskModel

/// `bgtask plugin remove`: removes a plugin from the operator's directory. With `--purge` the host also deletes the
/// plugin's pending work and its container.
struct PluginRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a plugin; its pending requests are kept for a time.",
        discussion: """
            Removes the manifest from the operator's directory, and its library there if no other manifest names it. \
            The container and the logs stay. Pending requests are kept for 30 days by default \
            (removed-plugin-retention in the configuration), and run if the plugin is installed again. A plugin of a \
            package is removed with the package.

            With --purge the host deletes the pending requests, the container and the logs for good, also those of a \
            plugin that was removed before. It is refused while a package also describes the plugin.

            Example:
              bgtask plugin remove com.example.feed
              bgtask plugin remove com.example.feed --purge
            """
    )

    @Argument(help: "The plugin's identifier.", completion: .plugins, transform: IdentifierArgument.plugin)
    var identifier: PluginIdentifier

    @Flag(help: "Also delete the plugin's pending requests and its container, for good.")
    var purge = false

    @Flag(help: "Remove without confirmation.")
    var yes = false

    @OptionGroup var options: PlaceOptions

    func run() async throws {
        let place = try await options.place()
        let lock = try DirectoryLock(on: place.operatorDirectory)
        defer { withExtendedLifetime(lock) {} }
        if purge, place.host == nil {
            throw CommandFailure(
                .refused,
                "no host that uses \(place.operatorDirectory) was reached, and only such a host can purge: it owns"
                    + " requests and containers",
                remedy: (options.manifests == nil
                    ? "start the host, or run the command as a user who may use its control socket"
                    : "start a host with this directory, or name the control socket of that host with --socket")
                    + ", or remove the plugin without --purge"
            )
        }
        if purge, !InstalledManifests(place).describe(identifier) {
            try Consent.ask("purge \(identifier)?", isGiven: yes)
        } else {
            let plan = try RemovalPlan(of: identifier, from: place)
            if purge, let packaged = plan.uncovered {
                throw CommandFailure(
                    .refused,
                    "\(identifier) is also described by \(packaged) of a package, which takes effect when the operator's"
                        + " manifest is removed; a host purges no plugin that a manifest describes; nothing was removed",
                    remedy: "remove the package first, or remove the plugin without --purge"
                )
            }
            try CommandContext.current.write(plan.text(purging: purge))
            try Consent.ask(purge ? "remove and purge it?" : "remove it?", isGiven: yes)
            try await Interruptions.deferred { try await remove(plan) }
        }
        if purge, let host = place.host { try await purge(at: host.socket) }
    }

    private func purge(at socket: String) async throws {
        let reply = try await ControlClient.withConnection(to: socket) { client in
            try await HostVerdict(client: client).onPurge(of: identifier)
        }
        let files = reply.hadContainer ? "its container and its logs" : "its logs; it had no container"
        let work = reply.dropped == 1 ? "1 request or event" : "\(reply.dropped) requests and events"
        CommandContext.current.writeMessage("purged \(identifier): deleted \(work), and \(files)")
    }

    private func remove(_ plan: RemovalPlan) async throws {
        let answer: HostVerdict.Answer?
        do {
            answer = try await plan.remove()
        } catch let error as ControlError {
            CommandContext.current.writeMessage("removed \(plan.identifier), but a call to the host failed")
            throw error
        }
        CommandContext.current.writeMessage("removed \(plan.identifier)\(confirmation(answer))")
    }

    private func confirmation(_ answer: HostVerdict.Answer?) -> String {
        switch answer {
        case nil: ""
        case .accepted: ": the host now uses another manifest of this plugin"
        case .gone, .refused: "; the host no longer lists the plugin"
        case .silent:
            ", but the host did not confirm the removal within \(HostVerdict.timeout.humanReadable);"
                + " see: bgtask plugin list"
        }
    }
}
