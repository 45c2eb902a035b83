// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LocatedYAML
package import PluginCatalogue
package import TaskModel

/// The plan to remove one plugin: the files of the operator's directory to delete. Creating the plan removes nothing.
package struct RemovalPlan {
    package let place: InstallationPlace
    package let identifier: PluginIdentifier
    package let manifest: String
    package let version: String?
    /// Path of the library to delete; nil unless it is in the store, or beside the manifest and no other manifest uses
    /// it.
    package let library: String?
    package let keptLibrary: String?
    /// Unused files of other versions to delete; nil when the manifest names no valid library.
    package let superseded: Superseded?
    /// Path of a package's manifest that takes effect again after the removal; nil for none.
    package let uncovered: String?
    package let displaced: [RefusedFile]

    package init(of identifier: PluginIdentifier, from place: InstallationPlace) throws {
        let installed = InstalledManifests(place)
        let packaged = installed.packaged(identifier)
        guard let file = installed.operators(identifier) else {
            if let packaged {
                throw InstallationError(
                    "\(identifier) belongs to a package, which installed \(packaged.path)",
                    remedy:
                        "remove the package, or write \"enabled: false\" under plugins.\(identifier) in bgtaskd.yaml"
                        + " and run bgtask host reload"
                )
            }
            throw InstallationError(
                "no manifest in \(place.operatorDirectory) describes \(identifier)",
                remedy: NearestWord.to(identifier.text, among: installed.files.compactMap(\.identifier?.text))
                    .map { NearestWord.remedy(nearest: $0, meaning: "plugin") }
                    ?? "list the installed plugins with: bgtask plugin list"
            )
        }
        self.place = place
        self.identifier = identifier
        manifest = file.path
        version = file.manifest.reading.manifest?.version
        uncovered = packaged?.path

        library = installed.ownLibrary(of: file)
        keptLibrary = library == nil ? file.manifest.libraryPath : nil
        // Removing the manifest makes its version in the store unused.
        superseded = file.manifest.reading.library.map { reference in
            Superseded(
                by: file.path,
                library: reference.path.value,
                digest: file.manifest.library?.digest ?? "",
                kept: file.manifest.libraryPath,
                version: nil,
                in: place
            )
        }

        let rest = installed.files.filter { $0.path != file.path }
        let before = Set(installed.contents.refused.map(\.file))
        let after = CatalogueReader.settle(
            rest.map(\.manifest),
            alreadyCatalogued: installed.known,
            operatorExtensions: installed.operatorExtensions
        )
        displaced = after.refused.filter { !before.contains($0.file) }
    }
}
