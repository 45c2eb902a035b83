// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The descriptors that a runner finds open beyond the standard three. Host and runner both name them through here.
package enum RunnerDescriptors {
    /// A connected stream socket, both ways: frames.
    package static let control: Int32 = 3
    /// The writing end of a pipe: at most one `LastWords` record, written by a process that is dying.
    package static let lastWords: Int32 = 4
}
