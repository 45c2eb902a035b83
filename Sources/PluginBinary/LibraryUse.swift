// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Purpose of loading a library; a library serves exactly one.
package enum LibraryUse: Hashable, Sendable {
    /// A plugin with an entry and a note.
    case entry
    /// An ordinary library, whose functions with these names a manifest binds.
    case functions([String])
}
