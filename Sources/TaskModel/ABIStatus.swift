// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Names of the status codes of the ABI, with the numbers of `bgtask.h`.
package enum ABIStatus {
    /// The name of a status; "plugin status" for a negative one, "unknown status" for a number without a name.
    package static func name(of status: Int32) -> StaticString {
        switch status {
        case 0: "BGT_OK"
        case 1: "BGT_UNAVAILABLE"
        case 2: "BGT_TOO_MANY_PENDING"
        case 3: "BGT_NOT_PERMITTED"
        case 4: "BGT_IMMEDIATE_RUN_INELIGIBLE"
        case 100: "BGT_NOT_OFFERED"
        case 101: "BGT_INVALID"
        case 102: "BGT_WRONG_PHASE"
        case 103: "BGT_WRONG_ROLE"
        case 104: "BGT_DUPLICATE"
        case 105: "BGT_UNREGISTERED"
        case 106: "BGT_NO_SUCH_TASK"
        case 107: "BGT_ALREADY_COMPLETED"
        case 108: "BGT_TOO_NEW"
        case 109: "BGT_TRUNCATED"
        case 110: "BGT_NOT_FOUND"
        case 111: "BGT_ENDED"
        case 112: "BGT_WRONG_KIND"
        case ..<0: "plugin status"
        default: "unknown status"
        }
    }
}
