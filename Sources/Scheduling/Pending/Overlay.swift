// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The identifier of one change in flight, from its decision until the change is applied or dropped.
struct ChangeNumber: RawRepresentable, Hashable, Comparable, Sendable {
    let rawValue: UInt64
    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The effect of a change in flight on the pending request of one identifier, if the commit of the change succeeds.
enum RequestEffect: Hashable, Sendable {
    /// The request is accepted, and replaces the pending request of the identifier.
    case stores(PendingRequest)
    /// The pending request with this number is removed, because it is cancelled, launched or dropped.
    case removes(SubmissionNumber)
    /// The request is requeued after a launch, unless a newer request of the identifier is pending.
    case returns(PendingRequest)
    /// A running task of the identifier ends. The pending request stays as it is.
    case endsRunningTask
    /// The running task of the submission may not be requeued any more. The pending request stays as it is.
    case forbidsReturn(of: SubmissionNumber)
    /// Pushes are accepted that have lapsed already. The waiting push stays as it is.
    case storesNothing
}

/// The changes in flight about the task identifiers of one plugin, on top of the stored requests, which are known to be
/// on disk.
///
/// A change whose commit succeeds is applied to the stored requests and removed here; a change that is rolled back is
/// only removed. The expected request of an identifier is computed from both whenever it is needed.
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

    /// The pending request of the identifier when every change in flight has succeeded; nil if none is pending then.
    func expected(_ identifier: TaskIdentifier, over stored: PendingRequest?) -> PendingRequest? {
        guard let entries = entries[identifier] else { return stored }
        var expected = stored
        for entry in entries {
            switch entry.effect {
            case .stores(let request): expected = request
            case .removes(let number): if expected?.number == number { expected = nil }
            case .returns(let request): expected = expected ?? request
            case .endsRunningTask, .forbidsReturn, .storesNothing: break
            }
        }
        return expected
    }

    /// Whether a commit in flight requeues the request of that number.
    func returns(_ number: SubmissionNumber, of identifier: TaskIdentifier) -> Bool {
        entries[identifier]?.contains { entry in
            if case .returns(let request) = entry.effect { request.number == number } else { false }
        } ?? false
    }

    /// Whether a change in flight forbids the requeueing of the running task: it cancels or stops the task.
    func forbidsReturn(of number: SubmissionNumber, _ identifier: TaskIdentifier) -> Bool {
        entries[identifier]?.contains { $0.effect == .forbidsReturn(of: number) } ?? false
    }

    /// The kinds of the requests that the changes in flight may store under the identifier, whichever of the changes
    /// succeed.
    func possibleKinds(of identifier: TaskIdentifier) -> KindSet {
        var kinds: KindSet = []
        for entry in entries[identifier] ?? [] {
            switch entry.effect {
            case .stores(let request), .returns(let request): kinds.insert(KindSet(request.request.kind))
            case .removes, .endsRunningTask, .forbidsReturn, .storesNothing: break
            }
        }
        return kinds
    }
}

/// A set of kinds of request. Kinds that share a limit are one element.
struct KindSet: OptionSet, Hashable, Sendable {
    let rawValue: UInt8
    init(rawValue: UInt8) { self.rawValue = rawValue }
    init(_ kind: TaskKind) { rawValue = 1 << UInt8(truncatingIfNeeded: kind.countedAs.rawValue) }
}
