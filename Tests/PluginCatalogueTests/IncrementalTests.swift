// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Dispatch
import PluginCatalogue
import Synchronization
import TaskModel
import Testing

@Suite("The incremental catalogue equals a catalogue that is loaded from scratch")
struct IncrementalTests {
    /// Compares incremental with fresh loads.
    ///
    /// - Parameter eachStepIsSettled: if true, the cache treats every file as old, and each step waits for the next
    ///   tick of the file system's clock; if false, steps follow each other within a tick, and the cache uses the real
    ///   clock.
    @Test(arguments: [1, 2, 3, 4], [true, false])
    func `an incremental load of the catalogue equals a fresh one after every random change of files`(
        seed: UInt64,
        eachStepIsSettled: Bool
    ) throws {
        try Workshop.with { workshop in
            var walk = try CatalogueWalk(workshop, seed: seed)
            let cache = eachStepIsSettled ? CatalogueCache(now: { .max }) : CatalogueCache()
            var known: [PluginIdentifier: KnownPlugin] = [:]
            var installed = 0
            for _ in 0..<150 {
                try walk.step()
                if eachStepIsSettled { try workshop.waitForNextTick() }
                let incremental = Self.load(workshop.directories, Array(known.values), cache)
                let first = CatalogueReader.load(workshop.directories, alreadyCatalogued: Array(known.values))
                let isSame = incremental == first
                try #require(isSame, "\(walk.steps.suffix(8).joined(separator: "\n"))")
                for entry in first.entries { known[entry.identifier] = KnownPlugin(entry) }
                installed += first.entries.count
            }
            #expect(installed > 50)
            // Most files were reused: otherwise the equality would prove nothing.
            if eachStepIsSettled { #expect(cache.work.manifestsRead < 500) }
        }
    }

    /// Loads the catalogue with the examination distributed among threads, as a host does.
    private static func load(
        _ directories: CatalogueDirectories,
        _ known: [KnownPlugin],
        _ cache: CatalogueCache
    ) -> CatalogueContents {
        let listing = CatalogueReader.manifests(in: directories)
        let examined = Mutex<[ExaminedManifest]>([])
        DispatchQueue.concurrentPerform(iterations: 3) { part in
            let share = listing.sources.enumerated().filter { $0.offset % 3 == part }.map(\.element)
            let found = CatalogueReader.examine(share, in: directories, cache: cache)
            examined.withLock { $0 += found }
        }
        return CatalogueReader.contents(
            of: listing,
            examined.withLock { $0 },
            in: directories,
            cache: cache,
            alreadyCatalogued: known,
            operatorExtensions: [:]
        )
    }

    @Test func `refused manifests are found by path, and listed after a given path`() throws {
        try Workshop.with { workshop in
            for name in ["a", "b", "c"] { try workshop.write("manifest: 7\n", "operator/\(name).yaml") }
            let contents = workshop.load()
            let files = ["a", "b", "c"].map { workshop.path("operator/\($0).yaml") }
            #expect(contents.refused(after: nil).map(\.file) == files)
            #expect(contents.refused(after: files[0]).map(\.file) == Array(files.dropFirst()))
            #expect(contents.refused(after: files[0] + "x").map(\.file) == Array(files.dropFirst()))
            #expect(contents.refused(after: files[2]).isEmpty)
            #expect(contents.refused(files[1])?.file == files[1])
            #expect(contents.refused(files[1] + "x") == nil && contents.refused("/zzz") == nil)
        }
    }
}
