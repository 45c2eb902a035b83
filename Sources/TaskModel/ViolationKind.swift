// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The kind of a violation that a runner reports. The raw value is its word in the messages between runner and host.
package enum ViolationKind: String, Hashable, Sendable, CaseIterable {
    case wroteBehindStruct = "wrote-behind-struct"
    case wroteReserved = "wrote-reserved"
    case registeredUnpermitted = "registered-unpermitted"
    case registeredTwice = "registered-twice"
    case registeredLate = "registered-late"
    case registeredByExtension = "registered-by-extension"
    case submittedUnregistered = "submitted-unregistered"
    case completedTwice = "completed-twice"
    case completedWithoutOutcome = "completed-without-outcome"
    case completedForeign = "completed-foreign"
    case endedForeignAssertion = "ended-foreign-assertion"
    case calledInVisitor = "called-in-visitor"
    /// The plugin called the host after its function `stop` had returned. Reported in trials only: such a call has no
    /// effect.
    case calledAfterStop = "called-after-stop"
    /// The plugin called the host in a process that it had forked. Reported in trials only: such a call has no effect.
    case calledInFork = "called-in-fork"
    /// The plugin passed another pointer than that of the host's table, such as that of a copy, to a function of the
    /// table. Reported in trials only: such a call has its usual effect.
    case passedCopy = "passed-copy"
    /// The plugin moved or deleted the cursor of an event, of a task that it did not receive, or of a task that it had
    /// completed without an expiration. Reported in trials only: such a call returns a status and has no effect.
    case movedForeignCursor = "moved-foreign-cursor"
    case endedThread = "ended-thread"
    case changedSignalHandler = "changed-signal-handler"
    case changedSignalMask = "changed-signal-mask"
    case changedDirectory = "changed-directory"
    case changedUmask = "changed-umask"
    case changedStream = "changed-stream"
    case heldStream = "held-stream"
    case setFetchIntervalOfMain = "set-fetch-interval-of-main"

    /// The violated rule of the ABI; nil for a violation of another rule.
    package var rule: ABIRule? {
        switch self {
        case .wroteBehindStruct, .wroteReserved: .growingStructs
        case .registeredUnpermitted, .registeredTwice, .registeredLate, .submittedUnregistered: .registration
        case .registeredByExtension: .noHandlersOfExtensions
        case .completedTwice, .completedWithoutOutcome: .oneCompletion
        case .completedForeign, .endedForeignAssertion, .passedCopy, .movedForeignCursor: .numbers
        case .calledInVisitor, .calledAfterStop, .calledInFork: .placesOfCalls
        case .endedThread: .noUnwinding
        case .changedSignalHandler, .changedSignalMask, .changedDirectory, .changedUmask, .changedStream, .heldStream:
            .processOfHost
        case .setFetchIntervalOfMain: nil
        }
    }
}
