// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

// Possible traces of an ended launch, besides its processes: its control group, its locks, its files. Its channels and
// its memory have no names. Host and runner write only to the state directory, to the directory of the socket and, by
// their libraries, to TMPDIR. A container keeps the files of its plugins on purpose.
extension HostFixture {
    /// Checks that launches have left no control groups and no locks. Called while the host runs without a running
    /// launch; the idle runners, if control groups are in use, have one each.
    func checkTracesAtRest(idleRunners: Int) throws {
        let groups = controlGroups().flatMap { Self.directories(in: $0) }
        if groups.count > idleRunners { throw HostFailure("control groups of launches are left: \(groups)") }
        try checkLocks(heldBy: pid)
    }

    /// Checks that launches and hosts have left no control groups, locks or unexpected files. Called after the host has
    /// ended in order.
    func checkTraces() async throws {
        let groups = controlGroups()
        if !groups.isEmpty { throw HostFailure("control groups are left after the host's end: \(groups)") }
        try checkLocks()
        let strangers = try await foreignFiles()
        if !strangers.isEmpty { throw HostFailure("files are left that no host owns: \(strangers)") }
    }

    // MARK: Control groups

    /// Paths of the control groups that this fixture's hosts created for themselves, in every mounted hierarchy of
    /// cgroup v2. The groups of their launches are inside, and are not listed.
    package func controlGroups() -> [String] {
        let prefixes = processIDs.map { "bgtask-\($0)-" }
        return Self.hierarchies.flatMap { Self.controlGroups(in: $0, named: prefixes) }.sorted()
    }

    /// Whether hosts that this process starts can create control groups, tried once in this process's own control
    /// group.
    package static let canMakeControlGroups: Bool = {
        guard let ownControlGroup else { return false }
        let group = "\(ownControlGroup)/try-\(UUID().uuidString)"
        return mkdir(group, 0o755) == 0 && rmdir(group) == 0
    }()

    /// Path of this process's own control group of cgroup v2; nil without such a group or without a mounted hierarchy.
    static let ownControlGroup: String? = {
        let own = KernelFile.text("/proc/self/cgroup").split(separator: "\n")
            .first { $0.hasPrefix("0::") }?.dropFirst(3)
        guard let own, let hierarchy = hierarchies.first else { return nil }
        return "\(hierarchy)\(own)"
    }()

    private static let hierarchies: Set<String> = {
        let unified = KernelFile.text("/proc/self/mountinfo").split(separator: "\n").filter {
            $0.contains(" - cgroup2 ")
        }
        return Set(unified.compactMap { $0.split(separator: " ").dropFirst(4).first.map(String.init) })
    }()

    private static func controlGroups(in directory: String, named prefixes: [String]) -> [String] {
        directories(in: directory).flatMap { path in
            let name = (path as NSString).lastPathComponent
            return prefixes.contains(where: name.hasPrefix) ? [path] : controlGroups(in: path, named: prefixes)
        }
    }

    /// Paths of the subdirectories of a control group. Most of the entries are files, which are not examined one by
    /// one.
    private static func directories(in path: String) -> [String] {
        guard let stream = opendir(path) else { return [] }
        defer { closedir(stream) }
        var directories: [String] = []
        while let entry = readdir(stream) {
            guard entry.pointee.d_type == UInt8(DT_DIR) else { continue }
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { directories.append("\(path)/\(name)") }
        }
        return directories
    }

    // MARK: Locks

    /// A lock on a file of this fixture, from the kernel's list of locks.
    package struct FileLock: Hashable, Sendable {
        package let file: String
        /// Number of the process that holds the lock; -1 for a lock that belongs to an open file instead of a process.
        package let pid: Int32
    }

