// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import LinuxSystem
import LocatedYAML
import PluginCatalogue
import TaskModel

/// The options for the sandbox of a called function: its grants, by default none.
struct SandboxOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Take grants and settings from this manifest, in addition to options.", valueName: "file")
    )
    var manifest: String?

    @Flag(help: "Grant the network.")
    var network = false

    @Option(help: ArgumentHelp("Grant connecting to a Unix socket; may be repeated.", valueName: "path"))
    var unix: [String] = []

    @Flag(help: "Grant starting processes.")
    var processes = false

    @Option(help: ArgumentHelp("Grant reading a path; may be repeated.", valueName: "path"))
    var read: [String] = []

    @Option(help: ArgumentHelp("Grant reading and writing a path; may be repeated.", valueName: "path"))
    var write: [String] = []

    @Option(help: ArgumentHelp("Grant executing a path; may be repeated.", valueName: "path"))
    var execute: [String] = []

    @Option(
        help: ArgumentHelp(
            "The sandbox: best-effort (default), required, or off, which gives the function the authority of this user.",
            valueName: "choice"
        ),
        transform: Self.isolation
    )
    var isolation = Isolation.bestEffort

    func validate() throws {
        if isolation == .off, network || processes || !(unix + read + write + execute).isEmpty {
            throw ValidationError("grants have no effect with --isolation off; leave out the grants, or --isolation")
        }
    }

    /// The grants of the manifest and of the options.
    func grants(besides manifest: Manifest?) -> Grants {
        let requested = manifest?.grants ?? .none
        return Grants(
            network: requested.network || network,
            connect: network ? [] : requested.connect,
            listen: network ? [] : requested.listen,
            unix: requested.unix + unix.map(FilePlace.absolute),
            gpu: requested.gpu,
            processes: requested.processes || processes,
            read: requested.read + read.map(FilePlace.absolute),
            write: requested.write + write.map(FilePlace.absolute),
            execute: requested.execute + execute.map(FilePlace.absolute),
            settings: requested.settings
        )
    }

    /// The manifest that the option names; nil without the option.
    func readManifest() throws -> Manifest? {
        guard let path = manifest.map(FilePlace.absolute) else { return nil }
        let reading = ManifestReading.read(path: path)
        if let manifest = reading.manifest { return manifest }
        let problem = reading.problems.first { $0.severity == .error }
        throw CommandFailure(
            .refused,
            "the manifest is refused: \(problem.map { "\($0)" } ?? path)",
            remedy: "find all problems with: bgtask plugin check \(path)"
        )
    }

    static func isolation(_ text: String) throws -> Isolation {
        if let isolation = Isolation(rawValue: text) { return isolation }
        let words = Isolation.allCases.map(\.rawValue)
        let remedy = NearestWord.remedy(for: text, amongListed: words)
        throw ValidationError("\(text.inQuotes) is not one of \(words.joined(separator: ", ")); \(remedy)")
    }
}
