// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

extension Error {
    /// The message of the failed system call behind an error of Foundation, such as `Permission denied`. When no system
    /// call failed, the description of the error itself.
    package var systemMessage: String {
        var error: NSError? = self as NSError
        while let current = error {
            if current.domain == NSPOSIXErrorDomain { return String(cString: strerror(Int32(current.code))) }
            error = (current.userInfo[NSUnderlyingErrorKey] as? any Error).map { $0 as NSError }
        }
        return "\(self)"
    }
}
