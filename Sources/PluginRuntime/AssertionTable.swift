// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The assertions of this launch, and the race of each between its end and its expiration (BGT-ABI-08, -12, -13).
/// Decides what may begin and who releases which handler; makes no call itself.
///
/// Every handler that is handed in leaves exactly once: refused, by `end`, `beginCall` or `close`.
package struct AssertionTable<Handler> {
    private struct Entry {
        /// Nil from its one call on, and when none was given.
        var handler: Handler?
    }

    private let launch: LaunchNumber
    private var count: UInt32 = 0
    private var open: [AssertionID: Entry] = [:]
    /// Set once, for all of them.
    private var reason: ExpirationReason?
    private var isClosed = false

    package init(launch: LaunchNumber) { self.launch = launch }

    package var isEmpty: Bool { open.isEmpty }

    package enum Beginning: Hashable, Sendable {
        case begun(AssertionID)
        case tooMany
        /// The launch expires or is over.
        case tooLate
    }

    package mutating func begin(_ handler: Handler?) -> Beginning {
        guard !isClosed, reason == nil, count < .max else { return .tooLate }
        guard open.count < AssertionID.openLimit else { return .tooMany }
        count += 1
        let id = AssertionID(launch: launch, count: count)
        open[id] = Entry(handler: handler)
        return .begun(id)
    }

    package enum Ending {
        case ended(release: Handler?)
        case unknown
    }

    package mutating func end(_ id: AssertionID) -> Ending {
        guard let entry = open.removeValue(forKey: id) else { return .unknown }
        return .ended(release: entry.handler)
    }

    /// Tells all that are open, once; the first reason stays.
    ///
    /// - Returns: those whose handler is now to be called, in the order of their begin.
    package mutating func expire(_ reason: ExpirationReason) -> [AssertionID] {
        guard !isClosed, self.reason == nil else { return [] }
        self.reason = reason
        return open.filter { $0.value.handler != nil }.keys.sorted()
    }

    /// Asked on the call's own thread, just before it: nil when its end came first.
    ///
    /// - Returns: the handler, from here on its caller's to release: it is never called twice.
    package mutating func beginCall(of id: AssertionID) -> (Handler, ExpirationReason)? {
        guard let reason, let handler = open[id]?.handler else { return nil }
        open[id]?.handler = nil
        return (handler, reason)
    }

    /// The launch is over: nothing begins any more.
    ///
    /// - Returns: the handlers that no call has taken.
    package mutating func close() -> [Handler] {
        isClosed = true
        defer { open = [:] }
        return open.sorted { $0.key < $1.key }.compactMap(\.value.handler)
    }
}
