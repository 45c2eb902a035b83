// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// The changes in flight, and the counts for limits while their results are unknown.
extension PendingRequests {
    /// Adds a change in flight about the identifier.
    mutating func begin(_ effect: RequestEffect, about identifier: TaskIdentifier, as change: ChangeNumber) {
        overlay.add(effect, about: identifier, as: change)
        overlayChanged(about: identifier)
    }

    /// Removes a change whose commit has succeeded or failed. The caller applies the effect of a change that succeeded.
    mutating func end(_ change: ChangeNumber, about identifier: TaskIdentifier) {
        overlay.drop(change, about: identifier)
        overlayChanged(about: identifier)
    }

    private mutating func overlayChanged(about identifier: TaskIdentifier) {
        recount(identifier)
        if let place = store.place(of: identifier) { regroup(place) }
    }

    func isInFlight(_ identifier: TaskIdentifier) -> Bool { overlay.contains(identifier) }

    /// The pending request of the identifier when every change in flight has succeeded; nil if none is pending then.
    func expected(_ identifier: TaskIdentifier) -> PendingRequest? {
        overlay.expected(identifier, over: self[identifier])
    }

    /// The number of the pending request of the identifier when every change in flight has succeeded; nil if none is
    /// pending then.
    func expectedNumber(_ identifier: TaskIdentifier) -> SubmissionNumber? {
        overlay.contains(identifier) ? expected(identifier)?.number : number(of: identifier)
    }

    /// Whether the request is pending, or a commit in flight requeues it after a launch.
    func isOnDisk(_ request: PendingRequest) -> Bool {
        let identifier = request.request.identifier
        return number(of: identifier) == request.number || overlay.returns(request.number, of: identifier)
    }

    /// The number of requests that count against the limit of the kind, in the worst case: the changes in flight that
    /// add a request succeed, and those that remove one fail. A request under `identifier` is not counted, because a
    /// submission would replace it (statement 23).
    func count(of kind: TaskKind, beside identifier: TaskIdentifier) -> Int {
        let own = storedKind(of: identifier).union(overlay.possibleKinds(of: identifier))
        return limits.count(of: kind) - (own.contains(KindSet(kind)) ? 1 : 0)
    }

    private func storedKind(of identifier: TaskIdentifier) -> KindSet {
        store.place(of: identifier).flatMap { store[$0] }.map { KindSet($0.kind.value) } ?? []
    }

    /// Updates the number of in-flight requests per limit, after the stored request of an identifier or the changes in
    /// flight about it have changed.
    mutating func recount(_ identifier: TaskIdentifier) {
        let added = overlay.possibleKinds(of: identifier).subtracting(storedKind(of: identifier))
        limits.setInFlight(added, under: identifier)
    }
}

/// Counts of one plugin's requests for each limit: stored requests, and requests that the changes in flight may add.
struct LimitCounts: Sendable {
    private var stored: [KindSet: Int] = [:]
    private var inFlight: [KindSet: Int] = [:]
    private var added: [TaskIdentifier: KindSet] = [:]

    func count(of kind: TaskKind) -> Int { (stored[KindSet(kind)] ?? 0) + (inFlight[KindSet(kind)] ?? 0) }

    /// The number of stored requests that count against the limit of the kind, without the requests that changes in
    /// flight may add.
    func storedCount(of kind: TaskKind) -> Int { stored[KindSet(kind)] ?? 0 }

    mutating func add(_ kind: TaskKind) { stored[KindSet(kind), default: 0] += 1 }
    mutating func subtract(_ kind: TaskKind) { stored[KindSet(kind), default: 1] -= 1 }

    /// Sets the kinds of the requests that the changes in flight may add under the identifier.
    ///
    /// - Parameter kinds: the kinds of the requests that may be stored, without the kind of the request that is stored
    ///   under the identifier now.
    mutating func setInFlight(_ kinds: KindSet, under identifier: TaskIdentifier) {
        let old = added[identifier] ?? []
        if old == kinds { return }
        added[identifier] = kinds.isEmpty ? nil : kinds
        for kind in TaskKind.allCases where kind.countedAs == kind {
            let counted = KindSet(kind)
            if old.contains(counted) { inFlight[counted, default: 1] -= 1 }
            if kinds.contains(counted) { inFlight[counted, default: 0] += 1 }
        }
    }
}
