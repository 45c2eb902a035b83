// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// What a library is to be loaded for. It is one or the other: never both.
package enum LibraryUse: Hashable, Sendable {
    /// It is a plugin and says so in its note.
    case entry
    /// It knows nothing of plugins; a manifest binds these functions of it, by name.
    case functions([String])
}
