// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// The changes in flight, and what limits are judged by while nobody can know which of them will succeed.
extension PendingRequests {
    /// A change of the identifier is decided and its commit not known yet.
    mutating func begin(_ effect: RequestEffect, about identifier: TaskIdentifier, as change: ChangeNumber) {
        overlay.add(effect, about: identifier, as: change)
        overlayChanged(about: identifier)
    }

    /// The commit of a change is known; what it did, if it succeeded, is applied by the caller.
    mutating func end(_ change: ChangeNumber, about identifier: TaskIdentifier) {
        overlay.drop(change, about: identifier)
        overlayChanged(about: identifier)
    }

    private mutating func overlayChanged(about identifier: TaskIdentifier) {
        recount(identifier)
        if let place = store.place(of: identifier) { regroup(place) }
    }

    func isInFlight(_ identifier: TaskIdentifier) -> Bool { overlay.contains(identifier) }

    /// The request that will be pending under the identifier once every change in flight has succeeded.
    func expected(_ identifier: TaskIdentifier) -> PendingRequest? {
        overlay.expected(identifier, over: self[identifier])
    }

    /// The number of that request.
    func expectedNumber(_ identifier: TaskIdentifier) -> SubmissionNumber? {
        overlay.contains(identifier) ? expected(identifier)?.number : number(of: identifier)
    }

    /// All that will be pending, oldest first.
    func allExpected() -> [PendingRequest] {
        let settled = requests().filter { !overlay.contains($0.request.identifier) }
        return (settled + overlay.identifiers.compactMap(expected)).sorted { $0.number < $1.number }
    }

    /// Pending, or about to return from a launch.
    func isOnDisk(_ request: PendingRequest) -> Bool {
        let identifier = request.request.identifier
        return number(of: identifier) == request.number || overlay.returns(request.number, of: identifier)
    }

    /// How many requests may come to count against the kind's limit, whichever changes in flight succeed; the one under
    /// `identifier` itself left out: a replacement does not add to them (statement 23).
    func count(of kind: TaskKind, beside identifier: TaskIdentifier) -> Int {
        let own = storedKind(of: identifier).union(overlay.possibleKinds(of: identifier))
        return limits.count(of: kind) - (own.contains(KindSet(kind)) ? 1 : 0)
    }

    private func storedKind(of identifier: TaskIdentifier) -> KindSet {
        store.place(of: identifier).flatMap { store[$0] }.map { KindSet($0.kind.value) } ?? []
    }

    /// Brings the count of what is in flight under an identifier in line with its changes.
    mutating func recount(_ identifier: TaskIdentifier) {
        let added = overlay.possibleKinds(of: identifier).subtracting(storedKind(of: identifier))
        limits.setInFlight(added, under: identifier)
    }
}

/// How many requests of one plugin count against each limit: those that are stored, and those that may be after the
/// changes in flight.
struct LimitCounts: Sendable {
    private var stored: [KindSet: Int] = [:]
    private var inFlight: [KindSet: Int] = [:]
    private var added: [TaskIdentifier: KindSet] = [:]

    func count(of kind: TaskKind) -> Int { (stored[KindSet(kind)] ?? 0) + (inFlight[KindSet(kind)] ?? 0) }

    /// Stored ones alone.
    func storedCount(of kind: TaskKind) -> Int { stored[KindSet(kind)] ?? 0 }

    mutating func add(_ kind: TaskKind) { stored[KindSet(kind), default: 0] += 1 }
    mutating func subtract(_ kind: TaskKind) { stored[KindSet(kind), default: 1] -= 1 }

    /// - Parameter kinds: that may be pending under the identifier beside the stored one's.
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
