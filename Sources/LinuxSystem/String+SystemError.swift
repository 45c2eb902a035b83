// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import Glibc

extension String {
    /// Creates the system's message for an error number, with the number.
    package init(systemError: Int32) {
        self = strerror(systemError).map { "\(String(cString: $0)) (errno \(systemError))" } ?? "errno \(systemError)"
    }
}
