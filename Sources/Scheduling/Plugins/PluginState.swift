// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The scheduler's state of one plugin. Its requests stay when the plugin is removed.
struct PluginState: Sendable {
    let identifier: PluginIdentifier
    /// The operator's settings for it.
    let policy: PluginPolicy
    private(set) var entry: PluginEntry?
    /// The entry from its last installation.
    private(set) var lastEntry: PluginEntry?
    /// The problem of its refused manifest; nil without one. Kept until the return of the plugin is recorded.
    var refusal: String?
    /// Whether the missing main plugin is the only problem of its manifest.
    var isOrphan = false
    /// The plugin as recorded in the ledger; nil without a record.
    var known: KnownPlugin?
    /// Whether the agenda has an alarm for the end of its requests' retention.
    var hasRemovalAlarm = false
    /// The time until which the wall clock is not trusted that the retention has passed; nil while there is no such
    /// doubt.
    var removalDoubt: MonotonicTime?

    var requests: PendingRequests
    var events = EventQueue()
    var waits: [WorkClass: ClassWait] = [:]
    /// Whether the commit of a part of its wait history is in flight.
    var isWritingWaits = false
    /// The state of its record in the ledger. While the record is changing, further changes of the plugin wait.
    var memory = Memory.settled
    /// Whether it gets the event `started` even if it has not changed (C11).
    var wantsStart = false

    var occupants: [Lane: LaunchNumber] = [:]
    /// Continued requests for which a runner is being started: each has its own launch.
    var reserved: [SubmissionNumber: LaunchNumber] = [:]
    /// The launch that submitted a continued request and may run it (C8).
    var origins: [SubmissionNumber: LaunchNumber] = [:]
    var record = PluginRecord()
    var restsUntil: MonotonicTime?
    /// The next attempt of the host to start a runner, after a failure; nil without a failure.
    var runnerRetry: RunnerRetry?

    enum Memory: Hashable, Sendable {
        case settled
        case changing
        /// All its pending work is being dropped.
        case clearing
    }

    struct RunnerRetry: Hashable, Sendable {
        let at: MonotonicTime
        let message: String
        /// Number of consecutive failures, from 1.
        let failures: Int
    }

    init(identifier: PluginIdentifier, policy: PluginPolicy) {
        self.identifier = identifier
        self.policy = policy
        requests = PendingRequests(of: identifier)
    }

    /// Whether an arrival is a first installation: the plugin has no record, or returns after a removal without a
    /// refused manifest.
    var isNew: Bool { known == nil || known?.missingSince != nil && refusal == nil }

    var hasNothingPending: Bool { requests.isEmpty && events.expectedCount == 0 }

    /// Whether a commit about any of its work or its record is in flight.
    var isInFlight: Bool { !requests.overlay.isEmpty || memory != .settled || events.hasArriving }

    /// The main plugin of an extension, even if the extension was just removed; nil for a main plugin.
    var containingPlugin: PluginIdentifier? { (entry ?? lastEntry)?.containingPlugin }

    /// Sets the entry of a manifest that now describes the plugin.
    mutating func install(_ new: PluginEntry) {
        (entry, lastEntry, isOrphan) = (new, new, false)
        requests.setPermissions(Permissions(of: new, policy: policy))
        if removalDoubt != nil { endRemovalDoubt() }
    }

    /// Removes the entry: no usable manifest describes the plugin.
    mutating func uninstall() {
        if entry == nil { return }
        entry = nil
        requests.setPermissions(nil)
    }

    /// Ends the doubt about the retention: the plugin is back, and its next removal starts anew.
    mutating func endRemovalDoubt() {
        if removalDoubt != nil { (removalDoubt, hasRemovalAlarm) = (nil, false) }
    }

    mutating func releaseReservation(of launch: LaunchNumber) {
        if !reserved.isEmpty { reserved = reserved.filter { $0.value != launch } }
    }
}
