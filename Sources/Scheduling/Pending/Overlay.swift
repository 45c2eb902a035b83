// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// Names one change in flight, from the moment it is decided until its commit is known.
struct ChangeNumber: RawRepresentable, Hashable, Comparable, Sendable {
    let rawValue: UInt64
    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// What a change in flight does to the pending request of its identifier, should its commit succeed.
enum RequestEffect: Hashable, Sendable {
    /// It is accepted and takes the place of the pending one.
    case stores(PendingRequest)
    /// It is cancelled, launched or dropped.
    case removes(SubmissionNumber)
    /// It comes back from a launch, unless something newer is pending.
    case returns(PendingRequest)
    /// A running task of the identifier ends or is kept from returning.
    case concernsRunningTask
}

/// The changes in flight about the identifiers of one plugin, laid over what the ledger is known to hold.
///
/// Settling a change applies it below and drops it here; rolling it back only drops it here. What will be pending is
/// never stored, but follows from both.
struct Overlay: Sendable {
    private struct Entry: Sendable {
        let number: ChangeNumber
        let effect: RequestEffect
    }

    private var entries: [TaskIdentifier: [Entry]] = [:]

    var isEmpty: Bool { entries.isEmpty }

    func contains(_ identifier: TaskIdentifier) -> Bool { entries[identifier] != nil }
    func contains(where matches: (TaskIdentifier) -> Bool) -> Bool { entries.keys.contains(where: matches) }
    var identifiers: [TaskIdentifier] { Array(entries.keys) }

    mutating func add(_ effect: RequestEffect, about identifier: TaskIdentifier, as number: ChangeNumber) {
        entries[identifier, default: []].append(Entry(number: number, effect: effect))
    }

    mutating func drop(_ number: ChangeNumber, about identifier: TaskIdentifier) {
        guard var left = entries.removeValue(forKey: identifier) else { return }
        left.removeAll { $0.number == number }
        if !left.isEmpty { entries[identifier] = left }
    }

    /// The request that will be pending once every change in flight has succeeded.
    func expected(_ identifier: TaskIdentifier, over stored: PendingRequest?) -> PendingRequest? {
        guard let entries = entries[identifier] else { return stored }
        var expected = stored
        for entry in entries {
            switch entry.effect {
            case .stores(let request): expected = request
            case .removes(let number): if expected?.number == number { expected = nil }
            case .returns(let request): expected = expected ?? request
            case .concernsRunningTask: break
            }
        }
        return expected
    }

    /// A request of that number is on disk, running, and about to be pending again.
    func returns(_ number: SubmissionNumber, of identifier: TaskIdentifier) -> Bool {
        entries[identifier]?.contains { entry in
            if case .returns(let request) = entry.effect { request.number == number } else { false }
        } ?? false
    }

    /// The kinds that may be pending under the identifier, whichever of the changes in flight succeed.
    func possibleKinds(of identifier: TaskIdentifier) -> KindSet {
        var kinds: KindSet = []
        for entry in entries[identifier] ?? [] {
            switch entry.effect {
            case .stores(let request), .returns(let request): kinds.insert(KindSet(request.request.kind))
            case .removes, .concernsRunningTask: break
            }
        }
        return kinds
    }
}

/// Kinds of requests, as they count against limits.
struct KindSet: OptionSet, Hashable, Sendable {
    let rawValue: UInt8
    init(rawValue: UInt8) { self.rawValue = rawValue }
    init(_ kind: TaskKind) { rawValue = 1 << UInt8(truncatingIfNeeded: kind.countedAs.rawValue) }
}
