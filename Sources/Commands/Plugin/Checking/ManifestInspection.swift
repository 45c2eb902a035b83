// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LocatedYAML
import PluginBinary
import PluginCatalogue
import TaskModel

/// The report of `plugin inspect` on one manifest: its requirements, its libraries, and the library of this machine.
/// `format` is the version of the structure of its JSON.
struct ManifestInspection: Encodable {
    struct Library: Encodable {
        /// The architecture of the library; nil for one library for every machine.
        let architecture: String?
        /// The path in the manifest.
        let path: String
        /// The digest that the manifest pins; nil without a pin.
        let digest: String?

        private enum CodingKeys: String, CodingKey {
            case architecture, path
            case digest = "sha256"
        }
    }

    let format = 1
    let manifest: String
    let plugin: String?
    /// The errors for which a host of this version refuses the manifest or its library. Errors of the library file that
    /// `library` contains are left out.
    let problems: [LibraryInspection.Problem]
    /// The features that the manifest requires; empty for a refused manifest.
    let requires: [String]
    /// The libraries of the manifest, the one of this machine first; empty when the manifest names no valid library for
    /// this machine.
    let libraries: [Library]
    /// The inspection of the library of this machine; nil when the manifest names no valid library, or its file is
    /// missing.
    let library: LibraryInspection?
    /// The first reason why a host of this version does not load the plugin; nil when it loads the plugin. It is not
    /// part of the JSON.
    let obstacle: LibraryInspection.Problem?

    init(manifest file: String) {
        let examined = ExaminedManifest.examine(ManifestSource(file: file), pluginDirectory: nil)
        let reading = examined.reading
        manifest = file
        plugin = reading.identifier?.text
        let inspection = examined.libraryPath.map {
            LibraryInspection(BinarySurvey(path: $0, for: reading.library?.use ?? .entry))
        }
        let errors = (reading.problems + examined.libraryProblems).filter { $0.severity == .error }
        let ofFile = Set((inspection?.problems ?? []).map(\.message))
        problems = errors.filter { !ofFile.contains($0.message) }.map(LibraryInspection.Problem.init)
        requires = reading.manifest?.requires ?? []
        libraries =
            reading.library.map { library in
                let own = Library(
                    architecture: library.architecture,
                    path: library.path.value,
                    digest: library.pinnedDigest?.value
                )
                let others = library.others.map {
                    Library(architecture: $0.architecture, path: $0.path.value, digest: $0.pinnedDigest?.value)
                }
                return [own] + others
            } ?? []
        library = inspection
        // The manifest decides how its library is used: a library that only handlers can bind is no plugin of its own.
        obstacle =
            errors.first.map(LibraryInspection.Problem.init)
            ?? (inspection?.isLoadable == false ? inspection?.problems.first : nil)
    }

    private enum CodingKeys: String, CodingKey { case format, manifest, plugin, problems, requires, libraries, library }
}

extension LibraryInspection.Problem {
    init(_ problem: DocumentProblem) {
        let place = problem.position.map { "line \($0.line): " } ?? ""
        let key = problem.key.map { "\($0): " } ?? ""
        self.init(code: problem.rule.rawValue, message: place + key + problem.message, remedy: problem.remedy)
    }
}
