// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc

/// An open file descriptor that is closed with its last reference.
package final class Descriptor: Sendable {
    package let number: Int32

    package init(owning number: Int32) { self.number = number }

    /// Opens a file. Throws when the file cannot be opened.
    ///
    /// - Parameter flags: flags of `open`; close-on-exec is added.
    package init(opening path: String, flags: Int32) throws(SystemError) {
        number = try SystemError.check(bgl_open(AT_FDCWD, path, flags), "open \(path)")
    }

    /// Opens a file to execute, whether it is readable or not.
    package init(openingProgram path: String) throws(SystemError) {
        number = try SystemError.check(bgl_open_program(path), "open \(path)")
    }

    deinit { close(number) }

    package static func socketPair() throws(SystemError) -> (Descriptor, Descriptor) {
        try pair(bgl_socket_pair, "open a socket")
    }

    /// Creates a pipe. Returns the reading end, which never blocks, and the writing end.
    package static func pipe() throws(SystemError) -> (Descriptor, Descriptor) {
        try pair(bgl_pipe, "open a pipe")
    }

    /// Writes the text with a terminating zero in one system call, as control files of the kernel require.
    ///
    /// - Parameter attempt: the purpose, for the error.
    package func write(_ text: String, for attempt: @autoclosure () -> String) throws(SystemError) {
        let size = text.withCString { Glibc.write(number, $0, strlen($0) + 1) }
        if size < 0 { throw SystemError(number: errno, attempt: attempt()) }
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
