// Part of bgtask, under the Apache License 2.0; see LICENSE.

// `stdout` and `stderr` are C variables that Swift takes for shared mutable state; nothing ever assigns to them.
@preconcurrency import Glibc

/// The streams of libc that a plugin prints to.
enum OutputStreams {
    /// Makes what a plugin prints leave the process line by line: a crash must not take the lines before it along.
    static func bufferByLine() { setvbuf(stdout, nil, _IOLBF, 0) }

    /// The names of those that some other thread holds the lock of.
    static var locked: [String] {
        [("stdout", stdout), ("stderr", stderr)].compactMap { name, stream in
            guard let stream, ftrylockfile(stream) == 0 else { return name }
            funlockfile(stream)
            return nil
        }
    }
}
