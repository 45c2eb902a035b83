// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The pending requests of one plugin, with the changes in flight about them. Ready requests are grouped by the facts
/// that decide whether they may run.
///
/// A request is upcoming until its earliest begin and its retry delay have passed, or a user requests its launch. Then
/// it is ready, and belongs to one group. Requests are added and removed only after a commit; the overlay contains the
/// effect of the changes in flight.
struct PendingRequests: Sendable {
    let plugin: PluginIdentifier
    var store = RequestStore()
    var groups = ReadyGroups()
    var upcoming = RequestTimes()
    var deadlines = RequestDeadlines()
    /// The requests whose claim is lost and whose end is not staged yet.
    private(set) var lost: Set<RequestPlace> = []
    var overlay = Overlay()
    var limits = LimitCounts()
    var replacements = ReplacementCounts()
    /// The identifiers that the installed manifest permits; nil while no manifest is installed.
    private(set) var permissions: Permissions?
    /// Number of pending health research requests that need an unlocked container.
    private(set) var studies = 0

    init(of plugin: PluginIdentifier) { self.plugin = plugin }

    var count: Int { store.count }
    var isEmpty: Bool { store.count == 0 }
    var hasOwnDeferrals: Bool { groups.hasOwnDeferrals }
    private var upcomingCount: Int { store.count - Lane.allCases.reduce(0) { $0 + groups.count(in: $1) } }

    subscript(identifier: TaskIdentifier) -> PendingRequest? {
        store.place(of: identifier).flatMap(request)
    }

    func number(of identifier: TaskIdentifier) -> SubmissionNumber? { store.place(of: identifier)?.number }

    func kind(of identifier: TaskIdentifier) -> TaskKind? {
        store.place(of: identifier).flatMap { store[$0] }?.kind.value
    }

    func request(_ place: RequestPlace) -> PendingRequest? { store[place].map { store.request($0, of: plugin) } }

    /// The requests with numbers above `number`, oldest first, at most `limit`; the oldest requests when `number` is
    /// nil.
    func requests(after number: SubmissionNumber? = nil, limit: Int = .max) -> [PendingRequest] {
        store.places(after: number).prefix(limit).compactMap(request)
    }

    func isUserRequested(_ identifier: TaskIdentifier) -> Bool {
        store.place(of: identifier).flatMap { store[$0] }?.isUserRequested ?? false
    }

    func isPermitted(_ identifier: TaskIdentifier, as kind: TaskKind) -> Bool {
        permissions?.permits(identifier, as: kind) ?? true
    }

    /// Index of the group of ready requests that contains the request; nil while the request is upcoming, or when it is
    /// not pending.
    func group(of request: PendingRequest) -> UInt16? {
        guard let place = store.place(of: request.request.identifier), place.number == request.number,
            let group = store[place]?.group
        else { return nil }
        return group == RequestSlot.noGroup ? nil : group
    }

    /// The time from which the request counts as ready; nil while it is upcoming, or when it is not pending.
    func readySince(of request: PendingRequest) -> WallTime? {
        guard let place = store.place(of: request.request.identifier), place.number == request.number,
            let slot = store[place], slot.group != RequestSlot.noGroup
        else { return nil }
        return slot.readySince
    }

    // MARK: Storing

    /// Stores a request, and replaces the stored request with the same identifier.
    ///
    /// - Parameters:
    ///   - time: the time from which the request is ready; nil when it is ready now.
    ///   - since: the time at which the request became due; nil when it becomes due now or later.
    mutating func insert(
        _ request: PendingRequest,
        dueAt time: WallTime?,
        readySince since: WallTime? = nil,
        at now: WallTime
    ) {
        let identifier = request.request.identifier
        if let old = store.place(of: identifier) { remove(old) }
        let place = store.insert(request)
        limits.add(request.request.kind)
        if request.needsUnlockedContainer { studies += 1 }
        if let deadline = request.request.expiresAt { deadlines.insert(place, at: deadline) }
        put(place, dueAt: time, readySince: since, at: now)
        recount(identifier)
    }

    /// Removes the request `number`. A newer request with the same identifier stays.
    mutating func remove(_ identifier: TaskIdentifier, number: SubmissionNumber) {
        guard let place = store.place(of: identifier), place.number == number else { return }
        remove(place)
        replacements.remove(identifier)
        recount(identifier)
    }

