// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The language of a library, and its properties that affect loading. A host refuses a library because of text
/// relocations and unsafe search paths; it accepts every value of the other properties.
package struct LibraryTraits: Hashable, Sendable {
    /// The part of the data written by the loader that becomes read-only after loading (RELRO).
    package enum RelocationProtection: String, Hashable, Sendable {
        case full
        case partial
        case none
    }

    /// The shared-object name (SONAME); nil when the library has none.
    package let name: String?
    /// Names of the libraries that this one needs (NEEDED). The loader loads them together with it.
    package let needs: [String]
    /// Search paths for the needed libraries as the linker wrote them: RUNPATH, then RPATH, each with its directories
    /// separated by colons.
    package let searchPaths: [String]
    package let wantsExecutableStack: Bool
    package let hasTextRelocations: Bool
    package let relocationProtection: RelocationProtection
    /// Whether the library's variables per thread need space that the loader reserved at the start of the program.
    package let usesStaticThreadStorage: Bool
    package let language: LibraryLanguage
}
