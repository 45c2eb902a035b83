// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// What the manifest folders held at one moment: the plugins that count, the files that do not, and why.
package struct CatalogContents: Hashable, Sendable {
    /// Sorted by identifier.
    package let entries: [PluginEntry]
    /// Sorted by file.
    package let refused: [RefusedPlugin]
    /// What is worth telling about files that are used, or that others take precedence over; sorted by file and place.
    package let notes: [ManifestProblem]
    /// Every folder whose changes can change these contents.
    package let folders: Set<String>

    /// Before anything was read.
    package static let empty = CatalogContents(entries: [], refused: [], notes: [], folders: [])

    package func entry(for identifier: PluginIdentifier) -> PluginEntry? {
        entries.first { $0.identifier == identifier }
    }
}

/// A manifest file, or a folder of them, that is not used.
package struct RefusedPlugin: Hashable, Sendable {
    package let file: String
    /// Nil when the file does not even tell that.
    package let identifier: PluginIdentifier?
    /// At least one of them is an error.
    package let problems: [ManifestProblem]
}
