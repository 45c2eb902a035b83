// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// What a library brings along and asks of the loader. Nothing in it makes a host refuse the library.
package struct LibraryTraits: Hashable, Sendable {
    /// How much of what the loader fills in is read-only once it is done.
    package enum RelocationProtection: String, Hashable, Sendable {
        case full
        case partial
        case none
    }

    /// The name that it gives itself; nil when it has none.
    package let name: String?
    /// The libraries that are loaded with it.
    package let needs: [String]
    /// Where it looks for those first.
    package let searchPaths: [String]
    package let wantsExecutableStack: Bool
    package let hasTextRelocations: Bool
    package let relocationProtection: RelocationProtection
}
