// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import LinuxSystem

/// Replaces and removes files, each atomically. All steps can be rolled back until `keep`.
///
/// The names of temporary files begin with a dot, so that no host reads them.
struct FileExchange {
    private struct Step {
        let path: String
        /// Path of a backup of the previous file; nil when there was none.
        let backup: String?
    }

    private var steps: [Step] = []
    private var madeDirectories: [String] = []

    /// A complete copy of a file beside its target path. It is on disk, but not yet at the target.
    struct Staged {
        fileprivate let temporary: String
        fileprivate let target: String

        var path: String { temporary }
    }

    mutating func stage(_ bytes: [UInt8], at target: String) throws -> Staged {
        try stage(at: target) { descriptor in try Self.write(bytes[...], to: descriptor, target) }
    }

    mutating func stage(copyOf source: String, at target: String) throws -> Staged {
        let input = open(source, O_RDONLY | O_CLOEXEC)
        guard input >= 0 else { throw Self.failure("\(source) cannot be read", errno) }
        defer { close(input) }
        return try stage(at: target) { descriptor in
            var buffer = [UInt8](repeating: 0, count: 1 << 18)
            while true {
                let count = read(input, &buffer, buffer.count)
                if count == 0 { return }
                if count < 0 {
                    if errno == EINTR { continue }
                    throw Self.failure("\(source) cannot be read", errno)
                }
                try Self.write(buffer[..<count], to: descriptor, target)
            }
        }
    }

    mutating func put(_ staged: Staged) throws {
        let backup = Self.hidden(staged.target, "old")
        unlink(backup)
        let hadOne = link(staged.target, backup) == 0
        if !hadOne, errno != ENOENT { throw Self.failure("\(staged.target) cannot be backed up", errno) }
        guard rename(staged.temporary, staged.target) == 0 else {
            let error = errno
            if hadOne { unlink(backup) }
            throw Self.failure("\(staged.target) cannot be written", error)
        }
        steps.append(Step(path: staged.target, backup: hadOne ? backup : nil))
        Self.flush(FilePlace.directory(of: staged.target))
    }

    mutating func remove(_ path: String) throws {
        let backup = Self.hidden(path, "old")
        guard rename(path, backup) == 0 else { throw Self.failure("\(path) cannot be removed", errno) }
        steps.append(Step(path: path, backup: backup))
        Self.flush(FilePlace.directory(of: path))
    }

    /// Makes all steps final. They cannot be rolled back afterwards.
    mutating func keep() {
        for backup in steps.compactMap(\.backup) { unlink(backup) }
        (steps, madeDirectories) = ([], [])
    }

    /// Rolls back all steps, and deletes the staged files. Returns the error to throw: `cause`, with the files that
    /// could not be rolled back.
    mutating func takeBack(_ staged: [Staged], after cause: any Error) -> any Error {
        for file in staged { unlink(file.temporary) }
        let failures = steps.reversed().compactMap(Self.takeBack)
        for directory in madeDirectories.reversed() { rmdir(directory) }
        (steps, madeDirectories) = ([], [])
        if failures.isEmpty { return cause }
        let error = cause as? InstallationError ?? InstallationError("\(cause)")
        let remedy = "restore these files yourself" + (error.remedy.map { "; then \($0)" } ?? "")
        return InstallationError(
            "\(error.message); some files were not rolled back: \(failures.joined(separator: "; "))",
            remedy: remedy,
            report: error.report
        )
    }

    /// Rolls back a step. Returns the failure; nil on success.
    private static func takeBack(_ step: Step) -> String? {
        guard let backup = step.backup else {
            if unlink(step.path) == 0 || errno == ENOENT { return nil }
            return "\(step.path) is still there: \(String(cString: strerror(errno)))"
        }
        if rename(backup, step.path) == 0 { return nil }
        return "\(step.path) has its earlier contents in \(backup): \(String(cString: strerror(errno)))"
    }

    // MARK: One file

    private mutating func stage(at target: String, _ fill: (CInt) throws -> Void) throws -> Staged {
        try makeDirectory(FilePlace.directory(of: target))
        let temporary = Self.hidden(target, "new")
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw Self.failure("\(target) cannot be written", errno) }
        defer { close(descriptor) }
        do {
            try fill(descriptor)
            // Independent of the umask: the host may run as another user.
            guard fchmod(descriptor, 0o644) == 0, fsync(descriptor) == 0 else {
                throw Self.failure("\(target) cannot be written", errno)
            }
        } catch {
            unlink(temporary)
            throw error
        }
        return Staged(temporary: temporary, target: target)
    }

    private mutating func makeDirectory(_ path: String) throws {
        if mkdir(path, 0o755) == 0 {
            madeDirectories.append(path)
        } else if errno == ENOENT {
            try makeDirectory(FilePlace.directory(of: path))
            try makeDirectory(path)
        } else if errno != EEXIST {
            throw Self.failure("the directory \(path) cannot be created", errno)
        }
    }

    private static func write(_ bytes: ArraySlice<UInt8>, to descriptor: CInt, _ target: String) throws {
        do throws(SystemError) {
            try FileBytes.write(bytes, to: descriptor, for: "write \(target)")
        } catch {
            throw failure("\(target) cannot be written", error.number)
        }
    }

    private static func hidden(_ path: String, _ purpose: String) -> String {
        "\(FilePlace.directory(of: path))/.\(FilePlace.name(of: path)).\(purpose)-\(getpid())"
    }

    /// Flushes a directory to disk. Otherwise a power loss could restore the old name of a file.
    private static func flush(_ directory: String) {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if descriptor < 0 { return }
        fsync(descriptor)
        close(descriptor)
    }

    private static func failure(_ message: String, _ error: Int32) -> InstallationError {
        let remedy: String? =
            switch error {
            case EACCES, EPERM: "run the command as a user with this permission, for example with sudo"
            case ENOSPC, EDQUOT: "free space on the disk of this path"
            case EROFS: "mount the disk of this path for writing, or name another directory with --manifests"
            default: nil
            }
        return InstallationError("\(message): \(String(cString: strerror(error)))", remedy: remedy)
    }
}
