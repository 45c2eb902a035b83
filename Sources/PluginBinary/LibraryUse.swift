// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The way in which a host uses a library: as a plugin with an entry function, or as an ordinary library. Each library
/// serves exactly one use.
package enum LibraryUse: Hashable, Sendable {
    /// Use as a plugin with an entry function and a note.
    case entry
    /// Use as an ordinary library: a manifest binds its functions with these names.
    case functions([String])
}
