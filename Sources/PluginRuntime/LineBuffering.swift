// Part of bgtask, under the Apache License 2.0; see LICENSE.

// `stdout` is a C variable that Swift takes for shared mutable state; nothing ever assigns to it.
@preconcurrency import Glibc

/// Makes what a plugin prints leave the process line by line: a crash must not take the lines before it along.
func lineBufferOutput() {
    setvbuf(stdout, nil, _IOLBF, 0)
}
