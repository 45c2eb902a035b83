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
        abstract: "Remove a plugin, and keep its pending requests for a time.",
        discussion: """
            Removes the manifest from the operator's folder, and the library beside it that no other manifest names. \
            The container stays; what is pending stays for 30 days, unless the host's configuration says otherwise, and \
            runs when the plugin is back. What a package brought is the package's to remove.

            With --purge the host drops what is pending and deletes the container, for good; also of a plugin that was \
            removed before.

            Example:
              bgtask plugin remove com.example.feed
              bgtask plugin remove com.example.feed --purge
            """
    )

    @Argument(help: "The plugin's identifier.", transform: IdentifierArgument.plugin)
    var identifier: PluginIdentifier

    @Flag(help: "Delete its pending requests and its container, for good.")
    var purge = false

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup var options: PlaceOptions

    func run() async throws {
        let place = try await options.place()
        if purge, place.host == nil {
            throw CommandFailure(
                .refused,
                "only a running host can purge: requests and containers are its own",
                remedy: "start it, or remove the plugin without --purge"
            )
        }
        if purge, !InstalledManifests(place).describe(identifier) {
            try Consent.ask("purge \(identifier)?", isGiven: yes)
        } else {
            let plan = try RemovalPlan(of: identifier, from: place)
            try Surroundings.current.write(plan.text(purging: purge))
            try Consent.ask(purge ? "remove and purge it?" : "remove it?", isGiven: yes)
            try await Interruptions.deferred { try await remove(plan) }
        }
        if purge, let host = place.host { try await purge(at: host.socket) }
    }

    private func purge(at socket: String) async throws {
        let reply = try await ControlClient.withConnection(to: socket) { client in
            try await HostVerdict(client: client).onPurge(of: identifier)
        }
        let container = reply.hadContainer ? "its container is deleted" : "it had no container"
        Surroundings.current.talk("purged \(identifier): \(reply.dropped) pending dropped, \(container)")
    }

    private func remove(_ plan: RemovalPlan) async throws {
        let answer = try await plan.remove()
        Surroundings.current.talk("removed \(plan.identifier)\(told(answer))")
    }

    private func told(_ answer: HostVerdict.Answer?) -> String {
        switch answer {
        case nil: ""
        case .accepted: ": the host uses another manifest of it now"
        case .gone, .refused: ": the host no longer lists it"
        case .silent: ", but the host did not confirm it within \(HostVerdict.patience.humanReadable)"
        }
    }
}
