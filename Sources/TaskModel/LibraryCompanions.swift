// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The files that a plugin may use beside its library.
package enum LibraryCompanions: Hashable, Sendable {
    /// Every file in the directory of the library, which contains one version of one plugin alone.
    case directory
    /// The private libraries and the pinned files. The directory of the library may contain files of other plugins.
    case files([CompanionFile])

    /// The companions without some of the single files.
    package func without(_ isLeftOut: (CompanionFile) -> Bool) -> LibraryCompanions {
        guard case .files(let files) = self else { return self }
        return .files(files.filter { !isLeftOut($0) })
    }
}

/// A file that a plugin may use beside its library.
package struct CompanionFile: Hashable, Sendable {
    /// The absolute path, which may lead through symbolic links.
    package let path: String
    /// The file to which the path led when the catalogue examined it. A sandbox opens no other file at the path.
    package let key: FileKey

    package init(path: String, key: FileKey) {
        self.path = path
        self.key = key
    }
}
