// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc

/// A failed system call and its purpose.
package struct SystemError: Error, Equatable, CustomStringConvertible {
    /// The value of `attempt` in errors of `EpollSet.add`.
    package static let watching = "watch a descriptor"

    package let number: Int32
    /// The failed operation, as the end of a sentence that begins with "cannot", such as "open /proc/meminfo".
    package let attempt: String

    package var meaning: String { String(cString: strerror(number)) }
    package var description: String { "cannot \(attempt): \(meaning)" }

    package init(number: Int32, attempt: String) {
        self.number = number
        self.attempt = attempt
    }

    /// Creates an error for a file in an unexpected format.
    package init(unreadable path: String) {
        self.init(number: EBADMSG, attempt: "parse \(path), whose format is unknown")
    }

    /// Returns `status`, or throws when it is negative.
    ///
    /// - Parameters:
    ///   - status: the result of a `bgl_` function.
    ///   - attempt: the purpose of the call, for the error.
    @discardableResult
    package static func check(_ status: Int32, _ attempt: @autoclosure () -> String) throws(SystemError) -> Int32 {
        if status < 0 { throw SystemError(number: -status, attempt: attempt()) }
        return status
    }
}
