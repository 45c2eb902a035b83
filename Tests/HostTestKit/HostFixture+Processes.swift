// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation

// Processes and descriptors of a host, found without a call to it.
extension HostFixture {
    /// All processes with a process mark of this fixture's hosts. Processes that have ended but are not reaped have no
    /// readable mark, and are absent.
    package func runnerProcesses() -> [Int32] {
        let hosts = processIDs
        return Self.processes().filter { pid in
            guard let mark = Self.mark(of: pid) else { return false }
            return hosts.contains(mark)
        }
    }

    /// The processes with a process mark of one host.
    package func runnerProcesses(of host: Int32) -> [Int32] {
        Self.processes().filter { Self.mark(of: $0) == host }
    }

    func checkProcesses() throws {
        let left = runnerProcesses()
        if !left.isEmpty { throw HostFailure("processes of launches are left after the host's end: \(left)") }
    }

    /// Checks a host without pending and running work: apart from its standard streams, its only open pidfds and pipes
    /// are those of idle runners, and no launch has left a trace. Does nothing if the host has ended or has work.
    ///
    /// Waits for this state, because a runner that was dismissed before its launch began dies a moment later.
    func checkAtRest() async throws {
        guard process?.hasEnded == false, let start = try? await restingPoint() else { return }
        try await withDeadline(waitingFor: "a host with nothing running to let go of processes and pipes") { [self] in
            var before = start
            while true {
                let targets = descriptorTargets().filter { $0.key > 2 }.values
                let held = targets.filter { $0.contains("[pidfd]") || $0.hasPrefix("pipe:") }
                let traces = Result { try checkTracesAtRest(idleRunners: before.idleRunners) }
                guard let after = try? await restingPoint(), after.launch == before.launch else { return }
                // An idle runner has a pidfd and three pipes.
                if after == before, held.count == 4 * before.idleRunners { return try traces.get() }
                before = after
                try Task.checkCancellation()
            }
        }
    }

    /// A host without running and pending work: its newest launch and the number of its idle runners.
    private struct RestingPoint: Equatable {
        /// The number of the newest launch, 0 before the first.
        let launch: Int64
        let idleRunners: Int
    }

    /// The present state; nil while a launch or a task is running, or a request or an event is pending.
    private func restingPoint() async throws -> RestingPoint? {
        let launch = try await client.launches(limit: 1).launches.first?.launch ?? 0
        let tasks = try await client.tasks()
        let isBusy = !(tasks.pending.isEmpty && tasks.running.isEmpty && tasks.events.isEmpty)
        let host = try await client.host()
        if host.counts.runningLaunches > 0 || isBusy { return nil }
        return RestingPoint(launch: launch, idleRunners: host.idleRunners.waiting)
    }

    /// The targets of the host's open descriptors, by descriptor number.
    package func descriptorTargets() -> [Int: String] {
        let directory = "/proc/\(pid)/fd"
        let numbers = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        var targets: [Int: String] = [:]
        for number in numbers.compactMap(Int.init) {
            targets[number] = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(directory)/\(number)")
        }
        return targets
    }

    /// The connections to the control socket in the kernel's list of sockets, including those that the host has not
    /// accepted yet.
    package var connections: [Substring] {
        // NUM REFCOUNT PROTOCOL FLAGS TYPE STATE INODE PATH; a listening socket has a flag.
        KernelFile.text("/proc/net/unix").split(separator: "\n").filter { line in
            let fields = line.split(separator: " ")
            return fields.count > 7 && fields[3] == "00000000" && fields[7] == socket
        }
    }

    package func waitUntilNobodyIsConnected() async throws {
        try await withDeadline(waitingFor: "the host to let go of its callers") { [self] in
            while !connections.isEmpty {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
    }

    private static func processes() -> [Int32] {
        ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap(Int32.init)
    }

    /// Process ID of the host that launched a process, from the process mark, which children inherit; nil for a process
    /// without a readable mark.
    private static func mark(of pid: Int32) -> Int32? {
        guard let environment = FileManager.default.contents(atPath: "/proc/\(pid)/environ") else { return nil }
        let prefix = Array("BGTASK_RUNNER=".utf8)
        guard let entry = environment.split(separator: 0).first(where: { $0.starts(with: prefix) }) else { return nil }
        let fields = String(decoding: entry.dropFirst(prefix.count), as: UTF8.self).split(separator: "-")
        return fields.count > 1 ? Int32(fields[1]) : nil
    }
}
