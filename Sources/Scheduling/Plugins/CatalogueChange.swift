// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The catalogue: the installed plugins, and the plugins with a refused manifest.
package struct Catalogue: Hashable, Sendable {
    /// A manifest that cannot be used.
    package struct ManifestRefusal: Hashable, Sendable {
        package let problem: String
        /// Whether the only problem is that the main plugin of the extension is missing.
        package let isOrphan: Bool
        /// Whether the operator's policy of provenance is the only problem.
        package let isOfProvenance: Bool

        package init(problem: String, isOrphan: Bool = false, isOfProvenance: Bool = false) {
            self.problem = problem
            self.isOrphan = isOrphan
            self.isOfProvenance = isOfProvenance
        }

        var event: JournalEntry.Event { isOfProvenance ? .provenanceRefused : .pluginRefused }
    }

    package let installed: [PluginIdentifier: PluginEntry]
    /// The refused manifests by plugin. A plugin can be installed and have an entry here, when another manifest for it
    /// is refused.
    package let refused: [PluginIdentifier: ManifestRefusal]

    /// Creates the catalogue. When several entries have the same plugin identifier, the last one counts.
    ///
    /// - Parameter entries: the installed plugins.
    package init(_ entries: [PluginEntry] = [], refused: [PluginIdentifier: ManifestRefusal] = [:]) {
        installed = Dictionary(entries.map { ($0.identifier, $0) }) { _, last in last }
        self.refused = refused
    }
}

/// The difference between two catalogues. The first change of a scheduler is the difference from an empty catalogue.
package struct CatalogueChange: Hashable, Sendable {
    /// Plugins that are newly installed or whose entry has changed, ordered by identifier.
    package let installed: [PluginEntry]
    /// Plugins that are no longer installed, ordered by identifier.
    package let removed: [PluginIdentifier]
    /// Plugins with a newly refused manifest, or whose refused manifest has another problem than before.
    package let refused: [PluginIdentifier: Catalogue.ManifestRefusal]
    /// Plugins that no longer have a refused manifest.
    package let accepted: Set<PluginIdentifier>

    package init(from old: Catalogue = Catalogue(), to new: Catalogue) {
        installed = new.installed.values.filter { old.installed[$0.identifier] != $0 }
            .sorted { $0.identifier < $1.identifier }
        removed = old.installed.keys.filter { new.installed[$0] == nil }.sorted()
        refused = new.refused.filter { old.refused[$0.key] != $0.value }
        accepted = Set(old.refused.keys.filter { new.refused[$0] == nil })
    }

    package var isEmpty: Bool { installed.isEmpty && removed.isEmpty && refused.isEmpty && accepted.isEmpty }
}
