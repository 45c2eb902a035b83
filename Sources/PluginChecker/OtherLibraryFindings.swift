// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import LinuxSystem
internal import LocatedYAML
internal import PluginBinary
internal import PluginCatalogue
internal import TaskModel

/// The findings about the libraries that a manifest names for other architectures. A host on this machine loads none of
/// them, so each finding is a warning.
struct OtherLibraryFindings {
    /// The properties of a library's file.
    struct File: Hashable {
        let path: String
        /// The architecture for which the library is built; nil when the file is not a library of this system.
        let architecture: String?
        /// SHA-256 digest of the file in lower-case hexadecimal; nil when the file cannot be read.
        let digest: String?
    }

    let manifest: String
    let libraries: [OtherLibrary]
    let pluginDirectory: String?

    /// All findings, from the files beside the manifest or in the plugin directory.
    var all: [CheckFinding] {
        libraries.flatMap { library in
            let places = places(of: library)
            let found = places.first(where: FilePlace.exists).map { path in
                File(
                    path: path,
                    architecture: BinarySurvey(path: path).architecture,
                    digest: try? LibraryDigest.of(path: path)
                )
            }
            return Self.problems(of: library, found, at: places).map { key, position, message, remedy in
                CheckFinding(
                    DocumentProblem(
                        severity: .note,
                        file: manifest,
                        position: position,
                        key: key,
                        rule: .architecture,
                        message: message,
                        remedy: remedy
                    )
                )
            }
        }
    }

    private func places(of library: OtherLibrary) -> [String] {
        let path = library.path.value
        if path.hasPrefix("/") { return [path] }
        return [FilePlace.directory(of: manifest), pluginDirectory].compactMap(\.self).map { "\($0)/\(path)" }
    }

    /// The problems of one library for another architecture.
    ///
    /// - Parameters:
    ///   - file: the library's file; nil when none of `places` has one.
    ///   - places: the paths at which the library may be.
    static func problems(
        of library: OtherLibrary,
        _ file: File?,
        at places: [String]
    ) -> [(key: String, position: TextPosition?, message: String, remedy: String)] {
        let field = library.path
        guard let file else {
            let text = places.map(\.inQuotes).joined(separator: " or ")
            return [
                (
                    field.key, field.position, "names a library that does not exist at \(text)",
                    "put the library for \(library.architecture) there before the plugin is shipped"
                )
            ]
        }
        var problems: [(key: String, position: TextPosition?, message: String, remedy: String)] = []
        if file.architecture != library.architecture {
            let built = file.architecture.map { "built for \($0)" } ?? "not a shared library of Linux"
            problems.append(
                (
                    field.key, field.position, "names \(file.path.inQuotes), which is \(built)",
                    "name the library that is built for \(library.architecture)"
                )
            )
        }
        if let pin = library.pinnedDigest, let digest = file.digest, pin.value != digest {
            problems.append(
                (
                    pin.key, pin.position, "is \(pin.value), but \(file.path.inQuotes) has the digest \(digest)",
                    "correct the digest, or put the library there for which the manifest was written"
                )
            )
        }
        return problems
    }
}
