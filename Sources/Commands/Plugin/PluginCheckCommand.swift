// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import LinuxSystem
import LocatedYAML
import PluginCatalogue
import PluginChecker
import PluginConformance
import PluginTrial
import TaskModel

/// `bgtask plugin check`: checks whether a host would accept plugins. It reads the given manifests, the other manifests
/// in the same directories, and the libraries of all of them. At level 0 it runs no plugin code; at higher levels it
/// runs the plugins in trials.
struct PluginCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check manifests and their libraries; with --level, also run the plugins.",
        discussion: """
            Reports everything that a host refuses, and everything that it accepts with a warning, each with its rule. \
            The other manifests in the same directory are read as well. No host takes part.

            Level 0, the default, reads files and runs nothing. The higher levels run each plugin in real runners, in \
            the sandbox of its manifest and as the user nobody if the caller is root: level 1 loads it and runs every \
            task, level 2 expires tasks, refuses submissions and repeats launches, level 3 passes random data and takes \
            resources away.

            Examples:
              bgtask plugin check manifests/com.example.feed.yaml --plugins build/plugins
              bgtask plugin check feed.yaml --level 2 --only-failed --junit results.xml

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

    @Option(
        help: ArgumentHelp(
            "The checks for the plugins of one role, main or extension; by default those of all roles.",
            valueName: "name"
        ),
        completion: .words(CheckProfile.allCases, \.rawValue),
        transform: { try WordArgument.value($0, among: CheckProfile.allCases, \.rawValue) }
    )
    var profile: CheckProfile?

    @Option(
        help: ArgumentHelp(
            "The highest level of the checks: 0 (default) reads files, 1 to \(ConformanceCheck.highestLevel) run the plugin.",
            valueName: "number"
        )
    )
    var level: Int?

    @Option(help: ArgumentHelp("Maximum number of trials at the same time; 4 by default.", valueName: "number"))
    var jobs: Int?

    @Option(help: ArgumentHelp("Seed of random payloads; the report has it.", valueName: "number"))
    var seed: UInt64?

    @Option(
        help: ArgumentHelp(
            "Factor of the time limits when a check that failed by time alone is repeated; 10 by default.",
            valueName: "factor"
        )
    )
    var slack: Int?

    @Option(
        help: ArgumentHelp(
            "The kind of an identifier, such as com.example.feed.clean=processing; may be repeated. By default the kind "
                + "that the plugin submits at the event started, otherwise one that the background modes permit.",
            valueName: "identifier=kind"
        ),
        transform: SignatureArgument.kind
    )
    var kind: [(key: String, value: String)] = []

    @OptionGroup var trial: TrialOptions

    @Option(help: ArgumentHelp("Write the results as JUnit XML to this file as well.", valueName: "file"))
    var junit: String?

    @Flag(help: "Print only manifests and checks that did not pass.")
    var onlyFailed = false

    @Flag(help: "List the checks and the rules that they prove.")
    var list = false

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        let highest = ConformanceCheck.highestLevel
        if let level, !(0...highest).contains(level) {
            throw ValidationError("--level \(level) is not a level; name a number from 0 to \(highest)")
        }
        if let jobs, !(1...64).contains(jobs) { throw ValidationError("--jobs \(jobs) is not a number from 1 to 64") }
        if let slack, !(1...100).contains(slack) {
            throw ValidationError("--slack \(slack) is not a factor from 1 to 100")
        }
        try refuseOptionsWithoutEffect()
        _ = try selection()
        _ = try kinds()
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

    func run() async throws {
        let output = OutputOptions(json: json)
        if list { return try output.show(CheckList(level: level ?? ConformanceCheck.highestLevel)) }
        let report = try await report()
        if json || !onlyFailed {
            try output.show(report)
        } else {
            try output.show(FailedChecks(report))
        }
        for manifest in report.manifests
        where ManifestReading.read(path: manifest.manifest).library?.path.value.hasPrefix("/") == true {
            CommandContext.current.writeMessage(
                "\(manifest.manifest) names its library by an absolute path, which only manifests in the operator's"
                    + " manifest directory may use; if this manifest is elsewhere, install it with: bgtask plugin install"
            )
        }
        do {
            if let junit { try write(JUnitDocument(report: report).text, to: junit) }
        } catch {
            CommandContext.current.writeMessage(report.closingLine)
            throw error
        }
        let status = report.verdict.status
        if status != .done { throw CommandFailure(status, report.closingLine) }
        CommandContext.current.writeMessage(report.closingLine)
    }
}
