// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import LinuxSystem
import PluginCatalog
import PluginInstaller
import TaskModel

/// `bgtask plugin install`: installs a plugin into the operator's directory, after the operator has confirmed its
/// requested grants.
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
        let installation = try await plan.install()
        let stays = installation.left.joined(separator: ", ")
        let told = told(installation.verdict, plan)
        Surroundings.current.talk(
            stays.isEmpty ? told : "\(told); what it replaces stays until the next time: \(stays)"
        )
    }

    private func told(_ verdict: InstallationPlan.Verdict, _ plan: InstallationPlan) -> String {
        let name = "\(plan.identifier)"
        switch verdict {
        case .noHost: return "installed \(name) in \(plan.place.operatorFolder); a host takes it when it runs"
        case .accepted: return "installed \(name): the host has it"
        case .loadingPrevious:
            return "installed \(name): the host has it, and loads the previous one again"
        case .silent:
            let patience = HostVerdict.patience.humanReadable
            return "installed \(name), but the host did not confirm it within \(patience); see: bgtask plugin list"
        }
    }
}
