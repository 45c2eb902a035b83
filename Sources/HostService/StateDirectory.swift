// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Foundation
import HostConfiguration

/// The state directory of a host, with ledger and containers. It is locked for the lifetime of this value, so that only
/// one host uses it.
final class StateDirectory: Sendable {
    let path: String
    private let lock: Int32

    var ledgerFile: String { path + "/ledger.sqlite" }
    var containerDirectory: String { path + "/containers" }

    /// Creates the directory if it is missing, with access for its owner only, and locks it.
    init(path: String) throws(HostError) {
        self.path = path
        do {
            for directory in [path, path + "/containers"] {
                try FileManager.default.createDirectory(
                    atPath: directory,
                    withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700]
                )
            }
        } catch {
            throw HostError(
                code: .stateDirectoryUnusable,
                message: "cannot create the state directory \(path): \(error.systemMessage);"
                    + " choose another with --state-directory, or make this user the owner of its parent;"
                    + " find all problems with: bgtask host check --state-directory \(path)"
            )
        }
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
    }

    /// Takes the lock, with a few retries: a program that only checks for a running host holds the lock for an instant.
    private static func take(_ lock: Int32) -> Bool {
        for _ in 0..<5 {
            if bgl_lock(lock) == 0 { return true }
            usleep(10_000)
        }
        return false
    }

    /// The path of the container that a main plugin and its extensions share, whether it exists or not.
    func containerPath(of plugin: String) -> String { containerDirectory + "/" + plugin }

    /// Creates the container of a main plugin if it is missing. Throws when its path leads to anything but a directory:
    /// a symbolic link would open another place to the plugin. Blocks on the disk.
    func makeContainer(of plugin: String) throws(HostError) {
        let container = containerPath(of: plugin)
        if mkdir(container, 0o700) == 0 { return }
        guard errno == EEXIST else {
            throw HostError(
                code: .stateDirectoryUnusable,
                message: "cannot create the container \(container): \(String(cString: strerror(errno)));"
                    + " find the problem with: bgtask host check --state-directory \(path)"
            )
        }
        var status = stat()
        if lstat(container, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { return }
        throw HostError(
            code: .stateDirectoryUnusable,
            message: "the container \(container) is not a directory; remove the file at this path"
        )
    }

    /// Renames the container of a main plugin, so that no plugin finds it. `deleteDiscarded` deletes the renamed
    /// container. Does nothing when there is no container. Blocks on the disk.
    func discardContainer(of plugin: String) {
        let discarded = discardedContainer(of: plugin)
        // A discarded container that could not be deleted earlier is renamed to a unique name.
        if access(discarded, F_OK) == 0 { rename(discarded, "\(discarded)-\(UUID().uuidString)") }
        rename(containerPath(of: plugin), discarded)
    }

    /// Deletes the discarded container of a main plugin. Returns false when there is none. Blocks on the disk.
    func deleteDiscarded(of plugin: String) throws(HostError) -> Bool {
        let discarded = discardedContainer(of: plugin)
        guard access(discarded, F_OK) == 0 else { return false }
        try delete(discarded)
        return true
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

    /// Deletes the discarded container at a path. Blocks on the disk.
    func delete(_ discarded: String) throws(HostError) {
        do {
            try FileManager.default.removeItem(atPath: discarded)
        } catch {
            throw HostError(
                code: .stateDirectoryUnusable,
                message:
                    "cannot delete the purged container \(discarded): \(error.systemMessage);"
                    + " the plugin's pending requests are dropped; delete the directory yourself"
            )
        }
    }

    /// The prefix of discarded containers, which no plugin identifier has.
    private static let discardedPrefix = ".purged-"

    private func discardedContainer(of plugin: String) -> String {
        containerDirectory + "/" + Self.discardedPrefix + plugin
    }

    deinit { close(lock) }
}
