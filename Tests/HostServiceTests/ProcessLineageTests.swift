// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import PluginLaunch
import Synchronization
import Testing

@testable import HostService

@Suite("A process of a launch is recognized by its ancestors")
struct ProcessLineageTests {
    private static let host: Int32 = 100

    /// A lineage in which each process has the given parent, and its number as its start time.
    private func lineage(
        _ parents: [Int32: Int32],
        childrenAtStart: [Int32] = [],
        hidden: [Int32: ProcessLineage.Presence] = [:]
    ) -> ProcessLineage {
        ProcessLineage(
            host: Self.host,
            childrenAtStart: Set(childrenAtStart.map { ProcessIdentity(pid: $0, startTime: UInt64($0)) }),
            facts: { pid in parents[pid].map { ($0, UInt64(pid)) } },
            presence: { hidden[$0] ?? (parents[$0] == nil ? .gone : .own) }
        )
    }

    @Test func `a runner and its descendants belong to the launch of the runner`() {
        let lineage = lineage([100: 1, 200: 100, 201: 200, 202: 201])
        for process: Int32 in [200, 201, 202] { #expect(lineage.origin(of: process) == .launch(child: 200)) }
    }

    @Test func `an orphaned process that the host has adopted belongs to a launch`() {
        #expect(lineage([100: 1, 300: 100, 301: 300]).origin(of: 301) == .launch(child: 300))
    }

    @Test func `the host, its ancestors and their other descendants count as outside of launches`() {
        let lineage = lineage([100: 50, 50: 40, 40: 1, 60: 50, 61: 60, 1: 0])
        for process: Int32 in [100, 50, 40, 60, 61, 1] { #expect(lineage.origin(of: process) == .outside) }
    }

    @Test
    func `a child that the host had at its start counts as outside of launches, a later process with its number not`() {
        let parents: [Int32: Int32] = [100: 1, 200: 100, 201: 200]
        #expect(lineage(parents, childrenAtStart: [200]).origin(of: 201) == .outside)
        let reused = ProcessLineage(
            host: Self.host,
            childrenAtStart: [ProcessIdentity(pid: 200, startTime: 1)],
            facts: { pid in parents[pid].map { ($0, UInt64(pid)) } },
            presence: { _ in .own }
        )
        #expect(reused.origin(of: 201) == .launch(child: 200))
    }

    @Test
    func `a process with number 0, as the kernel reports one of another PID namespace, counts as outside of launches`()
    {
        #expect(lineage([:]).origin(of: 0) == .outside)
    }

    @Test func `the origin of an ended process is unknown`() {
        #expect(lineage([100: 1]).origin(of: 300) == .unknown)
    }

    @Test func `a hidden process counts as outside of launches if it belongs to another user, otherwise as unknown`() {
        #expect(lineage([:], hidden: [300: .foreign]).origin(of: 300) == .outside)
        #expect(lineage([:], hidden: [300: .own]).origin(of: 300) == .unknown)
        #expect(lineage([301: 300], hidden: [300: .foreign]).origin(of: 301) == .outside)
        #expect(lineage([301: 300], hidden: [300: .own]).origin(of: 301) == .unknown)
    }

    @Test func `the origin of a process is determined again when an ancestor ends during the search`() {
        // At first the parent 300 has just ended; then the host has adopted its child.
        let walks = Mutex(0)
        let lineage = ProcessLineage(
            host: Self.host,
            childrenAtStart: [],
            facts: { pid in
                guard pid == 301 else { return nil }
                let isAdopted = walks.withLock { walks in
                    walks += 1
                    return walks > 1
                }
                return (isAdopted ? Self.host : 300, 301)
            },
            presence: { _ in .gone }
        )
        #expect(lineage.origin(of: 301) == .launch(child: 301))
    }

    @Test func `the origin of a process below more generations than the limit is unknown`() {
        var parents: [Int32: Int32] = [200: 100]
        for pid: Int32 in 201...400 { parents[pid] = pid - 1 }
        let lineage = lineage(parents)
        #expect(lineage.origin(of: 210) == .launch(child: 200))
        #expect(lineage.origin(of: 400) == .unknown)
    }

    @Test
    func `real descendants of a process belong to the launch of its child, and its parent is outside of launches`()
        async throws
    {
        let lineage = ProcessLineage.ofThisProcess()
        let shell = try await ChildProcess.start("/bin/sh", ["-c", "sleep 3600 & echo $!; wait"])
        let line = try await shell.outputLine("the grandchild's number") { Int32($0) != nil }
        #expect(lineage.origin(of: shell.pid) == .launch(child: shell.pid))
        #expect(lineage.origin(of: try #require(Int32(line))) == .launch(child: shell.pid))
        #expect(lineage.origin(of: getppid()) == .outside)
        kill(try #require(Int32(line)), SIGKILL)
        shell.signal(SIGKILL)
        _ = try await shell.ending()
    }
}
