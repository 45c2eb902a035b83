// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// A pending request in 80 bytes, less than half the size of `PendingRequest`, because a host may hold a million
/// requests.
///
/// Continued terms, submitting plugins, deadlines and claims are few, and are stored in separate tables of
/// `RequestStore`.
struct RequestSlot: Sendable {
    let identifier: TaskIdentifier
    let number: SubmissionNumber
    private let submittedAtNanoseconds: Int64
    private var earliestBeginNanoseconds: Int64
    private var notBeforeNanoseconds: Int64
    private var deferredSinceNanoseconds: Int64
    /// Wall time from which the request counts as ready; meaningless while the request is upcoming.
    var readySince = WallTime(nanoseconds: 0)
    /// Index into the table of continued terms; `noTerms` for requests that are not continued.
    let terms: UInt32
    /// Index into the table of submitting plugins, or a constant for a submitter that is not a plugin.
    let submitter: UInt16
    private let attempts: UInt16
    private let hostLosses: UInt8
    private let setbacks: UInt8
    /// Index of the group of ready requests that contains the request; `noGroup` while the request is upcoming.
    var group = Self.noGroup
    let kind: TaskKind.Byte
    /// The protection; the highest bit states that a user paused the transfer, the next one that the request has a
    /// claim, the third highest bit that a download of its function is open.
    private var protection: UInt8
    private let failures: UInt8
    private var flags: Flags

    static let noTerms = UInt32.max
    static let noGroup = UInt16.max
    static let submittedByUser = UInt16.max
    static let submittedBySchedule = UInt16.max - 1

    private struct Flags: OptionSet {
        let rawValue: UInt8
        static let requiresNetwork = Flags(rawValue: 1)
        static let requiresExternalPower = Flags(rawValue: 2)
        static let runsAlone = Flags(rawValue: 4)
        static let wasInterrupted = Flags(rawValue: 8)
        static let isUserRequested = Flags(rawValue: 16)
        static let isPaced = Flags(rawValue: 32)
        static let hasDeadline = Flags(rawValue: 64)
        static let isOverdue = Flags(rawValue: 128)
    }

    /// The stored value that stands for nil; no wall time is that old.
    private static let never = Int64.min

    init(_ pending: PendingRequest, terms: UInt32, submitter: UInt16) {
        let (request, retry) = (pending.request, pending.retry)
        identifier = request.identifier
        number = pending.number
        submittedAtNanoseconds = pending.submittedAt.nanoseconds
        earliestBeginNanoseconds = request.earliestBegin?.nanoseconds ?? Self.never
        notBeforeNanoseconds = retry.notBefore?.nanoseconds ?? Self.never
        deferredSinceNanoseconds = pending.deferredSince?.nanoseconds ?? Self.never
        self.terms = terms
        self.submitter = submitter
        attempts = UInt16(clamping: retry.attempts)
        hostLosses = UInt8(clamping: retry.hostLosses)
        setbacks = UInt8(clamping: retry.setbacks)
        failures = UInt8(clamping: retry.failures)
        kind = TaskKind.Byte(request.kind)
        protection = UInt8(truncatingIfNeeded: request.protection.rawValue)
        if request.claim != nil { protection |= Self.claimBit }
        var flags: Flags = []
        if request.requiresNetwork { flags.insert(.requiresNetwork) }
        if request.requiresExternalPower { flags.insert(.requiresExternalPower) }
        if retry.runsAlone { flags.insert(.runsAlone) }
        if retry.wasInterrupted { flags.insert(.wasInterrupted) }
        if pending.isPaced { flags.insert(.isPaced) }
        if request.expiresAt != nil { flags.insert(.hasDeadline) }
        self.flags = flags
    }

    var earliestBegin: WallTime? { Self.time(earliestBeginNanoseconds) }
    var deferredSince: WallTime? { Self.time(deferredSinceNanoseconds) }
    var submittedAt: WallTime { WallTime(nanoseconds: submittedAtNanoseconds) }
    var runsAlone: Bool { flags.contains(.runsAlone) }
    var isPaced: Bool { flags.contains(.isPaced) }
    var hasDeadline: Bool { flags.contains(.hasDeadline) }

    /// Whether a user requested the launch of the request.
    var isUserRequested: Bool {
        get { flags.contains(.isUserRequested) }
        set { if newValue { flags.insert(.isUserRequested) } else { flags.remove(.isUserRequested) } }
    }

    /// Whether the deadline of the request has passed, as of the last evaluation.
    var isOverdue: Bool {
        get { flags.contains(.isOverdue) }
        set { if newValue { flags.insert(.isOverdue) } else { flags.remove(.isOverdue) } }
    }

    var retry: Retry {
        Retry(
            attempts: Int(attempts),
            notBefore: Self.time(notBeforeNanoseconds),
            runsAlone: flags.contains(.runsAlone),
            wasInterrupted: flags.contains(.wasInterrupted),
            hostLosses: Int(hostLosses),
            failures: Int(failures),
            setbacks: Int(setbacks)
        )
    }

    /// Whether a user paused the request, which is a transfer.
    var isPaused: Bool {
        get { protection & Self.pauseBit != 0 }
        set { if newValue { protection |= Self.pauseBit } else { protection &= ~Self.pauseBit } }
    }

    /// Whether a download is open that the function of the request takes as an argument.
    var awaitsDownload: Bool {
        get { protection & Self.downloadBit != 0 }
        set { if newValue { protection |= Self.downloadBit } else { protection &= ~Self.downloadBit } }
    }

    var hasClaim: Bool { protection & Self.claimBit != 0 }

    private static let pauseBit: UInt8 = 0x80
    private static let claimBit: UInt8 = 0x40
    private static let downloadBit: UInt8 = 0x20
    private static let protectionBits: UInt8 = 0x1f

    mutating func dropCooldown() { notBeforeNanoseconds = Self.never }

    func request(terms: ContinuedTerms?, expiresAt: WallTime? = nil, claim: LeasedClaim? = nil) -> TaskRequest {
        TaskRequest(
            identifier: identifier,
            kind: kind.value,
            earliestBegin: earliestBegin,
            expiresAt: expiresAt,
            requiresNetwork: flags.contains(.requiresNetwork),
            requiresExternalPower: flags.contains(.requiresExternalPower),
            protection: ProtectionType(rawValue: UInt32(protection & Self.protectionBits)) ?? .default,
            continued: terms,
            claim: claim
        )
    }

    private static func time(_ nanoseconds: Int64) -> WallTime? {
        nanoseconds == never ? nil : WallTime(nanoseconds: nanoseconds)
    }
}

extension TaskKind {
    /// A kind of task, stored in one byte.
    struct Byte: Hashable, Sendable {
        private let rawValue: UInt8
        init(_ kind: TaskKind) { rawValue = UInt8(truncatingIfNeeded: kind.rawValue) }
        var value: TaskKind { TaskKind(rawValue: UInt32(rawValue)) ?? .processing }
    }
}
