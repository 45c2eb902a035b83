// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc

/// An open file that closes with its last owner. Knows nothing of what is behind it.
final class Descriptor: Sendable {
    let number: Int32

    init(owning number: Int32) { self.number = number }

    /// - Parameter flags: those of `open`; close-on-exec is added.
    init(opening path: String, flags: Int32) throws(SystemError) {
        number = try SystemError.check(bgl_open(AT_FDCWD, path, flags), "open \(path)")
    }

    /// A file to execute, readable or not.
    init(openingProgram path: String) throws(SystemError) {
        number = try SystemError.check(bgl_open_program(path), "open \(path)")
    }

    deinit { close(number) }

    static func socketPair() throws(SystemError) -> (Descriptor, Descriptor) {
        try pair(bgl_socket_pair, "open a socket")
    }

    /// The reading end, which never blocks, and the writing end.
    static func pipe() throws(SystemError) -> (Descriptor, Descriptor) {
        try pair(bgl_pipe, "open a pipe")
    }

    private static func pair(
        _ make: (UnsafeMutablePointer<Int32>?) -> Int32,
        _ attempt: String
    ) throws(SystemError) -> (Descriptor, Descriptor) {
        var numbers: [Int32] = [-1, -1]
        try SystemError.check(make(&numbers), attempt)
        return (Descriptor(owning: numbers[0]), Descriptor(owning: numbers[1]))
    }
}

/// A system call that failed, and what it was for. Becomes a `LaunchError` at this target's border.
struct SystemError: Error, Equatable {
    let number: Int32
    let attempt: String

    var meaning: String { String(cString: strerror(number)) }

    /// - Parameter status: what a `bgl_` function returned.
    @discardableResult
    static func check(_ status: Int32, _ attempt: @autoclosure () -> String) throws(SystemError) -> Int32 {
        if status < 0 { throw SystemError(number: -status, attempt: attempt()) }
        return status
    }
}