    /// Marks the claim of a request as lost: the next evaluation ends the request. Returns whether the request is
    /// pending.
    mutating func lose(_ identifier: TaskIdentifier, number: SubmissionNumber) -> Bool {
        guard let place = store.place(of: identifier), place.number == number else { return false }
        lost.insert(place)
        return true
    }

    /// Removes and returns the marked requests, oldest first. Those about which a change is in flight stay marked.
    mutating func takeLost() -> [PendingRequest] {
        let places = lost.sorted { $0.number < $1.number }
        lost = []
        return places.compactMap { place in
            guard let pending = request(place) else { return nil }
            if !isInFlight(pending.request.identifier) { return pending }
            lost.insert(place)
            return nil
        }
    }

    private mutating func remove(_ place: RequestPlace) {
        guard let slot = store[place] else { return }
        if slot.group != RequestSlot.noGroup { groups.remove(place, from: slot.group) }
        limits.subtract(slot.kind.value)
        if let request = request(place), request.needsUnlockedContainer { studies -= 1 }
        store.remove(place)
        upcoming.compact(holding: upcomingCount) { store[$0]?.group == RequestSlot.noGroup }
        if slot.hasDeadline { deadlines.compact(holding: store.deadlineCount) { store[$0] != nil } }
    }

    // MARK: Time

    private mutating func put(
        _ place: RequestPlace,
        dueAt time: WallTime?,
        readySince since: WallTime? = nil,
        at now: WallTime
    ) {
        guard let time, store[place]?.isUserRequested == false else {
            return join(place, since: since ?? now)
        }
        upcoming.insert(place, at: time)
    }

    /// Moves the upcoming requests whose time has come to their groups of ready requests.
    ///
    /// - Parameter due: returns the time until which a request still has to wait; nil when it is ready.
    mutating func becomeDue(at now: WallTime, due: (PendingRequest) -> WallTime?) {
        while let place = upcoming.next(upTo: now) {
            guard store[place]?.group == RequestSlot.noGroup, let request = request(place) else { continue }
            put(place, dueAt: due(request), at: now)
        }
    }

    /// The time at which the next upcoming request is due; nil without upcoming requests.
    mutating func nextDue() -> WallTime? { upcoming.earliest { store[$0]?.group == RequestSlot.noGroup } }

    /// Recomputes for every request whether it is upcoming or ready, after the wall clock was set back.
    ///
    /// - Parameter waits: the waits of the plugin, whose times are not adjusted to the new wall clock yet.
    mutating func reckonAnew(
        at moment: Moment,
        _ waits: [WorkClass: ClassWait],
        _ configuration: SchedulingConfiguration
    ) {
        let now = moment.wall
        deadlines.reckonAnew()
        upcoming.removeAll()
        for place in store.places(after: nil) {
            guard let slot = store[place], var request = request(place) else { continue }
            request.retry.dropVoidCooldown(at: moment, configuration)
            if request.retry.notBefore == nil { store.dropCooldown(of: place) }
            let wasReady = slot.group != RequestSlot.noGroup
            let deferral = waits[WorkClass(of: request.request)]?.deferral ?? Deferral()
            let since = wasReady ? deferral.reckonAnew(due: slot.readySince, at: now) : now
            if slot.group != RequestSlot.noGroup { leaveGroup(place) }
            if let time = request.due(at: moment, configuration), !slot.isUserRequested {
                upcoming.insert(place, at: time)
            } else {
                join(place, since: since)
            }
        }
    }

    // MARK: Groups

    /// Marks a request as requested by a user. The request becomes ready, even if its earliest begin or its retry delay
    /// has not passed.
    mutating func setUserRequested(_ identifier: TaskIdentifier, at now: WallTime) {
        guard let place = store.place(of: identifier) else { return }
        store.setUserRequested(place)
        if store[place]?.group == RequestSlot.noGroup { join(place, since: now) } else { regroup(place) }
    }

    /// Marks a transfer as paused by a user, or a request as waiting for the renewal of its lease; or ends either.
    mutating func setPaused(_ identifier: TaskIdentifier, _ isPaused: Bool) {
        guard let place = store.place(of: identifier) else { return }
        store.setPaused(place, isPaused)
        regroup(place)
    }

