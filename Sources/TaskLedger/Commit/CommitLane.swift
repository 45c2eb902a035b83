// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// A queue of waiting commits in the order in which they were appended. The commits that change the waits or deferrals
/// of given plugins can be taken out of order.
struct CommitLane {
    private var arrived: [WaitingCommit] = []
    /// The commits that are older than those in `arrived`, newest first, so that removing the oldest commit shifts no
    /// elements.
    private var leaving: [WaitingCommit] = []
    /// Number of waiting commits that change the waits or deferrals of a plugin, by plugin; no entry for zero.
    private var owners: [PluginIdentifier: Int] = [:]

    var count: Int { arrived.count + leaving.count }
    var isEmpty: Bool { arrived.isEmpty && leaving.isEmpty }

    /// Whether a waiting commit changes the waits or deferrals of one of the plugins.
    func holdsAny(of plugins: Set<PluginIdentifier>) -> Bool { plugins.contains { owners[$0] != nil } }

    mutating func append(_ commit: WaitingCommit) {
        arrived.append(commit)
        for plugin in commit.classOwners { owners[plugin, default: 0] += 1 }
    }

    /// Removes and returns the oldest commit; nil when the lane is empty.
    mutating func popFirst() -> WaitingCommit? {
        if leaving.isEmpty {
            leaving = arrived.reversed()
            arrived = []
        }
        guard let commit = leaving.popLast() else { return nil }
        forget(commit)
        return commit
    }

    /// Removes and returns, in order, the commits that change the waits or deferrals of the plugins. A commit that
    /// shares a plugin with an included commit is included as well. Reads all waiting commits, unless none of them
    /// concerns the plugins.
    mutating func take(of plugins: Set<PluginIdentifier>) -> [WaitingCommit] {
        guard holdsAny(of: plugins) else { return [] }
        let waiting = leaving.reversed() + arrived
        var (wanted, known) = (plugins, 0)
        while wanted.count > known {
            known = wanted.count
            for commit in waiting where !commit.classOwners.isDisjoint(with: wanted) {
                wanted.formUnion(commit.classOwners)
            }
        }
        let taken = waiting.filter { !$0.classOwners.isDisjoint(with: wanted) }
        for commit in taken { forget(commit) }
        arrived = waiting.filter { $0.classOwners.isDisjoint(with: wanted) }
        leaving = []
        return taken
    }

    private mutating func forget(_ commit: WaitingCommit) {
        for plugin in commit.classOwners {
            guard let count = owners[plugin] else { continue }
            owners[plugin] = count > 1 ? count - 1 : nil
        }
    }
}
