// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import LinuxSystem
import LocatedYAML
import PluginBinary
import PluginCatalogue
package import PluginChecker
import Signatures
package import TaskModel

/// The plan to pack one plugin: all files of the pack, after every check has passed. Creating the plan writes nothing.
package struct PackPlan {
    /// A file to pack.
    package struct File: Hashable {
        /// Name in the pack.
        package let name: String
        package let source: String
        /// Size in bytes at the time of the check.
        package let size: Int
    }

    package let plugin: PluginIdentifier
    /// The version in the manifest; empty when it has none.
    package let version: String
    /// The architectures of the libraries; empty when one library serves every machine.
    package let architectures: [String]
    package let isSigned: Bool
    package let isPinned: Bool
    /// The manifest, its signature, then the libraries and files by name.
    package let files: [File]
    /// Findings that do not prevent the pack.
    package let warnings: [CheckFinding]

    /// The default file name of the pack: the identifier, the version and the suffix.
    package var defaultName: String {
        let permitted = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.+~-")
        let version = String(version.map { permitted.contains($0) ? $0 : "_" })
        return plugin.text + (version.isEmpty ? "" : "-\(version)") + PluginPack.suffix
    }

    /// Creates the plan. Throws when a check fails, or when a file is missing or has another digest.
    ///
    /// - Parameters:
    ///   - source: path of the manifest.
    ///   - library: path of the library, if it is not beside the manifest.
    package init(source: String, library: String?) throws {
        let contents = PackContents(ofManifest: source)
        warnings = try Self.examine(source, library, contents)
        guard let reading = contents.reading, let manifest = reading.manifest else {
            let error = contents.reading?.problems.first { $0.severity == .error }
            throw InstallationError(
                "a host would refuse \(source): \(error.map(\.message) ?? "it names no library"); nothing was written",
                remedy: error?.remedy
            )
        }
        if manifest.library.isAbsolute {
            throw InstallationError(
                "\(source) names the library \(manifest.library.path.value) by its absolute path, but a pack contains"
                    + " its library; nothing was written",
                remedy: "write only the file name of the library into the manifest"
            )
        }
        if library != nil, !contents.architectures.isEmpty {
            throw InstallationError(
                "\(source) names one library for each architecture, but --library names one file; nothing was written",
                remedy: "leave --library out, and put each library at its path beside the manifest"
            )
        }
        plugin = manifest.identifier.value
        version = manifest.version
        architectures = contents.architectures
        isPinned = contents.files.filter { contents.architectures.isEmpty || $0.architecture != nil }
            .allSatisfy { $0.digest != nil }
        let name = FilePlace.name(of: source)
        var files = [try Self.file(name, at: source)]
        isSigned = FilePlace.exists(source + PluginSignature.suffix)
        if isSigned {
            try Self.checkSignature(of: reading, isPinned: isPinned)
            files.append(try Self.file(name + PluginSignature.suffix, at: source + PluginSignature.suffix))
        }
        let beside = FilePlace.directory(of: source)
        files += try contents.files.map { file in
            let isLibrary = file.name == manifest.library.path.value
            let path = isLibrary ? library ?? "\(beside)/\(file.name)" : "\(beside)/\(file.name)"
            return try Self.file(file, at: path, named: source)
        }.sorted { $0.name < $1.name }
        self.files = files
    }

    // MARK: Checks

    /// The checks of a plugin against other plugins. They are left out when a pack is made, because the plugins of the
    /// operator who installs it are unknown.
    private static let neighbourly: Set<PluginCheck> = [.identifierFree, .taskIdentifiersFree, .containingPlugin]

    /// Examines the plugin as a host on this machine would, if the plugin has a library for this machine. Returns the
    /// warnings.
    private static func examine(_ source: String, _ library: String?, _ contents: PackContents) throws -> [CheckFinding]
    {
        let isForThisMachine =
            contents.architectures.isEmpty || contents.architectures.contains(ManifestHost.current.architecture)
        if contents.reading != nil, !isForThisMachine { return [] }
        let examination = PluginExamination(
            [ManifestSource(file: source, library: library)],
            pluginDirectory: nil
        )
        let report = examination.report(on: [source], tool: Release.version)
        let results = report.manifests.flatMap(\.results).filter { !neighbourly.contains($0.check) }
        if results.contains(where: { $0.outcome == .fail }) {
            throw InstallationError(
                "a host would refuse \(source), or fail to load its library; nothing was written",
                remedy: "correct the failed checks"
                    + (library == nil ? "; if the library is elsewhere, name it with --library" : ""),
                report: report
            )
        }
        return results.flatMap(\.findings)
    }

    private static func checkSignature(of reading: ManifestReading, isPinned: Bool) throws {
        let path = reading.file + PluginSignature.suffix
        if !isPinned {
            throw InstallationError(
                "\(reading.file) has a signature but does not pin each library, so the signature does not cover all"
                    + " code; nothing was written",
                remedy: "write the digests of all libraries under sha256, and sign the manifest again"
            )
        }
        let problems = ProblemCollector(file: path)
        guard let file = SmallFile(path: path, problems: problems), let digests = reading.messageDigests else {
            throw InstallationError("\(path) \(problems.problems.first?.message ?? "cannot be read")")
        }
        do throws(SignatureProblem) {
            try PluginSignature(text: file.bytes).verify(digests)
        } catch {
            throw InstallationError(
                "the signature \(path) \(error.message); nothing was written",
                remedy: "sign the manifest again, or remove the signature"
            )
        }
    }

    /// The file at `path`, to pack under the name that the manifest gives it. Throws when the file is missing, has
    /// another digest than the manifest pins, or is a library for another architecture.
    ///
    /// - Parameter source: path of the manifest, for messages.
    private static func file(_ file: PackContents.File, at path: String, named source: String) throws -> File {
        let packed = try Self.file(file.name, at: path)
        if let architecture = file.architecture {
            let built = BinarySurvey(path: path).architecture
            guard built == architecture else {
                throw InstallationError(
                    "\(source) names \(path) as its library for \(architecture), which is"
                        + (built.map { " built for \($0)" } ?? " not a shared library of Linux")
                        + "; nothing was written",
                    remedy: "put the library there that is built for \(architecture)"
                )
            }
        }
        let digest = try? LibraryDigest.of(path: path)
        if let pin = file.digest, pin != digest {
            throw InstallationError(
                "\(source) pins \(pin) for \(path), which has the digest \(digest ?? "unknown"); nothing was written",
                remedy: "correct the digest, or put the file there for which the manifest was written"
            )
        }
        return packed
    }

    private static func file(_ name: String, at path: String) throws -> File {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            let cause = FilePlace.exists(path) ? "is not a regular file" : "does not exist"
            throw InstallationError(
                "\(path), a file of the plugin, \(cause); nothing was written",
                remedy: "put the file there, or correct its name in the manifest"
            )
        }
        let size = Int(status.st_size)
        guard PackName.flaw(of: name) == nil, UstarHeader(name: name, size: size) != nil else {
            throw InstallationError(
                "\(path) with its \(size) bytes cannot be packed as \(name.inQuotes): a file in a pack is smaller than"
                    + " 8 GiB, and its name has no control characters and at most 100 bytes, or a slash"
                    + " after at most 155 bytes and before at most 100; nothing was written",
                remedy: "shorten the path of the file in the manifest, or the file"
            )
        }
        return File(name: name, source: path, size: size)
    }
}
