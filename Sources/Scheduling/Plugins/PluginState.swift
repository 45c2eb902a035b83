// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The scheduler's state of one plugin. The pending requests remain when the plugin is removed.
struct PluginState: Sendable {
    let identifier: PluginIdentifier
    /// The operator's settings for the plugin.
    let policy: PluginPolicy
    private(set) var entry: PluginEntry?
    /// The entry of the plugin's last installation; nil when the plugin was not installed since the host started.
    private(set) var lastEntry: PluginEntry?
    /// The problem of the plugin's refused manifest; nil when the manifest is not refused. After the manifest is
    /// accepted the problem is kept until the reinstalled plugin is recorded.
    var refusal: String?
    /// Whether the missing main plugin is the only problem of the refused manifest.
    var isOrphan = false
    /// The plugin as recorded in the ledger; nil without a record.
    var known: KnownPlugin?
    /// Whether the agenda has an alarm for the time at which the retention of the removed plugin ends.
    var hasRemovalAlarm = false
    /// The time from which an expired retention counts, if the wall clock still confirms it; nil while no expiry is
    /// being confirmed.
    var removalDoubt: MonotonicTime?

    var requests: PendingRequests
    var events = EventQueue()
    var waits: [WorkClass: ClassWait] = [:]
    /// Whether a commit of a part of the plugin's wait history is in flight.
    var isWritingWaits = false
    /// The state of the plugin's record in the ledger. While the record is changing, further changes of the plugin
    /// wait.
    var memory = Memory.settled
    /// Whether the plugin gets the event `started` even if it has not changed (C11).
    var wantsStart = false

    var occupants: [Lane: LaunchNumber] = [:]
    /// Launches being prepared for one continued request each, by the number of the request.
    var reserved: [SubmissionNumber: LaunchNumber] = [:]
    /// The launches that submitted continued requests and may run them (C8), by the number of the request.
    var origins: [SubmissionNumber: LaunchNumber] = [:]
    var record = PluginRecord()
    var cooldownEnd: MonotonicTime?
    /// The next attempt of the host to start a runner for the plugin; nil when the last attempt did not fail.
    var runnerRetry: RunnerRetry?

    enum Memory: Hashable, Sendable {
        case settled
        case changing
        /// All pending work of the plugin is being dropped.
        case clearing
    }

    struct RunnerRetry: Hashable, Sendable {
        let at: MonotonicTime
        let message: String
        /// Number of consecutive failures, at least 1.
        let failures: Int
    }

    init(identifier: PluginIdentifier, policy: PluginPolicy) {
        self.identifier = identifier
        self.policy = policy
        requests = PendingRequests(of: identifier)
    }

    /// Whether an installation counts as the first: the plugin has no record, or it was removed before and its manifest
    /// was not refused.
    var isNew: Bool { known == nil || known?.missingSince != nil && refusal == nil }

    var hasNothingPending: Bool { requests.isEmpty && events.expectedCount == 0 }

    /// Whether a commit about the plugin's work or record is in flight.
    var isInFlight: Bool { !requests.overlay.isEmpty || memory != .settled || events.hasArriving }

    /// The main plugin of an extension, even if the extension was just removed; nil for a main plugin.
    var containingPlugin: PluginIdentifier? { (entry ?? lastEntry)?.containingPlugin }

    /// Installs a new entry, from a manifest that now describes the plugin.
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

    /// Ends the confirmation of an expired retention: the plugin is installed again, and its next removal starts anew.
    mutating func endRemovalDoubt() {
        if removalDoubt != nil { (removalDoubt, hasRemovalAlarm) = (nil, false) }
    }

    mutating func releaseReservation(of launch: LaunchNumber) {
        if !reserved.isEmpty { reserved = reserved.filter { $0.value != launch } }
    }
}
