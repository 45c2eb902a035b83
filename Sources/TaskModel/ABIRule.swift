// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A rule of the ABI between plugins and host. The raw value is its id, which messages and checks cite.
/// `bgtask.h` has the text of each rule, `Documentation/Vendors.md` a summary.
package enum ABIRule: String, Hashable, Sendable, CaseIterable {
    case oneEntry = "BGT-ABI-01"
    case version = "BGT-ABI-02"
    case growingStructs = "BGT-ABI-03"
    case layout = "BGT-ABI-04"
    case completeHostTable = "BGT-ABI-05"
    case statuses = "BGT-ABI-06"
    case strings = "BGT-ABI-07"
    case numbers = "BGT-ABI-08"
    case oneCompletion = "BGT-ABI-09"
    case registration = "BGT-ABI-10"
    case noHandlersOfExtensions = "BGT-ABI-11"
    case placesOfCalls = "BGT-ABI-12"
    case oneRelease = "BGT-ABI-13"
    case sharedBudget = "BGT-ABI-14"
    case noUnwinding = "BGT-ABI-15"
    case processOfHost = "BGT-ABI-16"
    case sharedContainer = "BGT-ABI-17"
    case noControlCalls = "BGT-ABI-18"
    case optionalFeatures = "BGT-ABI-19"
}

/// Limits of the violations of one launch: of those that the runner sends, and of those that the host journals.
package enum ViolationLimit {
    /// Maximum number of journaled violations per launch. A plugin that repeats a violation in a loop would otherwise
    /// fill the disk, and the first entries suffice to find the call.
    package static let journaled = 20
    /// Maximum number of violations that a runner sends to the host per launch. It ends a flood of messages at its
    /// source.
    package static let sent = 100
}
