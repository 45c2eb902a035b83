// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The descriptors that a runner inherits beyond the standard three. Host and runner share these constants.
package enum RunnerDescriptors {
    /// A connected stream socket that carries frames in both directions.
    package static let control: Int32 = 3
    /// The writing end of a pipe, for at most one `LastWords` record of a crashing process.
    package static let lastWords: Int32 = 4
    /// The memory of `CursorPlaces`. The runner maps it and closes the descriptor before it loads the plugin.
    package static let cursors: Int32 = 5
}
