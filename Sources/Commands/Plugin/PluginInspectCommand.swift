// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import LinuxSystem
import PluginBinary
import PluginCatalogue

/// `bgtask plugin inspect`: shows the properties of one library, and whether a host of this version would load it.
/// Given a manifest, it inspects the library that the manifest names for this machine.
struct PluginInspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show the properties of a library or of a manifest, and whether a host of this version loads it.",
        discussion: """
            Reads the file as plain bytes: none of its code runs, and no host takes part. Exit code 1: a host of this \
            version loads it neither as a plugin nor as a library whose functions a manifest binds. For a manifest, whose \
            name ends with .yaml, .yml or .plist, it prints the required features and the libraries of all \
            architectures, and the properties of the library for this machine.

            Examples:
              bgtask plugin inspect build/plugins/libFeed.so
              bgtask plugin inspect com.example.feed.yaml
            """
    )

    @Argument(help: "The file of the library or of the manifest.")
    var file: String

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let path = FilePlace.absolute(file)
        if ManifestDirectory.isManifest(FilePlace.name(of: path)) {
            let inspection = ManifestInspection(manifest: path)
            try OutputOptions(json: json).show(inspection)
            try refuse("plugin", because: inspection.obstacle)
        } else {
            let inspection = LibraryInspection(BinarySurvey(path: path))
            try OutputOptions(json: json).show(inspection)
            try refuse("library", because: inspection.obstacle)
        }
    }

    private func refuse(_ thing: String, because problem: LibraryInspection.Problem?) throws {
        guard let problem else { return }
        throw CommandFailure(
            .refused,
            "no host of this version loads this \(thing): \(problem.message)",
            remedy: problem.remedy
        )
    }
}
