// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The minor versions of the ABI since which the kinds of tasks and the events exist (BGT-ABI-02).
///
/// A library never receives a kind or an event that is newer than the header with which it was built.
package struct ABIMinors: Hashable, Sendable {
    private var kinds: [TaskKind: Int] = [:]
    private var events: [EventType: Int] = [:]

    /// Creates the minor versions of this release, or of a simulated release in which the given kinds and events exist
    /// only since the given minor versions.
    package init(kinds: [TaskKind: Int] = [:], events: [EventType: Int] = [:]) {
        self.kinds = kinds
        self.events = events
    }

    package func since(_ kind: TaskKind) -> Int { kinds[kind] ?? kind.sinceMinor }
    package func since(_ event: EventType) -> Int { events[event] ?? event.sinceMinor }

    /// Whether the host may deliver a kind or an event that exists since the minor version `since` to a library.
    ///
    /// - Parameter headerMinor: the minor version of the header that the library was built with; nil for a library with
    ///   bound functions, which receives no numbers of the ABI.
    package static func delivers(_ since: Int, to headerMinor: Int?) -> Bool {
        headerMinor.map { since <= $0 } ?? true
    }

    package func delivers(_ kind: TaskKind, to library: LibraryFile) -> Bool {
        Self.delivers(since(kind), to: library.headerMinor)
    }

    package func delivers(_ event: EventType, to library: LibraryFile) -> Bool {
        Self.delivers(max(since(.event), since(event)), to: library.headerMinor)
    }

    /// Whether the host may deliver pending work to a library.
    package func delivers(_ work: PendingWork, to library: LibraryFile) -> Bool {
        switch work {
        case .request(let pending): delivers(pending.request.kind, to: library)
        case .event(let event): delivers(event.type, to: library)
        }
    }

    /// The minor version since which the host may deliver pending work.
    package func since(_ work: PendingWork) -> Int {
        switch work {
        case .request(let pending): since(pending.request.kind)
        case .event(let event): max(since(.event), since(event.type))
        }
    }
}