    package func locks() -> [FileLock] {
        let files = filesByNumber()
        // 1: POSIX ADVISORY WRITE 41 fd:01:1234 0 EOF, with -> before the kind of a lock that is waited for.
        return KernelFile.text("/proc/locks").split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ").dropFirst().drop { $0 == "->" }.map(String.init)
            guard fields.count > 4, let pid = Int32(fields[3]), let file = files[fields[4]] else { return nil }
            return FileLock(file: file, pid: pid)
        }
    }

    private func checkLocks(heldBy host: Int32? = nil) throws {
        let left = locks().filter { $0.pid != host }.map { "\($0.file) by process \($0.pid)" }
        if !left.isEmpty { throw HostFailure("locks are left: \(left)") }
    }

    /// Paths of all files below this fixture's directories, by device and inode as in the kernel's list of locks.
    private func filesByNumber() -> [String: String] {
        var files: [String: String] = [:]
        for directory in [directory.path, stateDirectory] {
            for name in [""] + ((try? FileManager.default.subpathsOfDirectory(atPath: directory)) ?? []) {
                var status = stat()
                guard lstat("\(directory)/\(name)", &status) == 0 else { continue }
                let major = status.st_dev >> 8 & 0xfff | status.st_dev >> 32 & ~0xfff
                let minor = status.st_dev & 0xff | status.st_dev >> 12 & ~0xff
                files[String(format: "%02lx:%02lx:%lu", major, minor, status.st_ino)] = "\(directory)/\(name)"
            }
        }
        return files
    }

    // MARK: Files

    /// Unexpected files in the state directory, in the temporary directory and at the socket's path. Called while no
    /// host runs.
    private func foreignFiles() async throws -> [String] {
        let own: Set = ["ledger", "host.lock", "containers", "bundles", "logs"]
        let ofLedger: Set = ["ledger.sqlite", "ledger.sqlite-wal", "ledger.sqlite-shm"]
        let known = Set(try await knownPlugins())
        return names(in: stateDirectory, besides: own) + names(in: stateDirectory + "/containers", besides: known)
            + names(in: stateDirectory + "/bundles", besides: known.union([".bgtask-runner"]))
            + names(in: stateDirectory + "/ledger", besides: ofLedger)
            + foreignLogs(of: known)
            + names(in: directory.file("tmp"), besides: [])
            + (isActivated || !FileManager.default.fileExists(atPath: socket) ? [] : [socket])
    }

    /// Wrong paths in the directory of logs; the directory itself is examined, too. A right path is the log of a launch
    /// of a known plugin, or a directory of such logs; the host's user owns it, and no other user can read it.
    private func foreignLogs(of plugins: Set<String>) -> [String] {
        let directory = stateDirectory + "/logs"
        guard let found = try? FileManager.default.subpathsOfDirectory(atPath: directory) else { return [] }
        return ([""] + found).filter { !isLog($0, in: directory, of: plugins) }.map { "\(directory)/\($0)" }.sorted()
    }

    private func isLog(_ name: String, in directory: String, of plugins: Set<String>) -> Bool {
        let parts = name.split(separator: "/").map(String.init)
        if let plugin = parts.first, !plugins.contains(plugin) { return false }
        guard parts.count == 2 else { return parts.count < 2 && isPrivate("\(directory)/\(name)", S_IFDIR | 0o700) }
        return parts[1].wholeMatch(of: /[1-9][0-9]*(\.earlier)?\.log/) != nil
            && isPrivate("\(directory)/\(name)", S_IFREG | 0o600)
    }

    /// Whether the file at a path has this type and these permissions, and the host's user as its owner.
    private func isPrivate(_ path: String, _ mode: mode_t) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode == mode && status.st_uid == user
    }

    private func names(in directory: String, besides expected: Set<String>) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.filter { !expected.contains($0) }.sorted().map { "\(directory)/\($0)" }
    }

    private func knownPlugins() async throws -> [String] {
        let ledger = stateDirectory + "/ledger/ledger.sqlite"
        guard FileManager.default.fileExists(atPath: ledger) else { return [] }
        let run = try await ProgramRun.of("/usr/bin/sqlite3", ["-readonly", ledger, "select identifier from plugin"])
        if run.status != 0 { throw HostFailure("the ledger cannot be read: \(run.error)") }
        return run.output.split(separator: "\n").map(String.init)
    }
}
