// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlClient
import LinuxSystem
import PluginCatalogue
import PluginInstaller
import TaskModel

/// `bgtask plugin install`: installs a plugin into the operator's directory, after the operator has confirmed its
/// requested grants.
struct PluginInstallCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install",
        abstract: "Install a plugin, or replace its installed version.",
        discussion: """
            Checks the plugin, shows its requested grants, and copies its library and manifest into the operator's \
            manifest directory. The name of the installed library contains the beginning of its digest \
            (libFeed-8c6f168f.so), and the installed manifest uses that name: both take effect together. A running \
            host confirms the installation. If the host refuses the plugin, the previous files are restored; otherwise \
            those that are no longer used are deleted.

            A manifest with a signature beside it (.yaml.sig), or with files, keeps its bytes: its library, its files \
            and its signature are copied into the directory store of the manifest directory. A version that is lower \
            than the installed one is refused.

            A replacement that may do more than the installed version needs --accept-grants with the digest of its grants, \
            which the command prints; --yes alone is not enough. With --json the command asks no question and prints one \
            document.

            A pack contains manifest, signature, libraries and files, and is installed like the files themselves.

            Examples:
              bgtask plugin install com.example.feed.yaml --library build/libFeed.so --pin
              bgtask plugin install com.example.feed-1.4.0.bgplugin
            """
    )

    @Argument(help: "The manifest file, or a pack.")
    var manifest: String

    @Option(help: ArgumentHelp("The library, if it is not beside the manifest.", valueName: "file"))
    var library: String?

    @Flag(help: "Write the library's digest into the installed manifest: the host refuses any other library.")
    var pin = false

    @Flag(help: "Replace the installed version also by a lower one.")
    var allowDowngrade = false

    @Flag(help: "Install without confirmation.")
    var yes = false

    @Flag(help: "Only check the plugin and print what would be installed; nothing is changed.")
    var dryRun = false

    @Option(
        help: ArgumentHelp(
            "Consent to the grants with this digest; any other grants are refused.",
            valueName: "digest"
        )
    )
    var acceptGrants: String?

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var options: PlaceOptions

    func validate() throws {
        if library != nil, isPack {
            throw ValidationError("--library has no effect on \(manifest): a pack contains its library; leave it out")
        }
        guard isPack || ManifestDirectory.isManifest(FilePlace.name(of: manifest)) else {
            throw ValidationError(
                "\(manifest) is neither a pack nor the name of a manifest; name a manifest or a pack, or rename the file:"
                    + " a manifest's name ends with .yaml, .yml or .plist and does not begin with a dot"
            )
        }
    }

    /// Whether the argument is a pack: the file has the contents of a pack, or its name has the suffix of packs.
    private var isPack: Bool {
        PluginPack.isPack(at: FilePlace.absolute(manifest)) || manifest.hasSuffix(PluginPack.suffix)
    }

    func run() async throws {
        let place = try await options.place()
        if dryRun { return try await Interruptible.cancelling { try await self.showPlan(into: place) } }
        // Before the plan, which depends on the installed files.
        let lock = try DirectoryLock(on: place.operatorDirectory, isCreating: true)
        defer { withExtendedLifetime(lock) {} }
        // A signal during the plan or its question deletes the unpacked files, and changes nothing.
        let (plan, requests) = try await Interruptible.cancelling { try await self.confirmedPlan(into: place) }
        try await Interruptions.deferred { try await install(plan, requests) }
    }

    /// Prints the plan of an installation, and throws when it needs a consent. The lock is not taken, because it would
    /// create the directory.
    private func showPlan(into place: InstallationPlace) async throws {
        let plan = try plan(into: place)
        let requests = try await options.requests(unpermittedBy: plan)
        if json {
            try InstallationReport(plan, stranding: requests, outcome: .dryRun).write()
        } else {
            try CommandContext.current.write(plan.text(stranding: requests))
        }
        try plan.consent.check(accepted: acceptGrants)
        CommandContext.current.writeMessage("dry run: nothing was changed")
    }

    /// The plan to which the operator consented, and the pending requests that the new version would no longer permit.
    private func confirmedPlan(
        into place: InstallationPlace
    ) async throws -> (InstallationPlan, UnpermittedRequests) {
        let plan = try plan(into: place)
        let requests = try await options.requests(unpermittedBy: plan)
        if !json { try CommandContext.current.write(plan.text(stranding: requests)) }
        do {
            try plan.consent.check(accepted: acceptGrants)
        } catch {
            if json { try InstallationReport(plan, stranding: requests, outcome: .needsConsent).write() }
            throw error
        }
        try confirm(plan, requests)
        return (plan, requests)
    }

    private func plan(into place: InstallationPlace) throws -> InstallationPlan {
        let source = FilePlace.absolute(manifest)
        if isPack {
            return try InstallationPlan(
                pack: source,
                isPinned: pin,
                allowsDowngrade: allowDowngrade,
                unpackedIn: CommandContext.current.environment["TMPDIR"] ?? "/tmp",
                into: place
            )
        }
        return try InstallationPlan(
            source: source,
            library: library.map(FilePlace.absolute),
            isPinned: pin,
            allowsDowngrade: allowDowngrade,
            into: place
        )
    }

    private func confirm(_ plan: InstallationPlan, _ requests: UnpermittedRequests) throws {
        if !json { return try Consent.ask(plan.previous == nil ? "install it?" : "replace it?", isGiven: yes) }
        if yes { return }
        try InstallationReport(plan, stranding: requests, outcome: .needsConfirmation).write()
        throw CommandFailure(
            .misuse,
            "nothing was changed: with --json the command asks no question",
            remedy: "give --yes to confirm the change"
        )
    }

    private func install(_ plan: InstallationPlan, _ requests: UnpermittedRequests) async throws {
        let installation: InstallationPlan.Installation
        do {
            installation = try await plan.install()
        } catch let error as ControlError {
            CommandContext.current.writeMessage("the installation was undone, because a call to the host failed")
            throw error
        }
        if json {
            let outcome = InstallationReport.Outcome(installation.verdict)
            try InstallationReport(plan, stranding: requests, outcome: outcome, left: installation.left).write()
        }
        let stays = installation.left.joined(separator: ", ")
        let result = message(of: installation.verdict, plan)
        CommandContext.current.writeMessage(
            stays.isEmpty
                ? result
                : "\(result); these old files stay, and the next installation of this plugin deletes those that are no"
                    + " longer used: \(stays)"
        )
    }

    private func message(of verdict: InstallationPlan.Verdict, _ plan: InstallationPlan) -> String {
        let name = "\(plan.identifier)"
        switch verdict {
        case .noHost:
            return "installed \(name) in \(plan.place.operatorDirectory), but no host confirmed it: no host that uses"
                + " this directory was reached; such a host reads the manifest, at its next start at the latest"
        case .accepted: return "installed \(name): the host accepted it"
        case .loadingPrevious:
            return "installed \(name): the host accepted it, but a launch that began before still has to load the"
                + " previous library"
        case .silent:
            let timeout = HostVerdict.timeout.humanReadable
            return
                "installed \(name), but the host did not confirm the installation within \(timeout);"
                + " see: bgtask plugin list"
        }
    }
}
