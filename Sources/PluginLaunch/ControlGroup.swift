// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem

/// The control group of one launch, which contains every process that the launch creates. It needs no cgroup
/// controller.
struct ControlGroup {
    enum Removal: Equatable {
        case removed
        /// The group contains processes; one of them may be exiting.
        case occupied
        case failed(SystemError)
    }

    let path: String

    init(path: String) { self.path = path }

    /// Creates the group's directory.
    init(creating path: String) throws(SystemError) {
        guard mkdir(path, 0o755) == 0 else {
            throw SystemError(number: errno, attempt: "create the control group \(path)")
        }
        self.path = path
    }

    /// Opens the group's directory, to start a process in the group.
    func open() throws(SystemError) -> Descriptor {
        try Descriptor(opening: path, flags: O_RDONLY | O_DIRECTORY)
    }

    /// Kills the processes in the group and its subgroups: with `cgroup.kill` all of them, however fast they fork.
    func kill() {
        if bgl_write_file(AT_FDCWD, "\(path)/cgroup.kill", "1") != 0 { killEach() }
    }

    /// Kills the processes one by one, where `cgroup.kill` cannot be written, as on kernels before 5.14. The group is
    /// frozen first, if it has a freezer, so that no process forks while others are killed. The group stays frozen:
    /// killed processes still exit, and no other process runs in it again.
    func killEach() {
        _ = bgl_write_file(AT_FDCWD, "\(path)/cgroup.freeze", "1")
        var killed: Set<Int32> = []
        // Each pass finds the processes that were forked during the one before; without a freezer forking may continue.
        for _ in 0..<Self.killPasses {
            let found = members().subtracting(killed)
            if found.isEmpty { return }
            let processes = found.map { ($0, Descriptor(owning: bgl_pidfd_open($0))) }
            // Still listed after the descriptor was opened: the number has not been reused.
            let members = members()
            for (pid, process) in processes where members.contains(pid) {
                _ = bgl_pidfd_signal(process.number, SIGKILL)
                killed.insert(pid)
            }
        }
    }

    private static let killPasses = 100

    private func members() -> Set<Int32> {
        let inner = DirectoryNames.directories(in: path).map { ControlGroup(path: "\(path)/\($0)") }
        let listed = FileBytes.text("\(path)/cgroup.procs", limit: 1 << 20) ?? ""
        // A process in another namespace is listed as 0.
        let own = listed.split(separator: "\n").compactMap { Int32($0) }.filter { $0 > 0 }
        return inner.reduce(into: Set(own)) { $0.formUnion($1.members()) }
    }

    /// Whether the kernel killed a process of the group for lack of memory; false where the memory of the group is not
    /// controlled, or its events cannot be read.
    var ranOutOfMemory: Bool {
        guard let events = FileBytes.text("\(path)/memory.events", limit: 4096) else { return false }
        return events.split(separator: "\n").contains { $0.hasPrefix("oom_kill ") && $0 != "oom_kill 0" }
    }

    /// Opens the group's event file, which signals `BGL_CHANGED` when the group becomes empty. Nil when it cannot be
    /// opened.
    func openEvents() -> Descriptor? {
        guard let file = try? Descriptor(opening: "\(path)/cgroup.events", flags: O_RDONLY) else { return nil }
        // The kernel signals only changes after a first read.
        _ = isOccupied(in: file)
        return file
    }

    func isOccupied(in events: Descriptor) -> Bool {
        guard lseek(events.number, 0, SEEK_SET) == 0 else { return false }
        let text = [UInt8](unsafeUninitializedCapacity: 512) { buffer, filled in
            filled = max(0, bgl_read(events.number, buffer.baseAddress, 512))
        }
        return String(decoding: text, as: UTF8.self).split(separator: "\n").contains("populated 1")
    }

    /// Removes all subgroups, and then the group. Stops at the first group that cannot be removed, as while it contains
    /// a process, and returns the cause.
    func remove() -> Removal {
        for inner in DirectoryNames.directories(in: path) {
            let removal = ControlGroup(path: "\(path)/\(inner)").remove()
            guard removal == .removed else { return removal }
        }
        if rmdir(path) == 0 || errno == ENOENT { return .removed }
        if errno == EBUSY || errno == ENOTEMPTY { return .occupied }
        return .failed(SystemError(number: errno, attempt: "remove the control group \(path)"))
    }
}

/// Lists the subdirectories of a directory; empty if the directory cannot be opened.
enum DirectoryNames {
    static func directories(in path: String) -> [String] {
        guard let stream = opendir(path) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            guard entry.pointee.d_type == UInt8(DT_DIR) else { continue }
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
