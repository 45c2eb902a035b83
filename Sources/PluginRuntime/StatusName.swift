// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The name of a status code as in the header, at an address that is valid until the process ends.
package enum StatusName {
    package static func address(of status: Int32) -> UnsafePointer<CChar> {
        // Literals are stored with a NUL and never move.
        UnsafeRawPointer(ABIStatus.name(of: status).utf8Start).assumingMemoryBound(to: CChar.self)
    }
}
