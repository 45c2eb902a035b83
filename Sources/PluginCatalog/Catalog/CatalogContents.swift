// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import LocatedYAML
package import TaskModel

/// What the manifest folders held at one moment: the plugins that count, the files that do not, and why.
package struct CatalogContents: Hashable, Sendable {
    /// Sorted by identifier.
    package let entries: [PluginEntry]
    /// Sorted by file.
    package let refused: [RefusedPlugin]
    /// What is worth telling about files that are used, or that others take precedence over; sorted by file and place.
    package let notes: [DocumentProblem]
    /// Every folder whose changes can change these contents.
    package let folders: Set<String>

    /// Before anything was read.
    package static let empty = CatalogContents(entries: [], refused: [], notes: [], folders: [])

    /// The refused files that follow `file` in the order of paths; nil for all.
    package func refused(after file: String?) -> ArraySlice<RefusedPlugin> {
        guard let file else { return refused[...] }
        return refused[firstRefused { $0.file > file }...]
    }

    /// Nil unless the file at that path is refused.
    package func refused(_ file: String) -> RefusedPlugin? {
        let index = firstRefused { $0.file >= file }
        return index < refused.count && refused[index].file == file ? refused[index] : nil
    }

    /// Index of the first one that `follows`, which all behind it do as well.
    private func firstRefused(where follows: (RefusedPlugin) -> Bool) -> Int {
        var (low, high) = (0, refused.count)
        while low < high {
            let middle = (low + high) / 2
            if follows(refused[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }

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
    package let problems: [DocumentProblem]
}
