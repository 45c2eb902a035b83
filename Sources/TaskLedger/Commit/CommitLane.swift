// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// A queue of waiting commits in the order of arrival. The commits of a plugin can be taken ahead of their turn.
struct CommitLane {
    private var arrived: [WaitingCommit] = []
    /// Commits older than those in `arrived`, newest first, so that removing the oldest shifts no elements.
    private var leaving: [WaitingCommit] = []
    /// Numbers of waiting commits that change the waits or deferrals of a plugin. A plugin without such commits has no
    /// entry.
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

    /// Removes and returns, in order, the commits that change the waits or deferrals of the plugins. Commits linked to
    /// them by a common plugin are included. Reads all waiting commits, unless none of them concerns the plugins.
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
