// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The users of the main plugins: an index into the range of users for each main plugin that was ever launched, unless
/// the index was given to another plugin.
///
/// An index stays with its plugin. It is given to another plugin only when the range is exhausted, its plugin has no
/// container, and its user owns no discarded container: the files in a container belong to the user. Of several such
/// indexes, the index of the plugin whose last launch is the oldest is given away: files outside of containers may
/// still belong to the user.
struct UserAssignments: Hashable, Sendable {
    let range: UserRange
    private(set) var indexes: [PluginIdentifier: Int]
    private var owners: [Int: PluginIdentifier]
    /// The index after the highest one that was ever assigned in this range.
    private var next: Int

    /// - Parameter recorded: the indexes that earlier hosts assigned. An index beyond the range is assigned anew.
    init(range: UserRange, recorded: [PluginIdentifier: Int]) {
        self.range = range
        indexes = recorded.filter { range[$0.value] != nil }
        owners = Dictionary(indexes.map { ($0.value, $0.key) }) { first, _ in first }
        next = (indexes.values.max() ?? -1) + 1
    }

    /// The user of a main plugin; nil while none is assigned, as before its first launch.
    func user(of main: PluginIdentifier) -> UInt32? { indexes[main].flatMap { range[$0] } }

    /// A new assignment, which has to be recorded before it is used.
    struct Assignment: Hashable, Sendable {
        let index: Int
        let user: UInt32
        /// The plugin that loses the index; nil for an index that was never assigned.
        let previous: PluginIdentifier?
    }

    /// The assignment for a main plugin without a user; nil when every user of the range belongs to a plugin with files
    /// (see `hasFiles`). Changes nothing; `record` does.
    ///
    /// - Parameters:
    ///   - hasFiles: whether a main plugin has a container, or its user owns a discarded one. Called only when the
    ///     range is exhausted.
    ///   - lastLaunch: the last launch of a main plugin; nil when none is recorded any more. Called only for users
    ///     without files.
    func assignment(
        hasFiles: (PluginIdentifier, UInt32) -> Bool,
        lastLaunch: (PluginIdentifier) -> LaunchNumber? = { _ in nil }
    ) -> Assignment? {
        if let user = range[next] { return Assignment(index: next, user: user, previous: nil) }
        let free = owners.compactMap { index, owner -> (last: Int64, assignment: Assignment)? in
            guard let user = range[index], !hasFiles(owner, user) else { return nil }
            let assignment = Assignment(index: index, user: user, previous: owner)
            return (lastLaunch(owner)?.rawValue ?? 0, assignment)
        }
        return free.min { ($0.last, $0.assignment.index) < ($1.last, $1.assignment.index) }?.assignment
    }

    mutating func record(_ assignment: Assignment, for main: PluginIdentifier) {
        if let previous = assignment.previous { indexes[previous] = nil }
        indexes[main] = assignment.index
        owners[assignment.index] = main
        next = max(next, assignment.index + 1)
    }
}
