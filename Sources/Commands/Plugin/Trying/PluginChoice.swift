// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import LinuxSystem
import LocatedYAML
import PluginCatalogue
import PluginChecker
import PluginInstaller
import TaskModel

/// The plugin of a command that runs it without a host: a manifest file, or the identifier of an installed plugin.
struct PluginChoice {
    let name: String
    /// Whether the name is the path of a manifest.
    let isManifest: Bool

    init(_ name: String) throws {
        self.name = name
        isManifest = ManifestDirectory.isManifest(FilePlace.name(of: name))
        if !isManifest, PluginIdentifier(name) == nil {
            throw ValidationError(
                "\(name.inQuotes) is neither a manifest, whose name ends with .yaml, .yml or .plist, nor the identifier"
                    + " of an installed plugin; name one of them"
            )
        }
    }

    /// The plugin as a host would catalogue it, and all plugins of that catalogue. Throws when there is no such plugin,
    /// or a host would refuse it.
    func entry(in places: PlaceOptions, besides neighbours: [String]) async throws -> Catalogued {
        isManifest
            ? try manifestEntry(besides: neighbours, plugins: places.plugins)
            : try installedEntry(in: try await places.place())
    }

    typealias Catalogued = (plugin: PluginEntry, catalogue: [PluginEntry])

    private func manifestEntry(besides neighbours: [String], plugins: String?) throws -> Catalogued {
        let file = FilePlace.absolute(name)
        let files = PluginNeighbourhood(manifests: [file], with: neighbours)
        let contents = PluginExamination(files.sources, pluginDirectory: plugins.map(FilePlace.absolute)).contents
        if let entry = contents.entries.first(where: { $0.manifestPath == file }) {
            return (entry, contents.entries)
        }
        throw refusal(of: file, contents.refused(file), besides: neighbours)
    }

    private func installedEntry(in place: InstallationPlace) throws -> Catalogued {
        // The configuration of a running host can list extensions that the manifest of their main plugin does not.
        let contents = CatalogueReader.load(
            place.directories,
            operatorExtensions: place.host?.extensions ?? [:]
        )
        if let entry = contents.entries.first(where: { $0.identifier.text == name }) {
            return (entry, contents.entries)
        }
        if let refused = contents.refused.first(where: { $0.identifier?.text == name }) {
            throw refusal(of: refused.file, refused)
        }
        let nearest = NearestWord.to(name, among: contents.entries.map(\.identifier.text))
        throw CommandFailure(
            .refused,
            "no installed plugin has the identifier \(name)",
            remedy: nearest.map { NearestWord.remedy(nearest: $0, meaning: "plugin") }
                ?? "list the plugins with: bgtask plugin list; or name a manifest file"
        )
    }

    private func refusal(
        of file: String,
        _ refused: RefusedFile?,
        besides neighbours: [String] = []
    ) -> CommandFailure {
        let problem = refused?.problems.first { $0.severity == .error }
        let others = neighbours.isEmpty ? "" : " --with " + neighbours.joined(separator: " ")
        return CommandFailure(
            .refused,
            "a host refuses the plugin: \(problem.map { "\($0)" } ?? file)",
            remedy: "find all problems with: bgtask plugin check \(file)\(others)"
        )
    }
}
