// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Properties of a library that affect loading. None of them makes a host refuse it.
package struct LibraryTraits: Hashable, Sendable {
    /// Amount of loader-written data that becomes read-only after loading.
    package enum RelocationProtection: String, Hashable, Sendable {
        case full
        case partial
        case none
    }

    /// The shared-object name; nil when it has none.
    package let name: String?
    /// Names of the libraries that are loaded with it.
    package let needs: [String]
    /// Directories in which those libraries are searched first.
    package let searchPaths: [String]
    package let wantsExecutableStack: Bool
    package let hasTextRelocations: Bool
    package let relocationProtection: RelocationProtection
}
