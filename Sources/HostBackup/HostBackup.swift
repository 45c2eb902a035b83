// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Glibc
package import HostConfiguration
import HostDoctor
import LinuxSystem
import TaskLedger
package import TaskModel

/// Makes the backup of a host, whether it runs or not. It reads the state directory with the rights of this process,
/// and changes nothing in it.
package struct HostBackup {
    let configuration: HostConfiguration
    private let hasContainers: Bool

    /// Creates a backup.
    ///
    /// - Parameter hasContainers: whether the backup has the containers of plugins.
    package init(_ configuration: HostConfiguration, hasContainers: Bool) {
        (self.configuration, self.hasContainers) = (configuration, hasContainers)
    }

    private var state: String { configuration.stateDirectory }

    /// Writes the backup. Nothing is at `path`, or the former file, unless the backup is complete.
    ///
    /// - Parameter replaces: whether an existing file is replaced.
    package func write(to path: String, replaces: Bool, at now: WallTime) throws -> BackupReply {
        try checkTarget(path, replaces: replaces)
        let isRunning = try isRunning()
        let writer = try BackupWriter(path: path)
        let inspection = try addLedger(to: writer, beside: path, isRunning: isRunning)
        try addTrust(to: writer)
        let hasChanged = hasContainers ? try addContainers(to: writer) : false
        let manifest = manifest(of: inspection, writer.members, at: now)
        let size = try writer.finish(manifest)
        return BackupReply(
            file: path,
            bytes: size,
            sha256: writer.members.last { $0.name == BackupMember.manifest.rawValue }?.sha256 ?? "",
            isRunning: isRunning,
            hasChangedContainers: hasChanged,
            manifest: manifest
        )
    }

    // MARK: Checks

    private func checkTarget(_ path: String, replaces: Bool) throws(BackupError) {
        if "\(path)/".hasPrefix("\(state)/") {
            throw BackupError(
                "\(path) is in the state directory \(state), of which the backup is made; nothing was written",
                remedy: "name a file outside of it, best on another disk"
            )
        }
        guard FilePlace.exists(path) else { return }
        if !FilePlace.isRegular(path) {
            throw BackupError(
                "\(path) exists and is not a regular file; nothing was written",
                remedy: "name another file"
            )
        }
        if !replaces {
            throw BackupError(
                "\(path) exists; nothing was written",
                remedy: "name another file, or replace this one with --force"
            )
        }
    }

    /// Whether a host uses the state directory.
    private func isRunning() throws(BackupError) -> Bool {
        switch HostPresence(stateDirectory: state) {
        case .running: return true
        case .stopped: return false
        case .unknown(let error):
            throw BackupError(
                "whether a host uses \(state) is unknown: \(String(systemError: error)); nothing was written",
                remedy: "run this command as the host's own user or as root"
            )
        }
    }

    // MARK: Members

    private func addLedger(to writer: BackupWriter, beside path: String, isRunning: Bool) throws -> LedgerInspection {
        let copy = BackupWriter.temporary(for: path, "ledger")
        // SQLite may leave its files beside the copy.
        let files = ["", "-wal", "-shm", "-journal"].map { copy + $0 }
        for file in files { unlink(file) }
        defer { for file in files { unlink(file) } }
        let number = open(copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if number < 0 { throw SystemError(number: errno, attempt: "write \(copy)") }
        close(number)
        let ledger = LedgerBackup(of: state + "/ledger/ledger.sqlite", isInUse: isRunning)
        let inspection: LedgerInspection
        do throws(LedgerError) {
            inspection = try ledger.write(to: copy)
        } catch {
            throw BackupError("\(error)")
        }
        if case .readable = inspection.state {
            try writer.add(.ledger, file: copy)
            return inspection
        }
        throw BackupError(
            "the ledger \(ledger.ledger) is damaged: \(inspection.problems.first ?? "it cannot be read");"
                + " nothing was written",
            remedy: "stop the host and show the damage with: bgtask host check"
        )
    }

    private func addTrust(to writer: BackupWriter) throws {
        for (member, path) in TrustFiles(configuration.provenance).places where FilePlace.exists(path) {
            try writer.add(member, file: path)
        }
    }

    private func addContainers(to writer: BackupWriter) throws -> Bool {
        var hasChanged = false
        try writer.add(.containers) { hasChanged = try ContainerArchive.write(state + "/containers", to: $0) }
        return hasChanged
    }

    private func manifest(
        of inspection: LedgerInspection,
        _ members: [BackupManifest.Member],
        at now: WallTime
    ) -> BackupManifest {
        var status = stat()
        let owner = stat(state, &status) == 0 ? status.st_uid : geteuid()
        let known = inspection.snapshot?.known.filter { $0.missingSince == nil } ?? []
        var schema = LedgerInspection.knownVersion
        if case .readable(let version) = inspection.state { schema = version }
        return BackupManifest(
            format: BackupManifest.presentFormat,
            version: Release.version,
            schema: schema,
            incarnation: inspection.incarnation ?? 1,
            takenAt: Timestamp(now).description,
            owner: Account.name(of: owner),
            pendingRequests: inspection.pendingRequests ?? 0,
            runningLaunches: inspection.snapshot?.running.count ?? 0,
            plugins: known.map(BackupManifest.Plugin.init),
            members: members
        )
    }
}

extension BackupManifest.Plugin {
    init(_ plugin: KnownPlugin) {
        self.init(
            identifier: plugin.identifier.text,
            manifest: plugin.manifestPath,
            manifestSHA256: plugin.manifestDigest,
            librarySHA256: plugin.libraryDigest
        )
    }
}
