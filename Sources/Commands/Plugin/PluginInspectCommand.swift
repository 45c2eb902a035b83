// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import LinuxSystem
import PluginBinary

/// `bgtask plugin inspect`: shows the properties of one library, and whether a host of this version would load it.
struct PluginInspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show the properties of a library, and whether a host of this version loads it.",
        discussion: """
            Reads the file as plain bytes: none of its code runs, and no host takes part. Exit code 1: a host of this \
            version loads it neither as a plugin nor as a library whose functions a manifest binds.

            Example:
              bgtask plugin inspect build/plugins/libFeed.so
            """
    )

    @Argument(help: "The library's file.")
    var file: String

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let inspection = LibraryInspection(BinarySurvey(path: FilePlace.absolute(file)))
        try OutputOptions(json: json).show(inspection)
        guard let problem = inspection.obstacle else { return }
        throw CommandFailure(
            .refused,
            "no host of this version loads this library: \(problem.message)",
            remedy: problem.remedy
        )
    }
}
