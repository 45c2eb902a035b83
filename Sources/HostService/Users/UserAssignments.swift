// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The users of the main plugins: an index into the range of users for each main plugin that was ever launched.
///
/// An index stays with its plugin. It is given to another plugin only when the range is exhausted and its plugin has no
/// container, also none whose deletion has not ended, because the files in a container belong to the user.
struct UserAssignments: Hashable, Sendable {
    let range: UserRange
    private(set) var indexes: [PluginIdentifier: Int]
    private var owners: [Int: PluginIdentifier]
    /// The lowest index that was never assigned in this range.
    private var next: Int

    /// - Parameter recorded: the indexes that earlier hosts assigned. An index beyond the range is assigned anew.
    init(range: UserRange, recorded: [PluginIdentifier: Int]) {
        self.range = range
        indexes = recorded.filter { range[$0.value] != nil }
        owners = Dictionary(indexes.map { ($0.value, $0.key) }) { first, _ in first }
        next = (indexes.values.max() ?? -1) + 1
    }

    /// The user of a main plugin; nil before its first launch.
    func user(of main: PluginIdentifier) -> UInt32? { indexes[main].flatMap { range[$0] } }

    /// A new assignment, which has to be recorded before it is used.
    struct Assignment: Hashable, Sendable {
        let index: Int
        let user: UInt32
        /// The plugin that loses the index; nil for an index that was never assigned.
        let previous: PluginIdentifier?
    }

    /// The assignment for a main plugin without a user; nil when every user of the range belongs to a plugin with a
    /// container. Changes nothing; `record` does.
    ///
    /// - Parameter hasFiles: whether a main plugin has a container, or its user owns a discarded one. Called only when the
    ///   range is exhausted.
    func assignment(hasFiles: (PluginIdentifier, UInt32) -> Bool) -> Assignment? {
        if let user = range[next] { return Assignment(index: next, user: user, previous: nil) }
        let free = owners.sorted { $0.key < $1.key }.first { index, owner in
            range[index].map { !hasFiles(owner, $0) } ?? false
        }
        return free.flatMap { index, previous in
            range[index].map { Assignment(index: index, user: $0, previous: previous) }
        }
    }

    mutating func record(_ assignment: Assignment, for main: PluginIdentifier) {
        if let previous = assignment.previous { indexes[previous] = nil }
        indexes[main] = assignment.index
        owners[assignment.index] = main
        next = max(next, assignment.index + 1)
    }
}
