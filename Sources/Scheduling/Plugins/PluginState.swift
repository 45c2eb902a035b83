// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The scheduler's state of one plugin. When the plugin is removed, the state stays, with its pending requests.
struct PluginState: Sendable {
    let identifier: PluginIdentifier
    /// The operator's settings for the plugin.
    private(set) var policy: PluginPolicy
    private(set) var entry: PluginEntry?
    /// The entry of the plugin's last installation; nil when the plugin was not installed since the host started.
    private(set) var lastEntry: PluginEntry?
    /// The main plugin of an extension, even if the extension was just removed; nil for a main plugin.
    private(set) var containingPlugin: PluginIdentifier?
    /// Whether the library of the plugin has bound functions, even if the plugin was just removed.
    private(set) var hasFunctions = false
    /// The problem of the plugin's refused manifest; nil when the manifest is not refused. After a later manifest is
    /// accepted, the problem is kept until the reinstalled plugin is recorded.
    var refusal: String?
    /// Whether the missing main plugin is the only problem of the refused manifest.
    var isOrphan = false
    /// The plugin as recorded in the ledger; nil without a record.
    var known: KnownPlugin?
    /// Whether the agenda has an alarm for the time at which the retention of the removed plugin ends.
    var hasRemovalAlarm = false
    /// The time at which the pending work of the removed plugin is dropped, if the wall clock is then still past the
    /// end of the retention. Nil until the retention first seems to be over.
    var removalDoubt: MonotonicTime?

    var requests: PendingRequests
    var events = EventQueue()
    var waits: [WorkClass: ClassWait] = [:]
    /// Whether a commit of a part of the plugin's wait history is in flight.
    var isWritingWaits = false
    /// The state of the plugin's record in the ledger. While a change of the record is in flight, later changes wait.
    var recordState = RecordState.settled
    /// Whether the plugin gets the event `started` even if its entry has not changed (C11).
    var wantsStart = false

    var occupants: [Lane: LaunchNumber] = [:]
    /// By submission number, the launch that is being prepared for a single continued request.
    var reserved: [SubmissionNumber: LaunchNumber] = [:]
    /// By submission number, the launch that submitted a continued request and may run it (C8).
    var origins: [SubmissionNumber: LaunchNumber] = [:]
    var record = PluginRecord()
    var cooldownEnd: MonotonicTime?
    /// The earliest next attempt to launch the plugin after a failure of the host; nil when the last attempt did not
    /// fail.
    var runnerRetry: RunnerRetry?

    enum RecordState: Hashable, Sendable {
        case settled
        case changing
        /// All pending work of the plugin is being dropped.
        case clearing
    }

    struct RunnerRetry: Hashable, Sendable {
        let at: MonotonicTime
        let message: String
        /// Number of consecutive failures of the host to launch the plugin, at least 1.
        let failures: Int
    }

    init(identifier: PluginIdentifier, policy: PluginPolicy) {
        self.identifier = identifier
        self.policy = policy
        requests = PendingRequests(of: identifier)
    }

    /// Whether an installation of the plugin is journaled as new, not as changed. This is so when the plugin has no
    /// record, or when the plugin was removed before and its manifest was not refused.
    var isNew: Bool { known == nil || known?.missingSince != nil && refusal == nil }

    /// Whether the plugin has neither a pending request nor a waiting event. A push does not count: it makes the plugin
    /// submit nothing.
    var hasNothingPending: Bool {
        requests.count == requests.limits.storedCount(of: .push) && events.expectedCount == 0
    }

    /// Whether a commit is in flight about the plugin's record, its requests or an arriving event.
    var isInFlight: Bool { !requests.overlay.isEmpty || recordState != .settled || events.hasArriving }

    /// Installs a new entry, because a manifest now describes the plugin.
    mutating func install(_ new: PluginEntry) {
        (entry, lastEntry, isOrphan) = (new, new, false)
        containingPlugin = new.containingPlugin
        hasFunctions = !new.handlers.isEmpty
        requests.setPermissions(Permissions(of: new, policy: policy))
        if removalDoubt != nil { endRemovalDoubt() }
    }

    /// Replaces the operator's settings for the plugin.
    mutating func setPolicy(_ new: PluginPolicy) {
        if policy == new { return }
        policy = new
        if let entry { requests.setPermissions(Permissions(of: entry, policy: new)) }
    }

    /// Removes the entry, because no usable manifest describes the plugin.
    mutating func uninstall() {
        if entry == nil { return }
        entry = nil
        requests.setPermissions(nil)
    }

    /// Ends the check of an expired retention, because the plugin is installed again or the wall clock was set back. A
    /// later removal or expiry starts the check anew.
    mutating func endRemovalDoubt() {
        if removalDoubt != nil { (removalDoubt, hasRemovalAlarm) = (nil, false) }
    }

    mutating func releaseReservation(of launch: LaunchNumber) {
        if !reserved.isEmpty { reserved = reserved.filter { $0.value != launch } }
    }
}
