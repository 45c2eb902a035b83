// Part of bgtask, under the Apache License 2.0; see LICENSE.

// Preconcurrency: Swift treats the C variables `stdout` and `stderr` as shared mutable state, but no code assigns to
// them.
@preconcurrency import Glibc

/// The standard output streams of libc.
enum OutputStreams {
    /// Makes standard output line-buffered: the lines before a crash are not lost.
    static func bufferByLine() { setvbuf(stdout, nil, _IOLBF, 0) }

    /// Names of the streams whose lock another thread holds.
    static var locked: [String] {
        [("stdout", stdout), ("stderr", stderr)].compactMap { name, stream in
            guard let stream, ftrylockfile(stream) == 0 else { return name }
            funlockfile(stream)
            return nil
        }
    }
}
