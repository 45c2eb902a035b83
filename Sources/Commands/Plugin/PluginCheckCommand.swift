// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import LinuxSystem
import LocatedYAML
import PluginCatalog
import PluginChecker

/// `bgtask plugin check`: checks whether a host would accept plugins. It reads only their manifests and libraries.
struct PluginCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check manifests and their libraries without running anything.",
        discussion: """
            Tells everything that a host would refuse, and what it would take with surprise, with the rule each time. \
            The manifests beside a checked one count as its neighbours. Nothing of a plugin runs, and no host is asked.

            Example:
              bgtask plugin check manifests/com.example.feed.yaml --plugins build/plugins

            Exit codes: 0 conforms, 1 does not, 2 misuse, 4 the checker itself failed, 5 the library cannot be loaded, \
            6 passed with exclusions. --list names the checks; --json is described in Documentation/Vendors.md.
            """
    )

    @Argument(help: "Manifest files.")
    var manifests: [String] = []

    @Option(
        name: .customLong("with"),
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Other manifests of the same host, such as an extension's main plugin.",
            valueName: "manifest"
        )
    )
    var neighbours: [String] = []

    @Option(help: ArgumentHelp("Where libraries stand that are not beside their manifest.", valueName: "directory"))
    var plugins: String?

    @Option(help: ArgumentHelp("Ask only the checks whose name contains this expression.", valueName: "regex"))
    var include: String?

    @Option(help: ArgumentHelp("Leave out the checks whose name contains this expression.", valueName: "regex"))
    var exclude: String?

    @Option(help: ArgumentHelp("Why checks are left out; kept in the report.", valueName: "text"))
    var reason: String?

    @Flag(help: "List the checks and the rules that they prove.")
    var list = false

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        _ = try selection()
        if list {
            if !manifests.isEmpty { throw ValidationError("--list checks nothing; leave the manifests out") }
            return
        }
        if manifests.isEmpty { throw ValidationError("no manifest is given; name the files to check") }
        for file in manifests + neighbours where !ManifestFolder.isManifest(FilePlace.name(of: file)) {
            throw ValidationError(
                "\(file) is no manifest's name: a host reads .yaml, .yml and .plist, and none that begin with a dot"
            )
        }
    }

    func run() throws {
        let output = OutputOptions(json: json)
        if list { return try output.show(CheckList()) }
        let files = PluginNeighbourhood(manifests: manifests, with: neighbours)
        let examination = PluginExamination(files.sources, pluginFolder: plugins.map(FilePlace.absolute))
        let report = examination.report(on: files.asked, selection: try selection(), tool: Release.version)
        try output.show(report)
        for file in files.asked where ManifestReading.read(path: file).library?.path.value.hasPrefix("/") == true {
            Surroundings.current.talk(
                "\(file) names its library by its whole path, which only manifests in the operator's directory may;"
                    + " install it with bgtask plugin install"
            )
        }
        let status = report.verdict.status
        if status != .done { throw CommandFailure(status, report.closingLine) }
        Surroundings.current.talk(report.closingLine)
    }

    private func selection() throws -> CheckSelection {
        do {
            return try CheckSelection(include: include, exclude: exclude, reason: reason)
        } catch {
            throw ValidationError("\(error)")
        }
    }
}
