// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem

/// The process mark of a launch, which distinguishes its processes from all others. It contains no information about
/// the plugin.
///
/// The mark is a number and a text. The number is stored in a resource limit: it survives `setsid`, a cleared
/// environment and even the end of the process, until the process is reaped. The text is stored in the environment,
/// where users can see it and a later host can identify its owner.
struct RunnerMark: Hashable {
    static let variable = "BGTASK_RUNNER"

    let number: UInt64
    let text: String
    /// The position of the runner among all runners of its launcher; the first is 1.
    let sequence: UInt64

    /// The number in the mark of a process; 0 for a process without a mark, and when it cannot be read.
    static func number(of pid: Int32) -> UInt64 { bgl_mark_of(pid) }

    /// The text in the mark of a process; nil when the process is gone, unreadable or unmarked.
    static func text(of pid: Int32) -> String? {
        // The limit allows for many variables that a process may have put before this one.
        guard let bytes = FileBytes.read("/proc/\(pid)/environ", limit: 256 << 10) else { return nil }
        let prefix = Array("\(variable)=".utf8)
        guard let entry = bytes.split(separator: 0).first(where: { $0.starts(with: prefix) }) else { return nil }
        return String(decoding: entry.dropFirst(prefix.count), as: UTF8.self)
    }
}

/// The numbers by which a launcher recognizes its process marks.
package enum MarkNumbers: Hashable, Sendable {
    /// Random numbers, which no other launcher has.
    case random
    /// Numbers that follow from the identity of the directory at this path, which one process at a time uses. All
    /// launchers of the directory have the same numbers, so that a launcher recognizes the processes of its
    /// predecessors.
    case ofDirectory(String)

    /// 30 bits that the numbers of all process marks of a launcher share. They follow from file system and inode of the
    /// directory; without a directory, or when it cannot be read, they are random.
    var bits: UInt64 {
        var place = stat()
        guard case .ofDirectory(let path) = self, stat(path, &place) == 0 else { return .random(in: 0..<1 << 30) }
        // The multiplications distribute neighbouring numbers over all bits.
        let mixed = (UInt64(place.st_dev) &* 0x9e37_79b9_7f4a_7c15) ^ UInt64(place.st_ino)
        return (mixed &* 0xbf58_476d_1ce4_e5b9) >> 34
    }
}

/// Creates the unique marks of one launcher's runners, and recognizes them.
struct RunnerMarkSeries {
    /// The first number of the series: bit 62 with 30 bits of the launcher. It is far above any real resource limit,
    /// and different from unlimited.
    private let origin: UInt64
    /// Whether earlier launchers of the same directory had the same numbers (`MarkNumbers.ofDirectory`).
    let isShared: Bool
    private let owner: MarkOwner
    private var count: UInt64 = 0

    init(owner: MarkOwner, numbers: MarkNumbers = .random) {
        self.owner = owner
        isShared = numbers != .random
        origin = 1 << 62 | numbers.bits << 32
    }

    mutating func next() -> RunnerMark {
        count += 1
        let text = "\(owner.text)-\(UInt32.random(in: 0...UInt32.max))-\(count)"
        return RunnerMark(number: origin | count, text: text, sequence: count)
    }

    func isOurs(_ number: UInt64) -> Bool { number >> 32 == origin >> 32 }
}

/// The host process that created a process mark. Whether it still runs can only be checked within one PID namespace.
struct MarkOwner: Hashable {
    private let namespace: UInt64
    private let process: ProcessIdentity

    /// This process as the owner of process marks; nil when /proc cannot be read.
    static var current: MarkOwner? {
        guard let process = ProcessIdentity.current, let namespace = namespaceNumber() else { return nil }
        return MarkOwner(namespace: namespace, process: process)
    }

    var text: String { "\(namespace)-\(process.pid)-\(process.startTime)" }

    init(namespace: UInt64, process: ProcessIdentity) {
        self.namespace = namespace
        self.process = process
    }

    init?(markText: String) {
        let fields = markText.split(separator: "-")
        guard fields.count == 5, let namespace = UInt64(fields[0]), let pid = Int32(fields[1]),
            let startTime = UInt64(fields[2])
        else { return nil }
        self.init(namespace: namespace, process: ProcessIdentity(pid: pid, startTime: startTime))
    }

    /// Whether the host process is known to be gone, as seen from the process `observer`.
    func isGone(to observer: MarkOwner) -> Bool {
        namespace == observer.namespace && ProcessIdentity(of: process.pid) != process
    }

    private static func namespaceNumber() -> UInt64? {
        var status = stat()
        return stat("/proc/self/ns/pid", &status) == 0 ? UInt64(status.st_ino) : nil
    }
}
