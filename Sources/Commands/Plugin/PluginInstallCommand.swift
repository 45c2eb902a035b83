// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import PluginCatalog
import TaskModel

/// Puts a plugin into the operator's folder, once somebody has seen what it asks for.
struct PluginInstallCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install",
        abstract: "Install a plugin, or replace it by another version.",
        discussion: """
            Checks it, shows what it asks for, and copies library and manifest into the operator's manifest folder, each \
            all at once, the manifest last. A host that runs is waited for; if it refuses the plugin after all, \
            everything is as before.

            Example:
              bgtask plugin install com.example.feed.yaml --library build/libFeed.so --pin
            """
    )

    @Argument(help: "The manifest file.")
    var manifest: String

    @Option(help: ArgumentHelp("The library, when it is not beside the manifest.", valueName: "file"))
    var library: String?

    @Flag(help: "Write the library's digest into the installed manifest: no other library will be loaded.")
    var pin = false

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup var options: PlaceOptions

    func validate() throws {
        guard ManifestFolder.isManifest(FilePlace.name(of: manifest)) else {
            throw ValidationError(
                "\(manifest) is no manifest's name: a host reads .yaml, .yml and .plist, and none that begin with a dot"
            )
        }
    }

    func run() async throws {
        let place = try await options.place()
        let plan = try InstallationPlan(
            source: FilePlace.absolute(manifest),
            library: library.map(FilePlace.absolute),
            isPinned: pin,
            into: place
        )
        try Surroundings.current.write(plan.text)
        try Consent.ask(plan.previous == nil ? "install it?" : "replace it?", isGiven: yes)
        try await Interruptions.deferred { try await install(plan) }
    }

    private func install(_ plan: InstallationPlan) async throws {
        var exchange = FileExchange()
        var staged: [FileExchange.Staged] = []
        do {
            if let target = plan.libraryTarget {
                staged.append(try exchange.stage(copyOf: plan.library.path, at: target))
                guard try LibraryDigest.of(path: staged[0].path) == plan.library.digest else {
                    throw CommandFailure(
                        .refused,
                        "\(plan.library.path) changed since it was checked",
                        remedy: "install it again"
                    )
                }
            }
            staged.append(try exchange.stage(plan.bytes, at: plan.manifestTarget))
            for file in staged { try exchange.put(file) }
            let told = try await word(on: plan)
            exchange.keep()
            Surroundings.current.talk(told)
        } catch {
            exchange.takeBack(staged)
            throw error
        }
    }

    /// Fails when the host refuses it.
    private func word(on plan: InstallationPlan) async throws -> String {
        let name = "\(plan.identifier)"
        guard let host = plan.place.host else {
            return "installed \(name) in \(plan.place.operatorFolder); a host takes it when it runs"
        }
        let answer = try await ControlClient.withConnection(to: host.socket) { client in
            try await HostVerdict(client: client).onInstallation(of: plan, digest: plan.digest)
        }
        switch answer {
        case .accepted: return "installed \(name): the host has it"
        case .gone, .silent:
            return "installed \(name), but the host has not said so within \(HostVerdict.patience.humanReadable); "
                + "see: bgtask plugin list"
        case .refused(let problems):
            throw CommandFailure(
                .refused,
                "the host refuses \(name), so everything is as before: \(problems.joined(separator: "; "))"
            )
        }
    }
}
