// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
package import HostConfiguration
import HostDoctor
import LinuxSystem
import PluginCatalogue
import TaskLedger
package import TaskModel

/// Restores a backup into an empty state directory that no host uses. Everything is restored, or nothing.
package struct HostRestore {
    let configuration: HostConfiguration

    package init(_ configuration: HostConfiguration) { self.configuration = configuration }

    private var state: String { configuration.stateDirectory }

    /// Restores the backup at `path`. Reads and checks all of it before anything is written.
    package func restore(from path: String, at now: WallTime) throws -> RestoreReply {
        let backup = try BackupFile(at: path)
        let place = try StatePlace(state)
        let mark = RestoreMark(
            incarnation: RestoreMark.incarnation(
                after: backup.manifest.incarnation,
                at: now.nanoseconds / 1_000_000_000
            ),
            takenAt: backup.manifest.takenAt,
            version: backup.manifest.version
        )
        let trust: [RestoredTrust]
        do {
            try place.prepare(owner: owner(of: backup.manifest))
            let users = try restoreLedger(of: backup, in: place)
            try restoreContainers(of: backup, in: place)
            try place.write(Array(WireCoding.encodeReadably(mark)) + [0x0a], to: RestoreMark.name)
            try giveFiles(in: place, users: users)
            trust = try TrustFiles(configuration.provenance).restore(from: backup)
            do { try place.commit() } catch {
                TrustFiles.undo(trust)
                throw error
            }
        } catch {
            place.undo()
            throw error
        }
        return RestoreReply(
            file: path,
            stateDirectory: state,
            incarnation: mark.incarnation,
            hasContainers: backup.has(.containers),
            trust: trust,
            plugins: missingPlugins(of: backup.manifest),
            manifest: backup.manifest
        )
    }

    // MARK: Parts

    /// Restores the ledger and inspects it. Returns the indexes of the users of plugins.
    private func restoreLedger(of backup: BackupFile, in place: StatePlace) throws -> [PluginIdentifier: Int] {
        try place.makeDirectory("ledger")
        let file = place.path("ledger/ledger.sqlite")
        let number = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if number < 0 { throw SystemError(number: errno, attempt: "write \(file)") }
        let output = Descriptor(owning: number)
        try backup.write(.ledger, to: output.number)
        if fsync(output.number) != 0 { throw SystemError(number: errno, attempt: "write \(file)") }
        let inspection = LedgerInspection(path: file)
        // Files of the inspection; the ledger was not changed.
        for suffix in ["-wal", "-shm"] { unlink(file + suffix) }
        if case .readable = inspection.state { return inspection.userIndexes }
        // The path of the problem is that of the unfinished restore.
        let problem = (inspection.problems.first ?? "it is no ledger").replacing(file, with: "of the backup")
        throw BackupError(
            "the ledger of the backup \(backup.path) cannot be used: \(problem); nothing was restored",
            remedy: "for a newer ledger, install the version \(backup.manifest.version) of bgtask or a newer one;"
                + " otherwise use an older backup"
        )
    }

    private func restoreContainers(of backup: BackupFile, in place: StatePlace) throws {
        try place.makeDirectory("containers")
        try backup.read(.containers) { try ContainerArchive.unpack(from: $0, into: place.path("containers")) }
    }

    // MARK: Owners

    /// The user and the group of the host: those of an existing state directory; for root and a new directory those of
    /// the account that owned the directory of the backup. Nil when the files belong to the user of this process.
    private func owner(of manifest: BackupManifest) throws(BackupError) -> StateOwner? {
        if geteuid() != 0 { return nil }
        var status = stat()
        if stat(state, &status) == 0 { return StateOwner(user: status.st_uid, group: status.st_gid) }
        if manifest.owner == Account.name(of: 0) { return nil }
        if let account = StateOwner(account: manifest.owner) { return account }
        throw BackupError(
            "\(state) does not exist, and this machine has no account \(manifest.owner.inQuotes), to which it belonged;"
                + " nothing was restored",
            remedy: "create the directory for the host's user with: install -d -m 700 -o USER -g GROUP \(state)"
        )
    }

    /// Gives all files to the host's user, and each container to the user of its plugin. Does nothing without root.
    /// While the configuration names no range of users, containers stay with the host's user: a host with users of
    /// plugins hands each one over before the next launch.
    private func giveFiles(in place: StatePlace, users: [PluginIdentifier: Int]) throws {
        guard geteuid() == 0 else { return }
        if let owner = place.owner { try ContainerArchive.give(place.root, to: owner.user, owner.group) }
        guard case .range(let range) = configuration.pluginUsers else { return }
        for (plugin, index) in users {
            let container = place.path("containers/\(plugin)")
            guard let user = range[index], FilePlace.isDirectory(container) else { continue }
            try ContainerArchive.give(container, to: user, user)
        }
    }

    // MARK: Plugins

    private func missingPlugins(of manifest: BackupManifest) -> [MissingPlugin] {
        let contents = InstalledPlugins.contents(configuration, known: [])
        return manifest.plugins.compactMap { plugin in
            let entry = PluginIdentifier(plugin.identifier).flatMap(contents.entry)
            let problem = MissingPlugin.problem(
                of: plugin,
                installed: entry.map { ($0.manifestDigest, $0.library.digest) },
                isRefused: contents.refused.contains { $0.identifier?.text == plugin.identifier }
            )
            return problem.map { MissingPlugin(plugin: plugin, problem: $0) }
        }
    }
}

/// The user and the group of a host.
struct StateOwner: Hashable {
    let user: UInt32
    let group: UInt32

    init(user: UInt32, group: UInt32) { (self.user, self.group) = (user, group) }

    /// The user and the primary group of an account; nil when there is no such account.
    init?(account: String) {
        guard let entry = getpwnam(account) else { return nil }
        self.init(user: entry.pointee.pw_uid, group: entry.pointee.pw_gid)
    }
}
