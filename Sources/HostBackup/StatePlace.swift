// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import HostConfiguration
import HostDoctor
import LinuxSystem

/// An empty state directory during a restore. The files are written into a directory in it, and moved when all are on
/// disk. No host starts while this directory exists, so that it never uses a part of a backup.
final class StatePlace {
    private let state: String
    private let isNew: Bool
    private(set) var owner: StateOwner?
    /// The lock of the host; nil before `prepare`.
    private var lock: Descriptor?
    /// Names of the entries that were moved into the state directory.
    private var moved: [String] = []

    /// The directory of the unfinished restore.
    var root: String { "\(state)/\(RestoreMark.unfinished)" }

    /// Throws when a host uses the state directory, or when it is not empty.
    init(_ state: String) throws(BackupError) {
        self.state = state
        isNew = !FilePlace.exists(state)
        if isNew { return }
        switch HostPresence(stateDirectory: state) {
        case .running(let process):
            let name = process.map { " (process \($0))" } ?? ""
            throw BackupError(
                "a host\(name) uses the state directory \(state); nothing was restored",
                remedy: "stop the host, for the system's host with: systemctl stop bgtaskd.socket bgtaskd"
            )
        case .stopped: break
        case .unknown(let error):
            throw BackupError(
                "whether a host uses \(state) is unknown: \(String(systemError: error)); nothing was restored",
                remedy: "run this command as the host's own user or as root"
            )
        }
        try checkEmpty()
    }

    private func checkEmpty() throws(BackupError) {
        let names: [String]
        do throws(SystemError) {
            names = try FilePlace.entries(of: state)
        } catch {
            throw BackupError(error, remedy: "run this command as the host's own user or as root")
        }
        if let flaw = Self.flaw(of: names, in: state) { throw flaw }
    }

    /// The reason why a directory with these entries is not empty; nil for an empty one. The lock of a host that could
    /// not start, and the directory that each ext4 disk has, do not count.
    static func flaw(of names: [String], in state: String) -> BackupError? {
        let others = names.filter { $0 != "host.lock" && $0 != "lost+found" }
        guard let first = others.first else { return nil }
        return BackupError(
            "the state directory \(state) is not empty: it has \(first); nothing was restored",
            remedy: "move its contents away, with: mkdir -m 700 \(state).earlier && mv \(state)/* \(state).earlier/"
        )
    }

    /// Takes the lock of the host, and creates the directory of the unfinished restore.
    func prepare(owner: StateOwner?) throws {
        self.owner = owner
        let remedy = "let this user write to the state directory or its parent, or run the command as root"
        if mkdir(state, 0o700) != 0, errno != EEXIST {
            throw BackupError(SystemError(number: errno, attempt: "create \(state)"), remedy: remedy)
        }
        // The host's user could otherwise exchange files below while root writes them.
        if owner != nil {
            try give(state, to: StateOwner(user: 0, group: 0))
            try checkEmpty()
        }
        let file = open("\(state)/host.lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if file < 0 {
            throw BackupError(SystemError(number: errno, attempt: "open \(state)/host.lock"), remedy: remedy)
        }
        let lock = Descriptor(owning: file)
        if bgl_lock(file) != 0 {
            throw BackupError("another program uses the state directory \(state); nothing was restored")
        }
        self.lock = lock
        if mkdir(root, 0o700) != 0 {
            throw BackupError(SystemError(number: errno, attempt: "create \(root)"), remedy: remedy)
        }
    }

    func path(_ name: String) -> String { "\(root)/\(name)" }

    func makeDirectory(_ name: String) throws(SystemError) {
        if mkdir(path(name), 0o700) != 0 { throw SystemError(number: errno, attempt: "create \(path(name))") }
    }

    func write(_ bytes: [UInt8], to name: String) throws(SystemError) {
        let number = open(path(name), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if number < 0 { throw SystemError(number: errno, attempt: "write \(path(name))") }
        let output = Descriptor(owning: number)
        try FileBytes.write(bytes[...], to: number, for: "write \(path(name))")
        if fsync(number) != 0 { throw SystemError(number: errno, attempt: "write \(path(name))") }
        withExtendedLifetime(output) {}
    }

    /// Moves the restored files to their places, when all of them are on disk.
    func commit() throws {
        // All files of the disk: the containers can have many.
        let directory = try Descriptor(opening: state, flags: O_RDONLY | O_DIRECTORY)
        let error = bgl_sync_disk(directory.number)
        if error != 0 { throw SystemError(number: -error, attempt: "write \(state) to disk") }
        for name in FilePlace.names(in: root) {
            if rename(path(name), "\(state)/\(name)") != 0 {
                throw SystemError(number: errno, attempt: "move \(path(name)) to \(state)")
            }
            moved.append(name)
        }
        if let owner {
            try give("\(state)/host.lock", to: owner)
            try give(state, to: owner)
        }
        if fsync(directory.number) != 0 { throw SystemError(number: errno, attempt: "write \(state) to disk") }
        if rmdir(root) != 0 { throw SystemError(number: errno, attempt: "delete \(root)") }
        // If the machine crashes before this, the deleted directory may return, and a host refuses to start. The
        // restore itself is complete in both cases.
        fsync(directory.number)
    }

    /// Deletes the files that this restore has written.
    func undo() {
        guard lock != nil else {
            if isNew { rmdir(state) } else if let owner { try? give(state, to: owner) }
            return
        }
        for name in moved { rename("\(state)/\(name)", path(name)) }
        if let rest = try? TreeRemoval.removePart(of: RestoreMark.unfinished, in: state, atMost: .max), rest { return }
        unlink("\(state)/host.lock")
        if isNew { rmdir(state) } else if let owner { try? give(state, to: owner) }
    }

    private func give(_ path: String, to owner: StateOwner) throws(SystemError) {
        if lchown(path, owner.user, owner.group) != 0 {
            throw SystemError(number: errno, attempt: "give \(path) to user \(owner.user)")
        }
    }
}
