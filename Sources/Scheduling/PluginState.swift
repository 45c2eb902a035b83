// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// All that the scheduler holds of one plugin. Requests stay when the plugin goes.
struct PluginState: Sendable {
    let identifier: PluginIdentifier
    var entry: PluginEntry?
    /// As it was described when it was last installed.
    var lastEntry: PluginEntry?
    /// What is wrong with its manifest, when there is one that cannot be used; kept until its return is recorded.
    var refusal: String?
    /// There is nothing wrong with it but that its main plugin is missing.
    var isOrphan = false
    /// As the ledger remembers it.
    var known: KnownPlugin?
    /// The agenda will ask, once its requests have been kept long enough.
    var hasRemovalAlarm = false
    /// Until when the wall clock is not believed that they have been kept long enough.
    var removalDoubt: MonotonicTime?

    /// What the ledger holds, by identifier: one request each (statement 23).
    private(set) var pending: [TaskIdentifier: PendingRequest] = [:]
    /// Those whose time has come; the others are on the agenda.
    private(set) var due: Set<TaskIdentifier> = []
    /// Those that a person wants launched now.
    var wished: Set<TaskIdentifier> = []
    /// What the ledger holds, first in first out (C11).
    private(set) var events: [PendingEvent] = []
    /// Triggers whose commit is under way.
    var arrivingEvents = 0

    var expected = ExpectedRequests()
    /// How many commits about an identifier are under way.
    var recording: [TaskIdentifier: Int] = [:]
    /// What the ledger remembers of it is being changed; what happens to it meanwhile is looked at afterwards.
    var isBeingRemembered = false
    /// What it has pending is being dropped.
    var isBeingCleared = false
    /// It is to be told that it started, whether or not it changed (C11).
    var wantsStart = false

    var occupants: [Lane: LaunchNumber] = [:]
    /// Continued requests that a runner is being had for: each has a launch of its own.
    var reserved: [SubmissionNumber: LaunchNumber] = [:]
    /// The launch that a continued request was submitted from, and may run in (C8).
    var origins: [SubmissionNumber: LaunchNumber] = [:]
    /// What each thing that waits was last seen to wait for.
    var waits: [SubmissionNumber: Wait] = [:]
    var record = PluginRecord()
    /// A fetch event's commit is under way.
    var isFetching = false
    var restsUntil: MonotonicTime?
    var runnerRetry: (at: MonotonicTime, message: String)?

    init(identifier: PluginIdentifier) { self.identifier = identifier }

    /// Neither catalogued before nor merely mended.
    var isNew: Bool { known == nil || known?.missingSince != nil && refusal == nil }

    var hasNothingPending: Bool { pending.isEmpty && eventCount == 0 }

    /// Events that wait, once every commit under way has succeeded.
    var eventCount: Int { events.count + arrivingEvents }

    /// The main plugin of an extension, also of one that was just removed; nil for a main plugin.
    var containingPlugin: PluginIdentifier? { (entry ?? lastEntry)?.containingPlugin }

    /// What a launch in `lane` could take, oldest first: requests that are due or wished for, or the events.
    func candidates(in lane: Lane) -> [PendingWork] {
        switch lane {
        case .background, .continued:
            due.union(wished).compactMap { pending[$0] }.filter { $0.request.kind.lane == lane }
                .sorted { $0.number < $1.number }.map { .request($0) }
        case .event: events.map { .event($0) }
        }
    }

    func hasCandidates(in lane: Lane) -> Bool {
        switch lane {
        case .background, .continued:
            due.contains { pending[$0]?.request.kind.lane == lane }
                || wished.contains { pending[$0]?.request.kind.lane == lane }
        case .event: !events.isEmpty
        }
    }

    /// A commit about it is under way.
    func isBeingRecorded(_ work: PendingWork) -> Bool {
        work.identifier.map { recording[$0] != nil } ?? isBeingCleared
    }

    var hasRequestsDue: Bool { !due.isEmpty || !wished.isEmpty }

    var hasStudies: Bool { pending.values.contains { $0.needsUnlockedContainer } }

    /// It is back; its next removal is another matter.
    mutating func endRemovalDoubt() {
        if removalDoubt != nil { (removalDoubt, hasRemovalAlarm) = (nil, false) }
    }

    mutating func store(_ request: PendingRequest) {
        let identifier = request.request.identifier
        if let old = pending[identifier], old.number != request.number {
            waits[old.number] = nil
            origins[old.number] = nil
        }
        pending[identifier] = request
        due.remove(identifier)
        wished.remove(identifier)
    }

    /// Forgets the request with that number; one that has taken its place stays.
    mutating func remove(_ identifier: TaskIdentifier, number: SubmissionNumber) {
        guard pending[identifier]?.number == number else { return }
        pending[identifier] = nil
        due.remove(identifier)
        wished.remove(identifier)
        origins[number] = nil
        waits[number] = nil
    }

    /// Only soft reasons hold it back, from that moment on.
    mutating func hold(_ identifier: TaskIdentifier, number: SubmissionNumber, since: WallTime?) {
        guard pending[identifier]?.number == number else { return }
        pending[identifier]?.heldSoftlySince = since
    }

    mutating func releaseReservation(of launch: LaunchNumber) {
        if !reserved.isEmpty { reserved = reserved.filter { $0.value != launch } }
    }

    mutating func becomeDue(_ identifier: TaskIdentifier) { due.insert(identifier) }
    mutating func becomeUndue(_ identifier: TaskIdentifier) { due.remove(identifier) }

    mutating func store(_ event: PendingEvent) {
        let place = events.firstIndex { $0.number > event.number } ?? events.endIndex
        events.insert(event, at: place)
    }

    mutating func remove(event number: SubmissionNumber) {
        events.removeAll { $0.number == number }
        waits[number] = nil
    }
}
