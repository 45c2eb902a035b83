// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem
import PluginLaunch

/// Whether a process belongs to a launch of this host.
enum ProcessOrigin: Hashable, Sendable {
    /// No descendant of the host, or a child that the host had at its start, or a descendant of such a child.
    case outside
    /// Another descendant of the host. `child` is the host's child above it, or the process itself: the runner, or an
    /// orphan that the host adopted.
    case launch(child: Int32)
    /// The process has ended, or its ancestors are unknown.
    case unknown
}

/// The ancestors of processes, up to the host.
///
/// Every process of a launch is a descendant of the host: the host starts the runners, and as a subreaper it adopts
/// their orphans, also those with a session of their own. The children that the host had at its start belong to the
/// shell that became the host. A process that another program starts on behalf of a plugin, such as a service manager
/// or cron, is no descendant.
struct ProcessLineage: Sendable {
    typealias Facts = (parent: Int32, startTime: UInt64)

    /// Existence and owner of a process that /proc does not show.
    enum Presence {
        case gone
        /// The host may signal the process: it belongs to the host's own user, or the host is root. Plugins can hide
        /// such a process where /proc is mounted with hidepid.
        case own
        case foreign
    }

    private let host: Int32
    private let childrenAtStart: Set<ProcessIdentity>
    private let facts: @Sendable (Int32) -> Facts?
    private let presence: @Sendable (Int32) -> Presence

    /// Maximum number of generations between the host and a process. Deeper processes are unknown.
    static let depth = 128
    /// Maximum number of walks when an ancestor ends in between.
    private static let attempts = 8

    init(
        host: Int32,
        childrenAtStart: Set<ProcessIdentity>,
        facts: @escaping @Sendable (Int32) -> Facts?,
        presence: @escaping @Sendable (Int32) -> Presence
    ) {
        self.host = host
        self.childrenAtStart = childrenAtStart
        self.facts = facts
        self.presence = presence
    }

    /// The lineage of this process, which has started no child yet.
    static func ofThisProcess() -> ProcessLineage {
        ProcessLineage(
            host: getpid(),
            childrenAtStart: Set(children().compactMap { ProcessIdentity(of: $0) }),
            facts: { pid in ProcessStatus(of: pid).map { ($0.parent, $0.startTime) } },
            presence: { kill($0, 0) == 0 ? .own : errno == EPERM ? .foreign : .gone }
        )
    }

    /// The origin of the process with that number. The number 0 stands for a process of another PID namespace, which is
    /// outside: the processes of launches are in the namespace of the host or below it.
    func origin(of process: Int32) -> ProcessOrigin {
        if process <= 0 { return .outside }
        for _ in 0..<Self.attempts {
            if let origin = walk(from: process) { return origin }
        }
        return .unknown
    }

    /// One walk to the host; nil when an ancestor has ended in between, so that its children have a new parent.
    private func walk(from process: Int32) -> ProcessOrigin? {
        guard var present = facts(process) else { return presence(process) == .foreign ? .outside : .unknown }
        var pid = process
        for _ in 0..<Self.depth {
            let parent = present.parent
            if parent == host {
                let identity = ProcessIdentity(pid: pid, startTime: present.startTime)
                return childrenAtStart.contains(identity) ? .outside : .launch(child: pid)
            }
            if parent <= 1 { return .outside }
            guard let above = facts(parent) else {
                switch presence(parent) {
                case .gone: return nil
                case .own: return .unknown
                case .foreign: return .outside
                }
            }
            // As long as the process has this parent, no other process can have the parent's number.
            guard facts(pid)?.parent == parent else { return nil }
            (pid, present) = (parent, above)
        }
        return .unknown
    }

    private static func children() -> [Int32] {
        guard let threads = try? Descriptor(opening: "/proc/self/task", flags: O_RDONLY | O_DIRECTORY) else {
            return []
        }
        var children = [Int32](repeating: 0, count: 4096)
        let count = bgl_children(threads.number, &children, Int32(children.count))
        return Array(children.prefix(max(0, Int(count))))
    }
}
