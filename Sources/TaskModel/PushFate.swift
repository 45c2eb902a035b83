// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// What has become of a push, as counted in metrics. Each accepted push is pending or running, or has exactly one of
/// the other fates.
package enum PushFate: String, Hashable, Sendable, CaseIterable {
    case accepted
    /// The push ran, and its run ended for good.
    case delivered
    /// A newer push took its place before it started.
    case replaced
    /// It was interrupted while a newer push waited, and does not run again.
    case superseded
    /// Its deadline passed before it started.
    case lapsed
    case cancelled
    /// It was dropped after too many attempts, or with its plugin.
    case abandoned
}

extension JournalEntry {
    /// The fate of the pushes that the entry is about, and their number. Nil for an entry about anything else, and for
    /// one that neither begins nor ends a push.
    package var pushes: (fate: PushFate, count: Int)? {
        guard let label, label.hasSuffix(TaskIdentifier.pushSuffix), let fate = event.pushFate else { return nil }
        return (fate, count ?? 1)
    }
}

extension PushSum {
    /// The numbers of pushes by fate.
    package var counts: [(fate: PushFate, count: Int)] {
        [(.accepted, accepted), (.replaced, replaced), (.lapsed, lapsed)]
    }
}

extension JournalEntry.Event {
    /// The fate of a push in an entry with this event; nil for an event that neither begins nor ends a push.
    fileprivate var pushFate: PushFate? {
        switch self {
        case .submitted: .accepted
        case .replaced: .replaced
        case .superseded: .superseded
        case .lapsed: .lapsed
        case .cancelled: .cancelled
        case .task(.abandoned): .abandoned
        case .consumed: .delivered
        case .task(let outcome): outcome.isFinal ? .delivered : nil
        default: nil
        }
    }
}
