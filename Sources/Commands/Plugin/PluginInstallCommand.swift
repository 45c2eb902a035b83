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
            Checks it, shows what it asks for, and copies library and manifest into the operator's manifest folder. The \
            installed library's name holds the beginning of its digest (libFeed-8c6f168f.so), and the installed \
            manifest names it so: both take effect at once, with the manifest. A host that runs is waited for; if it \
            refuses the plugin after all, everything is as before, and if not, the version before is deleted.

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
            if let library = plan.libraryTarget, !library.isThere {
                staged.append(try exchange.stage(copyOf: plan.library.path, at: library.path))
            }
            if let library = plan.libraryTarget {
                try check(staged.first?.path ?? library.path, against: plan)
            }
            staged.append(try exchange.stage(plan.bytes, at: plan.manifestTarget))
            // The library first: nobody looks for it before the manifest is there.
            for file in staged { try exchange.put(file) }
            let (told, isTaken) = try await word(on: plan)
            exchange.keep()
            let left = isTaken ? plan.superseded.delete() : plan.superseded.paths.filter(FilePlace.exists)
            let stays =
                left.isEmpty ? "" : "; what it replaces stays until the next time: \(left.joined(separator: ", "))"
            Surroundings.current.talk(told + stays)
        } catch {
            exchange.takeBack(staged)
            throw error
        }
    }

    private func check(_ library: String, against plan: InstallationPlan) throws {
        if InstalledLibrary.holds(plan.library, at: library) { return }
        throw CommandFailure(
            .refused,
            "\(plan.library.path) changed since it was checked",
            remedy: "install it again"
        )
    }

    /// What to tell, and whether nobody needs the version before any more. Fails when the host refuses the new one.
    private func word(on plan: InstallationPlan) async throws -> (told: String, isTaken: Bool) {
        let name = "\(plan.identifier)"
        guard let host = plan.place.host else {
            return ("installed \(name) in \(plan.place.operatorFolder); a host takes it when it runs", true)
        }
        return try await ControlClient.withConnection(to: host.socket) { client in
            let verdict = HostVerdict(client: client)
            switch try await verdict.onInstallation(of: plan, digest: plan.digest) {
            case .accepted:
                for library in plan.superseded.paths {
                    guard try await verdict.onLoading(of: library, by: plan.identifier) else {
                        return ("installed \(name): the host has it, and loads what was there before once more", false)
                    }
                }
                return ("installed \(name): the host has it", true)
            case .gone, .silent:
                let patience = HostVerdict.patience.humanReadable
                let problem = "but the host has not said so within \(patience); see: bgtask plugin list"
                return ("installed \(name), \(problem)", false)
            case .refused(let problems):
                throw CommandFailure(
                    .refused,
                    "the host refuses \(name), so everything is as before: \(problems.joined(separator: "; "))"
                )
            }
        }
    }
}
