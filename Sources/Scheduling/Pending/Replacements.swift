// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The replacements of one identifier's pending request since the last time without a pending request. They are only in
/// memory: a restart of the host resets them.
package struct Replacements: Hashable, Sendable {
    /// Time of submission of the first replaced request.
    package let since: WallTime
    /// Time of the last replacement.
    package private(set) var last: WallTime
    /// Number of replacements by each submitter. The submitters are the plugin, its extensions, users and schedules.
    package private(set) var bySubmitter: [Submitter: Int] = [:]

    package var count: Int { bySubmitter.values.reduce(0, +) }

    /// Creates the record of the first replacement.
    package init(of replaced: PendingRequest, by submitter: Submitter, at now: WallTime) {
        since = replaced.submittedAt
        last = now
        add(by: submitter, at: now)
    }

    package mutating func add(by submitter: Submitter, at now: WallTime) {
        last = now
        bySubmitter[submitter, default: 0] += 1
    }
}

/// The replacements of the pending requests of one plugin. An identifier has an entry only while a request of it is
/// pending, so the number of entries is bounded by the limits of pending requests.
struct ReplacementCounts: Sendable {
    private var byIdentifier: [TaskIdentifier: Replacements] = [:]

    subscript(identifier: TaskIdentifier) -> Replacements? { byIdentifier[identifier] }

    mutating func add(_ new: PendingRequest, replacing old: PendingRequest, at now: WallTime) {
        let identifier = new.request.identifier
        if byIdentifier[identifier]?.add(by: new.submitter, at: now) == nil {
            byIdentifier[identifier] = Replacements(of: old, by: new.submitter, at: now)
        }
    }

    /// Drops the count of an identifier whose request is no longer pending.
    mutating func remove(_ identifier: TaskIdentifier) { byIdentifier[identifier] = nil }
}
