// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import HostConfiguration
import TaskModel

// Checks of the state directory: owner, permissions, write access and free space.
extension HostCheck {
    /// Number of free bytes below which a few days of journal entries may not fit.
    private static let littleSpace: UInt64 = 64 << 20
    /// Number of free bytes below which a commit may fail at any moment.
    private static let noSpace: UInt64 = 1 << 20

    mutating func checkStateFolder() -> StateFolderFacts {
        let folder = StateFolderFacts(path: configuration.stateFolder)
        guard access(folder.path, F_OK) == 0 || errno != ENOENT else {
            checkPlaceForStateFolder()
            return folder
        }
        if let problem = folder.problem {
            add(
                .problem,
                .stateFolder,
                "\(folder.path) cannot be read: \(problem); name another directory with --state-directory, or run"
                    + " this as the host's own user"
            )
            return folder
        }
        let count = findings.count
        checkOwner(of: folder)
        checkMode(of: folder)
        checkWriting(in: folder.path, .stateFolder, remedy: "make the host's user its owner, or name another directory")
        checkSpace(in: folder.path)
        if findings.count == count { add(.fine, .stateFolder, "\(folder.path) is writable and has free space") }
        return folder
    }

    private mutating func checkPlaceForStateFolder() {
        let place = Place.nearest(to: configuration.stateFolder)
        if access(place, W_OK | X_OK) == 0 {
            add(.fine, .stateFolder, "\(configuration.stateFolder) does not exist yet; the host creates it")
            return
        }
        add(
            .problem,
            .stateFolder,
            "\(configuration.stateFolder) does not exist and cannot be created in \(place):"
                + " \(String(cString: strerror(errno))); create it for the host's user, or name another directory with"
                + " --state-directory"
        )
    }

    private mutating func checkOwner(of folder: StateFolderFacts) {
        let owner = Account.name(of: folder.owner)
        if folder.owner != geteuid() {
            add(
                .note,
                .stateFolder,
                "\(folder.path) belongs to \(owner), and this was run as \(Account.name(of: geteuid())); check a host"
                    + " of \(owner) with: sudo -u \(owner) bgtask host check"
            )
        }
        for name in folder.files {
            var status = stat()
            let file = folder.path + "/" + name
            guard lstat(file, &status) == 0, status.st_uid != folder.owner else { continue }
            add(
                .problem,
                .stateFolder,
                "\(file) belongs to \(Account.name(of: status.st_uid)) and the directory to \(owner), so no host can"
                    + " write both; correct that with: chown \(owner) \(file)"
            )
        }
    }

    private mutating func checkMode(of folder: StateFolderFacts) {
        if folder.mode & 0o022 != 0 {
            add(
                .problem,
                .stateFolder,
                "\(folder.path) has mode \(String(folder.mode, radix: 8)): other users may replace its files; correct"
                    + " that back with: chmod 700 \(folder.path)"
            )
        }
        for name in folder.files where name.hasPrefix("ledger.sqlite") {
            var status = stat()
            let file = folder.path + "/" + name
            guard stat(file, &status) == 0, status.st_mode & 0o077 != 0 else { continue }
            add(
                .problem,
                .ledger,
                "\(file) has mode \(String(status.st_mode & 0o7777, radix: 8)): other users may read payloads; correct that"
                    + " with: chmod 600 \(file)"
            )
        }
    }

    private mutating func checkSpace(in folder: String) {
        var system = statvfs()
        guard statvfs(folder, &system) == 0 else { return }
        let free = UInt64(system.f_bavail) * UInt64(system.f_frsize)
        // File systems without a fixed number of files report 0 of 0.
        let hasNoFiles = system.f_files > 0 && system.f_favail == 0
        if free < Self.noSpace || hasNoFiles {
            let what = hasNoFiles ? "no more files" : "\(free >> 10) KiB free"
            add(
                .problem,
                .stateFolder,
                "the disk of \(folder) has \(what), so nothing can be recorded and every submission is refused;"
                    + " free space on it"
            )
        } else if free < Self.littleSpace {
            add(.note, .stateFolder, "the disk of \(folder) has \(free >> 20) MiB free; free space before it is full")
        }
    }

    mutating func checkWriting(in folder: String, _ subject: HostFinding.Subject, remedy: String) {
        if access(folder, W_OK | X_OK) == 0 { return }
        let cause = errno == EROFS ? "its disk is mounted read-only" : String(cString: strerror(errno))
        let mounted = errno == EROFS ? "mount it for writing, or name another directory" : remedy
        add(.problem, subject, "\(folder) cannot be written to: \(cause); \(mounted)")
    }
}
