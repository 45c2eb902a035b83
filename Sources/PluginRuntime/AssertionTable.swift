// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// Table of the assertions of this launch. It decides which assertion may begin, resolves the race between end and
/// expiration, and determines which caller releases a handler (BGT-ABI-08, -12, -13). The table itself calls no
/// handler.
///
/// Every stored handler leaves the table exactly once: through `end`, `beginCall` or `close`.
package struct AssertionTable<Handler> {
    private struct Entry {
        /// The expiration handler; nil when the assertion has none, or its one call has begun.
        var handler: Handler?
    }

    private let launch: LaunchNumber
    private var count: UInt32 = 0
    private var open: [AssertionID: Entry] = [:]
    /// Reason of the expiration, set once for all assertions; nil before the expiration.
    private var reason: ExpirationReason?
    private var isClosed = false

    package init(launch: LaunchNumber) { self.launch = launch }

    package var isEmpty: Bool { open.isEmpty }

    package enum Beginning: Hashable, Sendable {
        case begun(AssertionID)
        case tooMany
        /// No assertion can begin: the assertions have expired, the table is closed, or no identifier is left.
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

    /// Expires all open assertions, once; the first reason stays.
    ///
    /// - Returns: the assertions whose handler is due to be called, in the order of their begin.
    package mutating func expire(_ reason: ExpirationReason) -> [AssertionID] {
        guard !isClosed, self.reason == nil else { return [] }
        self.reason = reason
        return open.filter { $0.value.handler != nil }.keys.sorted()
    }

    /// Takes the handler for its one call, on the thread that makes the call and just before it.
    ///
    /// - Returns: the handler, which the caller has to release, and the reason. Nil before the expiration, after
    ///   `close`, and when the assertion has ended, has no handler, or its call has begun.
    package mutating func beginCall(of id: AssertionID) -> (Handler, ExpirationReason)? {
        guard let reason, let handler = open[id]?.handler else { return nil }
        open[id]?.handler = nil
        return (handler, reason)
    }

    /// Closes the table at the end of the launch. No assertion can begin afterwards.
    ///
    /// - Returns: the handlers that no call has taken.
    package mutating func close() -> [Handler] {
        isClosed = true
        defer { open = [:] }
        return open.sorted { $0.key < $1.key }.compactMap(\.value.handler)
    }
}
