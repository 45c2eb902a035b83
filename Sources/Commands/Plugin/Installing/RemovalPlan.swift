// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginCatalog
import TaskModel

/// One plugin to be removed: which files of the operator's folder go. Removes nothing.
struct RemovalPlan {
    let place: InstallationPlace
    let identifier: PluginIdentifier
    let manifest: String
    let version: String?
    /// Nil when it stands elsewhere, or another manifest names it too.
    let library: String?
    let keptLibrary: String?
    /// What earlier versions have left, if anything.
    let superseded: Superseded?
    /// A package's manifest, which counts again afterwards.
    let uncovered: String?
    let displaced: [RefusedPlugin]

    init(of identifier: PluginIdentifier, from place: InstallationPlace) throws {
        let installed = InstalledManifests(place)
        let packaged = installed.packaged(identifier)
        guard let file = installed.operators(identifier) else {
            if let packaged {
                throw CommandFailure(
                    .refused,
                    "\(identifier) belongs to a package, which put \(packaged.path) there",
                    remedy:
                        "remove the package, or write \"enabled: false\" under plugins.\(identifier) in bgtaskd.yaml"
                )
            }
            throw CommandFailure(
                .refused,
                "no manifest in \(place.operatorFolder) describes \(identifier)",
                remedy: "see what is installed: bgtask plugin list"
            )
        }
        self.place = place
        self.identifier = identifier
        manifest = file.path
        version = file.manifest.reading.manifest?.version
        uncovered = packaged?.path

        library = installed.ownLibrary(of: file)
        keptLibrary = library == nil ? file.manifest.libraryPath : nil
        superseded = file.manifest.reading.library.map { reference in
            Superseded(
                by: file.path,
                library: reference.path.value,
                digest: file.manifest.library?.digest ?? "",
                kept: file.manifest.libraryPath,
                in: place
            )
        }

        let rest = installed.files.filter { $0.path != file.path }
        let before = Set(installed.contents.refused.map(\.file))
        let after = Catalog.settle(
            rest.map(\.manifest),
            alreadyCatalogued: installed.known,
            operatorExtensions: installed.operatorExtensions
        )
        displaced = after.refused.filter { !before.contains($0.file) }
    }

    func text(purging: Bool) -> String {
        var fields = FieldList()
        fields.add("plugin", identifier.text)
        fields.add("version", version.flatMap { $0.isEmpty ? nil : $0 })
        fields.add("removes", each: [manifest] + [library].compactMap(\.self) + (superseded?.paths ?? []))
        fields.add("leaves", each: [keptLibrary].compactMap(\.self))
        fields.add("uncovers", uncovered)
        fields.add("puts out", each: displaced.map { "\($0.identifier?.text ?? $0.file): \($0.firstError)" })
        fields.add(
            purging ? "deletes" : "keeps",
            each: [
                "its container",
                purging
                    ? "what it has pending"
                    : "what it has pending, for removed-plugin-retention of the host (30 days unless it says so)",
            ]
        )
        return fields.text
    }
}
