// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Foundation
import HostConfiguration
import LinuxSystem

/// The state directory of a host, with ledger and containers. It is locked for the lifetime of this value, so that only
/// one host uses it.
final class StateDirectory: Sendable {
    let path: String
    private let lock: Int32

    /// Path of the ledger's file. The ledger has a directory of its own, because the users of plugins pass through the
    /// state directory.
    var ledgerFile: String { path + "/ledger/ledger.sqlite" }
    var containerDirectory: String { path + "/containers" }
    /// The directory of the logs of launches, created with the first line.
    var logDirectory: String { path + "/logs" }
    /// The directory of the main bundles of plugins, created with the first bundle.
    var bundleDirectory: String { path + "/bundles" }

    /// Creates the directory if it is missing, with access for its owner only, and locks it.
    ///
    /// - Parameter isTraversable: whether other users, those of plugins, may pass through the directory to the
    ///   containers. They can neither list it nor open the ledger.
    init(path: String, isTraversable: Bool = false) throws(HostError) {
        self.path = path
        try Self.refuseUnfinishedRestore(path)
        for directory in [path, path + "/ledger", path + "/containers"] {
            do {
                try FileManager.default.createDirectory(
                    atPath: directory,
                    withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700]
                )
            } catch {
                throw HostError(
                    code: .stateDirectoryUnusable,
                    message: "cannot create the directory \(directory): \(error.systemMessage);"
                        + " choose another state directory with --state-directory, or find all problems with:"
                        + " bgtask host check --state-directory \(path)"
                )
            }
        }
        if isTraversable { try Self.makeTraversable(path) }
        let file = path + "/host.lock"
        let descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw HostError(
                code: .stateDirectoryUnusable,
                message: "cannot open \(file): \(String(cString: strerror(errno)));"
                    + " the state directory must be writable for the host; find the problem with:"
                    + " bgtask host check --state-directory \(path)"
            )
        }
        lock = descriptor
        guard Self.take(descriptor) else {
            let owner = (try? String(contentsOfFile: file, encoding: .utf8)).map { $0.filter(\.isNumber) } ?? ""
            throw HostError(
                code: .stateDirectoryTaken,
                message: "another host uses \(path)" + (owner.isEmpty ? "" : " (process \(owner))")
                    + "; stop it, or choose another directory with --state-directory"
            )
        }
        ftruncate(descriptor, 0)
        _ = "\(getpid())\n".withCString { write(descriptor, $0, strlen($0)) }
        try adoptLedger()
    }

    /// Throws while a restore writes the directory, and after a restore that was killed.
    private static func refuseUnfinishedRestore(_ path: String) throws(HostError) {
        guard FilePlace.exists("\(path)/\(RestoreMark.unfinished)") else { return }
        throw HostError(
            code: .stateDirectoryUnusable,
            message: RestoreMark.unfinishedProblem(in: path)
        )
    }

    /// Moves the ledger of an earlier version, which lies beside the containers, into the directory `ledger`. The
    /// database file moves last, after the files -wal and -shm, so that the next start continues an interrupted move.
    private func adoptLedger() throws(HostError) {
        let earlier = path + "/ledger.sqlite"
        guard access(earlier, F_OK) == 0 else { return }
        if access(ledgerFile, F_OK) == 0 {
            throw HostError(
                code: .stateDirectoryUnusable,
                message:
                    "there are two ledgers: \(ledgerFile), and \(earlier), which an earlier version of the host wrote;"
                    + " move the one that is out of date to another directory, with the files -wal and -shm beside it"
            )
        }
        for suffix in ["-wal", "-shm", ""] where rename(earlier + suffix, ledgerFile + suffix) != 0 {
            if errno == ENOENT, !suffix.isEmpty { continue }
            throw HostError(
                code: .stateDirectoryUnusable,
                message: "cannot move the ledger \(earlier)\(suffix) to \(ledgerFile)\(suffix):"
                    + " \(String(cString: strerror(errno))); let the host's user write to the"
                    + " directories of both files, and start the host again"
            )
        }
    }

    /// Lets other users pass through the state directory and its directory of containers. Throws when they cannot reach
    /// the state directory itself.
    private static func makeTraversable(_ path: String) throws(HostError) {
        for directory in [path, path + "/containers"] {
            var status = stat()
            guard stat(directory, &status) == 0, status.st_mode & 0o011 != 0o011 else { continue }
            chmod(directory, status.st_mode & 0o7777 | 0o011)
        }
        var parent = path
        while parent != "/", !parent.isEmpty {
            parent = (parent as NSString).deletingLastPathComponent
            var status = stat()
            guard stat(parent, &status) == 0, status.st_mode & 0o001 == 0 else { continue }
            throw HostError(
                code: .stateDirectoryUnusable,
                message:
                    "the users of plugins cannot reach the state directory \(path): other users cannot pass through"
                    + " \(parent); permit it with: chmod o+x \(parent), or choose another state directory with"
                    + " --state-directory"
            )
        }
    }

    /// Takes the lock, with retries for a second: a killed host holds the lock until its last thread has ended, on a
    /// busy machine for some tenths of a second, and a program that only checks for a running host holds it for an
    /// instant.
    private static func take(_ lock: Int32) -> Bool {
        for _ in 0..<100 {
            if bgl_lock(lock) == 0 { return true }
            usleep(10_000)
        }
        return false
    }

    /// The path of the container that a main plugin and its extensions share, whether it exists or not.
    func containerPath(of plugin: String) -> String { containerDirectory + "/" + plugin }

    /// Renames the container of a main plugin to a unique name, so that no plugin finds it, and no other purge of the
    /// plugin changes its name. `delete` deletes the renamed container. Does nothing when there is no container. Blocks
    /// on the disk.
    func discardContainer(of plugin: String) {
        rename(containerPath(of: plugin), "\(discardedContainers(of: plugin))\(UUID().uuidString)")
    }

    /// The paths of the discarded containers of a main plugin, also those that an earlier purge is deleting. Blocks on
    /// the disk.
    func discarded(of plugin: String) -> [String] {
        let prefix = FilePlace.name(of: discardedContainers(of: plugin))
        return FilePlace.names(in: containerDirectory).filter { $0.hasPrefix(prefix) }.map {
            "\(containerDirectory)/\($0)"
        }
    }

    /// Returns the paths of the containers that previous host processes discarded but did not delete. Renames each of
    /// them first: under its new, unique name a later purge of the same plugin cannot collide with it.
    func earlierDiscarded() -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: containerDirectory)) ?? []
        return names.filter { $0.hasPrefix(Self.discardedPrefix) }.sorted().map { name in
            let path = "\(containerDirectory)/\(name)"
            let own = "\(containerDirectory)/\(Self.discardedPrefix)\(UUID().uuidString)"
            return rename(path, own) == 0 ? own : path
        }
    }

    /// Deletes the discarded container at a path, in parts of bounded work on the disk threads: other work of the
    /// threads runs in between.
    func delete(_ discarded: String, on threads: DiskThreads) async throws {
        while try await threads.run({ try self.deletePart(of: discarded) }) {}
    }

    /// Deletes a part of the discarded container at a path. Returns whether more is left. Blocks on the disk.
    func deletePart(of discarded: String, atMost limit: Int = 1_000) throws(HostError) -> Bool {
        do throws(SystemError) {
            let name = FilePlace.name(of: discarded)
            return try TreeRemoval.removePart(of: name, in: containerDirectory, atMost: limit)
        } catch {
            // The remedy begins with the unmounting: otherwise the files of the mounted file system would be deleted
            // with the directory. A subvolume of btrfs has a device number of its own as well.
            let remedy =
                error.number == EXDEV
                ? "unmount that file system, or delete the subvolume (btrfs subvolume delete), and delete the directory"
                    + " yourself"
                : "delete the directory yourself"
            throw HostError(
                code: .stateDirectoryUnusable,
                message:
                    "cannot delete the purged container \(discarded): \(error);"
                    + " the purge dropped the plugin's pending requests; \(remedy)"
            )
        }
    }

    /// The prefix of the directory names of discarded containers. No plugin identifier has this prefix.
    static let discardedPrefix = ".purged-"

    /// The common beginning of the paths of a main plugin's discarded containers. No identifier contains the separator
    /// `~`. Only the first 200 characters of the identifier are used, because a file name has at most 255 bytes.
    /// Plugins whose identifiers have the same first 200 characters share these names, and a purge of one of them also
    /// deletes the containers that the others discarded.
    private func discardedContainers(of plugin: String) -> String {
        containerDirectory + "/" + Self.discardedPrefix + plugin.prefix(200) + "~"
    }

    deinit { close(lock) }
}
