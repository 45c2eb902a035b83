// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import LinuxSystem
import LocatedYAML
import PluginCatalogue
import PluginChecker
import TaskModel

/// `bgtask plugin check`: checks whether a host would accept plugins. It reads the given manifests, the other manifests
/// in the same directories, and the libraries of all of them. It runs no plugin code.
struct PluginCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check manifests and their libraries without running anything.",
        discussion: """
            Reports everything that a host refuses, and everything that it accepts with a warning, each with its rule. \
            The other manifests in the same directory are read as well. No plugin code runs, and no host takes part.

            Example:
              bgtask plugin check manifests/com.example.feed.yaml --plugins build/plugins

            Exit codes: 0 conforms, 1 does not conform, 2 misuse, 4 the checker itself failed, 5 the library cannot be \
            loaded, 6 passed with exclusions. --list names the checks; --json is described in Documentation/Vendors.md.
            """
    )

    @Argument(help: "Manifest files.")
    var manifests: [String] = []

    @Option(
        name: .customLong("with"),
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Manifests of the same host to read without checking them, such as that of an extension's main plugin.",
            valueName: "manifest"
        )
    )
    var neighbours: [String] = []

    @Option(
        help: ArgumentHelp("The directory of libraries that are not beside their manifest.", valueName: "directory")
    )
    var plugins: String?

    @Option(help: ArgumentHelp("Run only checks whose name matches this expression.", valueName: "regex"))
    var include: String?

    @Option(help: ArgumentHelp("Exclude checks whose name matches this expression.", valueName: "regex"))
    var exclude: String?

    @Option(help: ArgumentHelp("The reason for the exclusion; it is part of the report.", valueName: "text"))
    var reason: String?

    @Flag(help: "List the checks and the rules that they prove.")
    var list = false

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        _ = try selection()
        if list {
            if !manifests.isEmpty { throw ValidationError("--list runs no check; leave the manifests out") }
            return
        }
        if manifests.isEmpty { throw ValidationError("no manifest is given; name the files to check") }
        for file in manifests + neighbours where !ManifestDirectory.isManifest(FilePlace.name(of: file)) {
            throw ValidationError(
                "\(file) is not the name of a manifest; name a manifest, or rename the file: a manifest's name ends"
                    + " with .yaml, .yml or .plist and does not begin with a dot"
            )
        }
    }

    func run() throws {
        let output = OutputOptions(json: json)
        if list { return try output.show(CheckList()) }
        let files = PluginNeighbourhood(manifests: manifests, with: neighbours)
        let examination = PluginExamination(files.sources, pluginDirectory: plugins.map(FilePlace.absolute))
        let report = examination.report(on: files.asked, selection: try selection(), tool: Release.version)
        try output.show(report)
        for file in files.asked where ManifestReading.read(path: file).library?.path.value.hasPrefix("/") == true {
            CommandContext.current.writeMessage(
                "\(file) names its library by an absolute path, which only manifests in the operator's manifest"
                    + " directory may use; if this manifest is elsewhere, install it with: bgtask plugin install"
            )
        }
        let status = report.verdict.status
        if status != .done { throw CommandFailure(status, report.closingLine) }
        CommandContext.current.writeMessage(report.closingLine)
    }

    private func selection() throws -> CheckSelection {
        do {
            return try CheckSelection(include: include, exclude: exclude, reason: reason)
        } catch {
            throw ValidationError("\(error)")
        }
    }
}
