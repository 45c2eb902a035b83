// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks

/// The name of a status code as in the header, at an address that is valid until the process ends.
package enum StatusName {
    package static func address(of status: Int32) -> UnsafePointer<CChar> {
        // Literals are stored with a NUL and never move.
        UnsafeRawPointer(literal(status).utf8Start).assumingMemoryBound(to: CChar.self)
    }

    private static func literal(_ status: Int32) -> StaticString {
        switch status {
        case BGT_OK: "BGT_OK"
        case BGT_UNAVAILABLE: "BGT_UNAVAILABLE"
        case BGT_TOO_MANY_PENDING: "BGT_TOO_MANY_PENDING"
        case BGT_NOT_PERMITTED: "BGT_NOT_PERMITTED"
        case BGT_IMMEDIATE_RUN_INELIGIBLE: "BGT_IMMEDIATE_RUN_INELIGIBLE"
        case BGT_NOT_OFFERED: "BGT_NOT_OFFERED"
        case BGT_INVALID: "BGT_INVALID"
        case BGT_WRONG_PHASE: "BGT_WRONG_PHASE"
        case BGT_WRONG_ROLE: "BGT_WRONG_ROLE"
        case BGT_DUPLICATE: "BGT_DUPLICATE"
        case BGT_UNREGISTERED: "BGT_UNREGISTERED"
        case BGT_NO_SUCH_TASK: "BGT_NO_SUCH_TASK"
        case BGT_ALREADY_COMPLETED: "BGT_ALREADY_COMPLETED"
        case BGT_TOO_NEW: "BGT_TOO_NEW"
        case BGT_TRUNCATED: "BGT_TRUNCATED"
        case BGT_NOT_FOUND: "BGT_NOT_FOUND"
        case BGT_ENDED: "BGT_ENDED"
        case BGT_WRONG_KIND: "BGT_WRONG_KIND"
        case ..<0: "plugin status"
        default: "unknown status"
        }
    }
}
