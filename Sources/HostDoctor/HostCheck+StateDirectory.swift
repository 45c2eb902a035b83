// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import HostConfiguration
import LinuxSystem
import TaskModel

// Checks of the state directory: owner, permissions, write access and free space.
extension HostCheck {
    /// Number of free bytes below which a few days of journal entries may not fit.
    private static let littleSpace: UInt64 = 64 << 20
    /// Number of free bytes below which a commit may fail at any moment.
    private static let noSpace: UInt64 = 1 << 20

    mutating func checkStateDirectory() -> StateDirectoryFacts {
        let directory = StateDirectoryFacts(path: configuration.stateDirectory)
        guard access(directory.path, F_OK) == 0 || errno != ENOENT else {
            checkPlaceForStateDirectory()
            return directory
        }
        if let problem = directory.problem {
            add(
                .problem,
                .stateDirectory,
                "\(directory.path) cannot be read: \(problem); name another directory with --state-directory, or, if"
                    + " permission is denied, run this command as the host's own user"
            )
            return directory
        }
        let count = findings.count
        if directory.files.contains(RestoreMark.unfinished) {
            add(.problem, .stateDirectory, RestoreMark.unfinishedProblem(in: directory.path))
        }
        checkOwner(of: directory)
        checkMode(of: directory)
        checkWriting(
            in: directory.path,
            .stateDirectory,
            remedy: "make the host's user its owner and let it write (chmod u+rwx), or name another directory"
        )
        checkSpace(in: directory.path)
        if findings.count == count { add(.fine, .stateDirectory, "\(directory.path) is writable and has free space") }
        return directory
    }

    private mutating func checkPlaceForStateDirectory() {
        let place = Place.nearest(to: configuration.stateDirectory)
        if access(place, W_OK | X_OK) == 0 {
            add(.fine, .stateDirectory, "\(configuration.stateDirectory) does not exist yet; the host creates it")
            return
        }
        add(
            .problem,
            .stateDirectory,
            "\(configuration.stateDirectory) does not exist and cannot be created in \(place):"
                + " \(String(cString: strerror(errno))); create it for the host's user, or name another directory with"
                + " --state-directory"
        )
    }

    private mutating func checkOwner(of directory: StateDirectoryFacts) {
        let owner = Account.name(of: directory.owner)
        if directory.owner != geteuid() {
            add(
                .note,
                .stateDirectory,
                "\(directory.path) belongs to \(owner), but this check runs as \(Account.name(of: geteuid()));"
                    + " for a host that runs as \(owner), run: sudo -u \(owner) bgtask host check --state-directory"
                    + " \(directory.path)"
            )
        }
        for name in directory.files + directory.ledgerFiles.map({ "ledger/" + $0 }) {
            var status = stat()
            let file = directory.path + "/" + name
            guard lstat(file, &status) == 0, status.st_uid != directory.owner else { continue }
            add(
                .problem,
                .stateDirectory,
                "\(file) belongs to \(Account.name(of: status.st_uid)) and the directory to \(owner), so only a host"
                    + " that runs as root can write both; correct that with: chown \(owner) \(file)"
            )
        }
    }

    private mutating func checkMode(of directory: StateDirectoryFacts) {
        if directory.mode & 0o022 != 0 {
            add(
                .problem,
                .stateDirectory,
                "\(directory.path) has mode \(String(directory.mode, radix: 8)): other users may add or replace"
                    + " files in it; correct that with: chmod go-w \(directory.path)"
            )
        }
        for name in directory.ledgerFiles {
            var status = stat()
            let file = directory.path + "/ledger/" + name
            guard stat(file, &status) == 0, status.st_mode & 0o077 != 0 else { continue }
            add(
                .problem,
                .ledger,
                "\(file) has mode \(String(status.st_mode & 0o7777, radix: 8)), but it contains payloads,"
                    + " which are private to its owner; correct that with: chmod 600 \(file)"
            )
        }
    }

    private mutating func checkSpace(in directory: String) {
        var system = statvfs()
        guard statvfs(directory, &system) == 0 else { return }
        let free = UInt64(system.f_bavail) * UInt64(system.f_frsize)
        // File systems without a fixed number of files report 0 of 0.
        let hasNoFiles = system.f_files > 0 && system.f_favail == 0
        if free < Self.noSpace || hasNoFiles {
            let what = hasNoFiles ? "no free inode for another file" : "\(free >> 10) KiB free"
            add(
                .problem,
                .stateDirectory,
                "the disk of \(directory) has \(what), so the host may be unable to record requests and outcomes;"
                    + " delete other files on this disk"
            )
        } else if free < Self.littleSpace {
            add(
                .note,
                .stateDirectory,
                "the disk of \(directory) has \(free >> 20) MiB free; free space before the disk is full"
            )
        }
    }

    mutating func checkWriting(in directory: String, _ subject: HostFinding.Subject, remedy: String) {
        if access(directory, W_OK | X_OK) == 0 { return }
        let cause = errno == EROFS ? "its file system is mounted read-only" : String(cString: strerror(errno))
        let mounted = errno == EROFS ? "mount it for writing, or name another directory" : remedy
        add(.problem, subject, "\(directory) cannot be written to: \(cause); \(mounted)")
    }
}
