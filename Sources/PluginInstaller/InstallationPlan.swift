// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import LinuxSystem
import LocatedYAML
import PluginBinary
package import PluginCatalogue
package import PluginChecker
import Signatures
package import TaskModel

/// The plan to install one plugin: all files to write, after every check has passed. Creating the plan changes no
/// installed file.
package struct InstallationPlan {
    package let place: InstallationPlace
    package let manifest: Manifest
    /// The plugin as a host with the new manifest catalogues it.
    let entry: PluginEntry
    package let source: String
    package let manifestTarget: String
    /// The bytes of the manifest to write to `manifestTarget`.
    let bytes: [UInt8]
    package let library: LibraryFile
    /// The library to write; nil when the library stays where it is: in the plugin directory, or at its absolute path.
    package let libraryTarget: InstalledLibrary?
    /// The signature of the manifest to write; nil for an unsigned manifest.
    package let signature: StoredSignature?
    /// The pinned files to write beside the library.
    package let files: [StoredFile]
    /// Files to delete once the new version is in effect.
    package let superseded: Superseded
    package let report: CheckReport
    /// The operator's installed manifest to be replaced; nil when there is none.
    package let previous: ManifestReading?
    /// The rights of the plugin, and the consent that they need.
    package let consent: GrantsConsent
    /// Other plugins that the host would refuse because of the new plugin.
    package let displaced: [RefusedFile]
    /// The unpacked pack that contains the plugin; nil for a manifest in a directory.
    private var unpacked: UnpackedPlugin?

    /// A text for the operator. For a pack, paths in the temporary directory are replaced by paths in the pack.
    package func shown(_ text: String) -> String { unpacked?.shown(text) ?? text }

    package var identifier: PluginIdentifier { manifest.identifier.value }
    var digest: String { ManifestReading.read(bytes: bytes, file: manifestTarget).digest }

    /// Creates the plan for a pack. Throws when the pack is damaged, or a check fails.
    ///
    /// - Parameter temporary: the directory in which the pack is unpacked; the files there are deleted with the plan.
    package init(
        pack: String,
        isPinned: Bool,
        allowsDowngrade: Bool = false,
        unpackedIn temporary: String,
        into place: InstallationPlace
    ) throws {
        let unpacked = try UnpackedPlugin(PluginPack(at: pack), in: temporary)
        do {
            try self.init(
                source: unpacked.manifest,
                library: nil,
                isPinned: isPinned,
                allowsDowngrade: allowsDowngrade,
                into: place
            )
        } catch let error as InstallationError {
            throw error.shown(from: unpacked)
        }
        self.unpacked = unpacked
    }

    /// Creates the plan. Throws when a check fails.
    ///
    /// - Parameters:
    ///   - isPinned: whether to write the digest of the library into the manifest.
    ///   - allowsDowngrade: whether the version may be lower than the installed one.
    package init(
        source: String,
        library: String?,
        isPinned: Bool,
        allowsDowngrade: Bool = false,
        into place: InstallationPlace
    ) throws {
        let installed = InstalledManifests(place)
        let reading = ManifestReading.read(path: source)
        let format = source.hasSuffix(".plist") ? ".plist" : ".yaml"
        let previous = reading.identifier.flatMap(installed.operators)
        let target = previous?.path ?? "\(place.operatorDirectory)/\(reading.identifier?.text ?? "unknown")\(format)"
        if FilePlace.isSame(source, target) {
            throw InstallationError(
                "\(source) is the installed manifest itself; nothing was written",
                remedy: "to change the plugin, edit this file, or install a copy of it from another directory, with"
                    + " --library; for the state of the plugin, see: bgtask plugin list"
            )
        }
        if previous == nil, FilePlace.exists(target) {
            throw InstallationError(
                "\(target) exists and does not describe \(identifierText(reading)); nothing was written",
                remedy: "move that file away, or check it with: bgtask plugin check \(target)"
            )
        }

        if let named = reading.library, named.isAbsolute, let library, !FilePlace.isSame(library, named.path.value) {
            throw InstallationError(
                "\(source) names the library \(named.path.value) by its absolute path, but --library names \(library);"
                    + " nothing was written",
                remedy: "leave --library out, or write only the file name of the library into the manifest"
            )
        }
        let newcomer = ManifestSource(file: source, library: library)
        let neighbours = installed.files.map(\.source).filter { $0.file != target && $0.file != source }
        let examination = PluginExamination(
            neighbours + [newcomer],
            pluginDirectory: place.pluginDirectory,
            alreadyCatalogued: installed.known,
            operatorExtensions: installed.operatorExtensions
        )
        report = examination.report(on: [source], tool: Release.version)
        guard let manifest = reading.manifest, report.verdict == .conforms,
            let entry = examination.contents.entries.first(where: { $0.manifestPath == source })
        else {
            throw InstallationError(
                "a host would refuse \(source), or fail to load its library; nothing was written",
                remedy: "correct the failed checks"
                    + (library == nil ? "; if the library is elsewhere, name it with --library" : ""),
                report: report
            )
        }
        // The extension selects the format, so a file of one format under the other's extension would be misread.
        if previous?.path.hasSuffix(".plist") == !source.hasSuffix(".plist") {
            throw InstallationError(
                "\(identifierText(reading)) is installed as \(target), and \(source) has another format: one of the two"
                    + " manifests is YAML, the other a property list; nothing was written",
                remedy: "remove the installed plugin first: bgtask plugin remove \(identifierText(reading))"
            )
        }

        if !allowsDowngrade { try Self.checkVersion(manifest, replacing: previous?.manifest.reading.manifest) }

        self.place = place
        self.manifest = manifest
        self.entry = entry
        self.source = source
        self.library = entry.library
        self.previous = previous?.manifest.reading
        // Without a manifest of the operator, the manifest of a package has been in effect.
        consent = GrantsConsent(
            to: manifest,
            replacing: (previous ?? installed.packaged(manifest.identifier.value))?.manifest.reading
        )
        manifestTarget = target
        let original = try ManifestBytes(of: reading)
        let isSigned = FilePlace.exists(source + PluginSignature.suffix)
        if isSigned, !manifest.library.isPinned {
            throw InstallationError(
                "\(source) has a signature but does not pin its library, so the signature covers no code; nothing was"
                    + " written",
                remedy: (format == ".plist"
                    ? "replace the property list by a YAML manifest with sha256: \(entry.library.digest), and sign that"
                        + " manifest"
                    : "write sha256: \(entry.library.digest) into the manifest and sign it again")
                    + "; or, to install without a signature, remove the file \(source)\(PluginSignature.suffix)"
            )
        }
        if manifest.library.files.isEmpty, !isSigned {
            files = []
            libraryTarget = try InstalledLibrary(
                of: manifest,
                beside: target,
                from: entry.library,
                pluginDirectory: place.pluginDirectory
            )
            if let libraryTarget { try Self.checkLinkage(of: entry.library.path, at: libraryTarget.path) }
            bytes = try original.marked(libraryTarget?.mark, pinning: isPinned ? entry.library.digest : nil)
            signature = nil
        } else {
            bytes = try original.marked(nil, pinning: nil)
            let version = try StoredVersion(of: manifest, entry.library, digest: reading.digest, beside: target)
            (libraryTarget, files) = (version.library, version.files)
            signature = try isSigned ? StoredSignature(of: reading, beside: target) : nil
        }
        superseded = Superseded(
            by: target,
            library: manifest.library.path.value,
            digest: entry.library.digest,
            kept: libraryTarget?.path ?? entry.library.path,
            replaced: previous.flatMap(installed.ownLibrary),
            version: ManifestReading.read(bytes: bytes, file: target).digest,
            in: place
        )
        let before = Set(installed.contents.refused.map(\.file))
        displaced = examination.contents.refused.filter { !before.contains($0.file) }
    }

    /// Throws if the version is lower than the installed one: an old version may have known flaws.
    private static func checkVersion(_ manifest: Manifest, replacing old: Manifest?) throws {
        guard let old, !manifest.version.isEmpty, VersionOrder.isLower(manifest.version, than: old.version) else {
            return
        }
        throw InstallationError(
            "the manifest has version \(manifest.version) of \(manifest.identifier.value), which is lower than the"
                + " installed version \(old.version); nothing was written",
            remedy: "install a version that is not lower, or add --allow-downgrade"
        )
    }

    /// Throws if the loader would not find the libraries that the library needs at its target: only the library itself
    /// is copied, and not the files beside it.
    private static func checkLinkage(of source: String, at target: String) throws {
        let directory = FilePlace.directory(of: target)
        guard let problem = LibraryLinkage(path: source, origin: directory).problems.first else { return }
        throw InstallationError(
            "a copy of the library in \(directory) could not be loaded: \(problem.message); nothing was written",
            remedy: "copy the needed libraries into \(directory) first, to the same places relative to the library, or"
                + " install them for the whole system"
        )
    }
}

private func identifierText(_ reading: ManifestReading) -> String { reading.identifier?.text ?? "the plugin" }
