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

    deinit { close(number) }

    func write(_ text: String, for attempt: @autoclosure () -> String) throws(SystemError) {
        // The kernel's control files want their text in one piece, and some the zero behind it.
        let size = text.withCString { Glibc.write(number, $0, strlen($0) + 1) }
        if size < 0 { throw SystemError(number: errno, attempt: attempt()) }
    }
}

/// A system call that failed, and what it was for.
struct SystemError: Error, Equatable {
    let number: Int32
    let attempt: String

    var words: String { "cannot \(attempt): \(String(cString: strerror(number)))" }

    init(number: Int32, attempt: String) {
        self.number = number
        self.attempt = attempt
    }

    /// A file that is there, and says something else than the kernel does.
    init(unreadable path: String) { self.init(number: EBADMSG, attempt: "understand \(path)") }

    /// - Parameter status: what a `bgl_` function returned.
    @discardableResult
    static func check(_ status: Int32, _ attempt: @autoclosure () -> String) throws(SystemError) -> Int32 {
        if status < 0 { throw SystemError(number: -status, attempt: attempt()) }
        return status
    }
}
