// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The files that a plugin may use beside its library.
package enum LibraryCompanions: Hashable, Sendable {
    /// Every file in the directory of the library, which contains one version of one plugin alone.
    case directory
    /// The private libraries and the pinned files, as absolute paths. The directory of the library may contain files of
    /// other plugins.
    case files([String])

    /// The companions without some of the single files.
    package func without(_ isLeftOut: (String) -> Bool) -> LibraryCompanions {
        guard case .files(let files) = self else { return self }
        return .files(files.filter { !isLeftOut($0) })
    }
}