    func isPaused(_ identifier: TaskIdentifier) -> Bool {
        store.place(of: identifier).flatMap { store[$0] }?.isPaused ?? false
    }

    /// Sets whether the function of a request awaits a download.
    mutating func setAwaitsDownload(_ identifier: TaskIdentifier, _ awaitsDownload: Bool) {
        guard let place = store.place(of: identifier), store[place]?.awaitsDownload != awaitsDownload else { return }
        store.setAwaitsDownload(place, awaitsDownload)
        regroup(place)
    }

    func awaitsDownload(_ identifier: TaskIdentifier) -> Bool {
        store.place(of: identifier).flatMap { store[$0] }?.awaitsDownload ?? false
    }

    /// Replaces the permissions after a change of the manifest, and regroups the ready requests.
    mutating func setPermissions(_ new: Permissions?) {
        permissions = new
        for place in store.places(after: nil) { regroup(place) }
    }

    /// Moves each ready request whose maximum deferral has passed to another group. The key of that group is the same,
    /// except that `isPastDeferral` is true and `hasOwnDeferral` is false.
    ///
    /// - Parameter isOver: whether the maximum deferral of a request has passed. If `isOwn` is true, `due` is the start
    ///   of the request's own deferral; otherwise it is the time at which the request became due.
    mutating func passDeferral(
        in lane: Lane,
        isOver: (WorkClass, _ due: WallTime, _ isOwn: Bool) -> Bool
    ) {
        for index in groups.indices(in: lane) {
            let key = groups[index].key
            while let first = firstDeferred(in: index), isOver(key.workClass, first.since, key.hasOwnDeferral) {
                guard let slot = store[first.place] else { break }
                leaveGroup(first.place)
                join(first.place, since: slot.readySince, isPastDeferral: true)
            }
        }
    }

    mutating func firstDeferred(in index: UInt16) -> ReadyGroup.Deferred? {
        groups.firstDeferred(in: index) { store[$0]?.group == index }
    }

    /// The key of the group of ready requests to which a stored request belongs by its present facts.
    ///
    /// - Parameter isPastDeferral: whether the maximum deferral of the request has passed.
    private func key(of slot: RequestSlot, isPastDeferral: Bool) -> GroupKey {
        let request = slot.request(terms: nil)
        let isPermitted = permissions?.permits(slot.identifier, as: slot.kind.value) ?? true
        return GroupKey(
            workClass: WorkClass(of: request, resources: store.resources(of: slot)),
            isPermitted: isPermitted,
            isUserRequested: slot.isUserRequested,
            isInFlight: overlay.contains(slot.identifier),
            isOverdue: slot.isOverdue,
            isPaused: slot.isPaused,
            awaitsDownload: slot.awaitsDownload,
            runsAlone: slot.runsAlone,
            isPaced: slot.isPaced,
            isPastDeferral: isPastDeferral,
            hasOwnDeferral: slot.deferredSince != nil && !isPastDeferral
        )
    }

    private mutating func join(_ place: RequestPlace, since: WallTime, isPastDeferral: Bool = false) {
        guard let slot = store[place] else { return }
        let key = key(of: slot, isPastDeferral: isPastDeferral)
        let begin = slot.deferredSince.map { min($0, since) } ?? since
        let group = groups.insert(place, under: key, since: begin)
        store.setGroup(group, of: place, since: since)
    }

    private mutating func leaveGroup(_ place: RequestPlace) {
        guard let slot = store[place], slot.group != RequestSlot.noGroup else { return }
        groups.remove(place, from: slot.group)
        store.setGroup(RequestSlot.noGroup, of: place, since: slot.readySince)
    }

    /// Moves a ready request to another group if its key has changed.
    mutating func regroup(_ place: RequestPlace) {
        guard let slot = store[place], slot.group != RequestSlot.noGroup else { return }
        let old = groups[slot.group].key
        if key(of: slot, isPastDeferral: old.isPastDeferral) == old { return }
        leaveGroup(place)
        join(place, since: slot.readySince, isPastDeferral: old.isPastDeferral)
    }
}
