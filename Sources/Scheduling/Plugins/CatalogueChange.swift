// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The catalogue: the installed plugins, and the plugins whose manifest is refused.
package struct Catalogue: Hashable, Sendable {
    /// A manifest that cannot be used.
    package struct Refusal: Hashable, Sendable {
        package let problem: String
        /// Nothing is wrong with the manifest, except that its main plugin is missing.
        package let isOrphan: Bool

        package init(problem: String, isOrphan: Bool = false) {
            self.problem = problem
            self.isOrphan = isOrphan
        }
    }

    package let installed: [PluginIdentifier: PluginEntry]
    /// Contains an installed plugin when another manifest of it is refused.
    package let refused: [PluginIdentifier: Refusal]

    /// - Parameter entries: of each plugin the last entry counts.
    package init(_ entries: [PluginEntry] = [], refused: [PluginIdentifier: Refusal] = [:]) {
        installed = Dictionary(entries.map { ($0.identifier, $0) }) { _, last in last }
        self.refused = refused
    }
}

/// The difference between two catalogues. The first change that a scheduler gets is the difference from an empty one.
package struct CatalogueChange: Hashable, Sendable {
    /// Plugins that are new or described differently, in the order of their identifiers.
    package let installed: [PluginEntry]
    /// Plugins that are no longer installed, in the order of their identifiers.
    package let removed: [PluginIdentifier]
    /// Plugins whose refusal is new or another one.
    package let refused: [PluginIdentifier: Catalogue.Refusal]
    /// Plugins that no manifest is refused of any more.
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
