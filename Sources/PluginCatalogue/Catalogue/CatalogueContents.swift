// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import LocatedYAML
package import TaskModel

/// Contents of the manifest directories at one moment: the installed plugins, and the refused files with their
/// problems.
package struct CatalogueContents: Hashable, Sendable {
    /// The installed plugins, sorted by identifier.
    package let entries: [PluginEntry]
    /// The refused files, sorted by path.
    package let refused: [RefusedFile]
    /// Notes about files in use, and about files over which others take precedence; sorted by file and position.
    package let notes: [DocumentProblem]
    /// All directories in which a change can affect these contents.
    package let directories: Set<String>

    /// The contents before the first load.
    package static let empty = CatalogueContents(entries: [], refused: [], notes: [], directories: [])

    /// The refused files that follow `file` in the order of paths; all of them when `file` is nil.
    package func refused(after file: String?) -> ArraySlice<RefusedFile> {
        guard let file else { return refused[...] }
        return refused[refused.partitionIndex { $0.file > file }...]
    }

    /// The refused file at a path; nil when no refused file has this path.
    package func refused(_ file: String) -> RefusedFile? {
        let index = refused.partitionIndex { $0.file >= file }
        return index < refused.count && refused[index].file == file ? refused[index] : nil
    }

    /// The installed plugin with an identifier; nil when there is none.
    package func entry(for identifier: PluginIdentifier) -> PluginEntry? {
        index(of: identifier).map { entries[$0] }
    }

    /// Whether a plugin with an identifier is installed.
    package func contains(_ identifier: PluginIdentifier) -> Bool { index(of: identifier) != nil }

    private func index(of identifier: PluginIdentifier) -> Int? {
        let index = entries.partitionIndex { $0.identifier >= identifier }
        return index < entries.count && entries[index].identifier == identifier ? index : nil
    }
}

/// A manifest file that is not used, or a directory that could not be read.
package struct RefusedFile: Hashable, Sendable {
    package let file: String
    /// The identifier in the file; nil when it could not be read.
    package let identifier: PluginIdentifier?
    /// The problems of the file. At least one of them is an error.
    package let problems: [DocumentProblem]
}
