// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// All that the scheduler holds of one plugin. Requests stay when the plugin goes.
struct PluginState: Sendable {
    let identifier: PluginIdentifier
    /// The operator's decisions about it.
    let policy: PluginPolicy
    private(set) var entry: PluginEntry?
    /// As it was described when it was last installed.
    private(set) var lastEntry: PluginEntry?
    /// What is wrong with its manifest, when there is one that cannot be used; kept until its return is recorded.
    var refusal: String?
    /// There is nothing wrong with it but that its main plugin is missing.
    var isOrphan = false
    /// As the ledger remembers it.
    var known: KnownPlugin?
    /// The agenda will look at it once its requests have been kept for long enough.
    var hasRemovalAlarm = false
    /// Until when the wall clock is not believed that they have been kept for long enough.
    var removalDoubt: MonotonicTime?

    var requests: PendingRequests
    var events = EventQueue()
    var waits: [WorkClass: ClassWait] = [:]
    /// The commit of a part of its wait history is in flight.
    var isWritingWaits = false
    /// What the ledger remembers of the plugin itself is being changed; what happens to it meanwhile is looked at later.
    var memory = Memory.settled
    /// It gets the event `started`, whether or not it changed (C11).
    var wantsStart = false

    var occupants: [Lane: LaunchNumber] = [:]
    /// Continued requests that a runner is being started for: each has a launch of its own.
    var reserved: [SubmissionNumber: LaunchNumber] = [:]
    /// The launch that a continued request was submitted from, and may run in (C8).
    var origins: [SubmissionNumber: LaunchNumber] = [:]
    var record = PluginRecord()
    var restsUntil: MonotonicTime?
    /// The host could not launch it, and tries again at that time.
    var runnerRetry: RunnerRetry?

    enum Memory: Hashable, Sendable {
        case settled
        case changing
        /// All that it has pending is being dropped.
        case clearing
    }

    struct RunnerRetry: Hashable, Sendable {
        let at: MonotonicTime
        let message: String
        /// Failures in a row, from 1.
        let failures: Int
    }

    init(identifier: PluginIdentifier, policy: PluginPolicy) {
        self.identifier = identifier
        self.policy = policy
        requests = PendingRequests(of: identifier)
    }

    /// Neither catalogued before nor merely mended.
    var isNew: Bool { known == nil || known?.missingSince != nil && refusal == nil }

    var hasNothingPending: Bool { requests.isEmpty && events.expectedCount == 0 }

    /// A commit about anything of it is in flight.
    var isInFlight: Bool { !requests.overlay.isEmpty || memory != .settled || events.hasArriving }

    /// The main plugin of an extension, also of one that was just removed; nil for a main plugin.
    var containingPlugin: PluginIdentifier? { (entry ?? lastEntry)?.containingPlugin }

    /// It is described by a manifest from now on.
    mutating func install(_ new: PluginEntry) {
        (entry, lastEntry, isOrphan) = (new, new, false)
        requests.setPermissions(Permissions(of: new, policy: policy))
        if removalDoubt != nil { endRemovalDoubt() }
    }

    /// No manifest describes it any more, or none that can be used.
    mutating func uninstall() {
        if entry == nil { return }
        entry = nil
        requests.setPermissions(nil)
    }

    /// It is back; its next removal is another matter.
    mutating func endRemovalDoubt() {
        if removalDoubt != nil { (removalDoubt, hasRemovalAlarm) = (nil, false) }
    }

    mutating func releaseReservation(of launch: LaunchNumber) {
        if !reserved.isEmpty { reserved = reserved.filter { $0.value != launch } }
    }
}
