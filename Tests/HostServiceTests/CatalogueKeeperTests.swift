// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Dispatch
import HostConfiguration
import HostTestKit
import Logging
import PluginCatalogue
import Scheduling
import Synchronization
import TaskModel
import Testing

@testable import HostService

@Suite("The catalogue loads in the background", .timeLimit(.minutes(10)))
final class CatalogueKeeperTests: Sendable {
    /// The reported changes of the catalogue, in order.
    private let handedOut = Mutex<[CatalogueChange]>([])

    private let recorded = Mutex<[KnownPlugin]>([])

    private func withKeeper(
        in directory: ScratchDirectory,
        _ body: (CatalogueKeeper, DiskThreads, AsyncStream<Void>.Iterator) async throws -> Void
    ) async throws {
        for name in ["manifests", "packages", "plugins"] { try directory.makeDirectory(name) }
        var configuration = HostConfiguration(
            paths: HostPaths.user(environment: ["HOME": directory.path]),
            processors: 1
        )
        configuration.operatorManifests = directory.file("manifests")
        configuration.packageManifests = directory.file("packages")
        configuration.pluginDirectory = directory.file("plugins")
        let (changes, change) = AsyncStream.makeStream(of: Void.self)
        let (doubts, doubt) = AsyncStream.makeStream(of: Void.self)
        try await DiskThreads.with { threads in
            let keeper = CatalogueKeeper(
                configuration: configuration,
                recorded: { self.recorded.withLock { $0 } },
                doubts: doubts,
                threads: threads,
                log: Logger(label: "test")
            ) { catalogueChange in
                self.handedOut.withLock { $0.append(catalogueChange) }
                change.yield()
            } onFirstLoad: { _ in
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await keeper.run() }
                try await body(keeper, threads, changes.makeAsyncIterator())
                group.cancelAll()
            }
        }
        doubt.finish()
    }

    /// Waits for a change. A test that is cancelled at its time limit ends instead of asking again.
    private static func next(_ changes: inout AsyncStream<Void>.Iterator) async throws {
        if await changes.next() == nil { throw CancellationError() }
    }

    private static func manifest(_ name: String) -> [UInt8] {
        Array("manifest: 1\nidentifier: com.example.\(name)\nlibrary: lib\(name).so\n".utf8)
    }

    @Test func `a wait for the catalogue ends after the first load, or earlier at its time limit`() async throws {
        try await ScratchDirectory.with { directory in
            try directory.makeDirectory("manifests")
            let held = DispatchSemaphore(value: 0)
            for number in 0..<100 { try directory.write(Self.manifest("p\(number)"), to: "manifests/\(number).yaml") }
            try await withKeeper(in: directory) { keeper, threads, changes in
                var changes = changes
                // Every disk thread is busy: the load cannot continue.
                let busy = (0..<DiskThreads.count).map { _ in
                    Task { try await threads.run { held.wait() } }
                }
                await keeper.waitUntilLoaded(within: .milliseconds(20))
                #expect(!keeper.isLoaded || !self.handedOut.withLock { $0 }.isEmpty)
                let waiting = Task { try await keeper.waitUntilLoaded() }
                for _ in busy { held.signal() }
                try await waiting.value
                #expect(keeper.isLoaded && keeper.contents.refused.count == 100)
                #expect(self.handedOut.withLock { $0 }.map(\.refused.count) == [100])
                try await Self.next(&changes)
                for task in busy { try await task.value }
            }
        }
    }

    @Test func `a catalogue change names each refused manifest once, and a burst of new manifests causes few changes`()
        async throws
    {
        try await ScratchDirectory.with { directory in
            try await withKeeper(in: directory) { keeper, _, changes in
                var changes = changes
                try await Self.next(&changes)
                for number in 0..<40 {
                    try directory.write(Self.manifest("p\(number)"), to: "manifests/\(number).yaml")
                }
                var counts: [Int] = []
                repeat {
                    try await Self.next(&changes)
                    counts = self.handedOut.withLock { $0.map(\.refused.count) }
                } while counts.reduce(0, +) < 40
                #expect(counts.first == 0 && counts.reduce(0, +) == 40 && keeper.contents.refused.count == 40)
                // Some file systems are slow, but one change per file would still be a failure.
                #expect(counts.count < 20, "\(counts)")
                try directory.write([], to: "manifests/0.yaml")
                while keeper.contents.refused(directory.file("manifests/0.yaml"))?.identifier != nil {
                    try await Self.next(&changes)
                }
                #expect(keeper.contents.refused.count == 40)
                while self.handedOut.withLock({ $0.last?.accepted.isEmpty ?? true }) { try await Self.next(&changes) }
                let last = try #require(self.handedOut.withLock { $0.last })
                #expect(last.refused.isEmpty && last.accepted.map(\.text) == ["com.example.p0"])
            }
        }
    }

    @Test func `an uninstalled plugin whose record is deleted no longer counts as refused for its broken manifest`()
        async throws
    {
        try await ScratchDirectory.with { directory in
            let file = directory.file("manifests/z.yaml")
            let identifier = try #require(PluginIdentifier("com.example.p"))
            recorded.withLock {
                $0 = [
                    KnownPlugin(
                        identifier: identifier,
                        manifestPath: file,
                        manifestDigest: "",
                        libraryDigest: "",
                        permitted: [],
                        missingSince: nil
                    )
                ]
            }
            try await withKeeper(in: directory) { keeper, _, changes in
                var changes = changes
                try await Self.next(&changes)
                try directory.write([], to: "manifests/z.yaml")
                while self.handedOut.withLock({ $0.last?.refused[identifier] == nil }) { try await Self.next(&changes) }
                self.recorded.withLock { $0 = [] }
                try directory.write(Array("manifest: 2\n".utf8), to: "manifests/z.yaml")
                while self.handedOut.withLock({ $0.last?.accepted.contains(identifier) != true }) {
                    try await Self.next(&changes)
                }
            }
        }
    }
}
