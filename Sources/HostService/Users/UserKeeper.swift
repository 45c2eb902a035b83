// Part of bgtask, under the Apache License 2.0; see LICENSE.

import HostConfiguration
import Synchronization
import TaskLedger
import TaskModel

/// Keeps the users of plugins: assigns a user at the first launch of a main plugin, and records it in the ledger before
/// the user is used.
final class UserKeeper: Sendable {
    let users: PluginUsers
    private let ledger: Ledger
    /// The users assigned to main plugins; nil when all plugins have the host's user.
    private let assignments: Mutex<UserAssignments?>

    init(_ users: PluginUsers, ledger: Ledger) throws(LedgerError) {
        self.users = users
        self.ledger = ledger
        guard let range = users.range else {
            assignments = Mutex(nil)
            return
        }
        assignments = Mutex(UserAssignments(range: range, recorded: try ledger.userIndexes()))
    }

    /// Closes each container that does not belong to the present user of its plugin. After a change of `plugin-users`,
    /// a container would otherwise belong to the present user of another plugin. The next launch of the container's
    /// plugin opens it. Closes all discarded containers, too. Does nothing while all plugins have the host's user.
    /// Called before the first launch; blocks on the disk.
    func closeContainers(in state: StateDirectory) throws(HostError) {
        guard users.range != nil else { return }
        for container in state.containers() {
            try state.closeContainer(of: container, unlessOf: PluginIdentifier(container).flatMap(user))
        }
        state.closeDiscarded()
    }

    /// The user of a main plugin; nil when it has the host's user, and while none is assigned, as before its first
    /// launch.
    func user(of main: PluginIdentifier) -> UInt32? { assignments.withLock { $0?.user(of: main) } }

    /// Returns the user of a main plugin, after it was assigned if necessary; nil when all plugins have the host's
    /// user. Blocks on the disk. Called on one thread at a time.
    func assign(
        _ main: PluginIdentifier,
        hasFiles: (PluginIdentifier, UInt32) -> Bool
    ) throws(HostError) -> UInt32? {
        guard let range = users.range else { return nil }
        if let user = user(of: main) { return user }
        // A copy, because the decision loop must not wait at the lock for the disk. No other thread assigns.
        let present = assignments.withLock { $0 }
        // Without a readable history another free user may be chosen, but every free user may be assigned.
        let assignment = present?.assignment(hasFiles: hasFiles) { try? ledger.lastLaunch(of: $0) }
        guard let assignment else {
            throw HostError(
                code: .systemRefused,
                message: "no user is free for \(main): each of the \(range.count) users of plugin-users \(range)"
                    + " belongs to a plugin whose container exists or is being deleted; purge removed plugins with:"
                    + " bgtask plugin remove ID --purge; or write a larger range as plugin-users, and restart the host"
            )
        }
        do throws(LedgerError) {
            try ledger.recordUser(index: assignment.index, of: main)
        } catch {
            throw HostError(code: .stateDirectoryUnusable, message: "cannot record which user runs \(main): \(error)")
        }
        assignments.withLock { $0?.record(assignment, for: main) }
        return assignment.user
    }
}
