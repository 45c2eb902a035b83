// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import PluginCatalog
import Testing

@Suite("Every change of a complete file is noticed", .timeLimit(.minutes(1)))
struct FolderWatchTests {
    /// Makes a folder with a watch on it, and takes the changes one by one.
    private func watching(
        _ names: [String] = ["watched"],
        create: Bool = true,
        _ body: (Workshop, FolderWatch, inout AsyncStream<Void>.Iterator) async throws -> Void
    ) async throws {
        try await Workshop.with { workshop in
            if create { for name in names { try workshop.makeFolder(workshop.path(name)) } }
            let watch = try FolderWatch(Set(names.map(workshop.path)))
            var changes = watch.changes.makeAsyncIterator()
            try await body(workshop, watch, &changes)
            watch.stop()
            // What is left over, then the end.
            while await changes.next() != nil {}
        }
    }

    @Test func `a file that was written and closed`() async throws {
        try await watching { workshop, _, changes in
            let file = open(workshop.path("watched/a.yaml"), O_WRONLY | O_CREAT, 0o600)
            _ = Glibc.write(file, "x", 1)
            close(file)
            #expect(await changes.next() != nil)
        }
    }

    @Test func `a file that is renamed into the folder, inside it, and out of it`() async throws {
        try await watching { workshop, _, changes in
            try workshop.write("x", "other/a.yaml")
            rename(workshop.path("other/a.yaml"), workshop.path("watched/a.yaml"))
            #expect(await changes.next() != nil)
            rename(workshop.path("watched/a.yaml"), workshop.path("watched/b.yaml"))
            #expect(await changes.next() != nil)
            rename(workshop.path("watched/b.yaml"), workshop.path("other/b.yaml"))
            #expect(await changes.next() != nil)
        }
    }

    @Test func `a file that is removed`() async throws {
        try await Workshop.with { workshop in
            let path = try workshop.write("x", "watched/a.yaml")
            let watch = try FolderWatch([workshop.path("watched")])
            var changes = watch.changes.makeAsyncIterator()
            unlink(path)
            #expect(await changes.next() != nil)
        }
    }

    @Test func `links of both kinds`() async throws {
        try await watching { workshop, _, changes in
            try workshop.write("x", "other/a.yaml")
            #expect(symlink("../other/a.yaml", workshop.path("watched/a.yaml")) == 0)
            #expect(await changes.next() != nil)
            #expect(link(workshop.path("other/a.yaml"), workshop.path("watched/b.yaml")) == 0)
            #expect(await changes.next() != nil)
        }
    }

    @Test func `nothing is told before a file is complete`() async throws {
        try await watching { workshop, watch, changes in
            let file = open(workshop.path("watched/a.yaml"), O_WRONLY | O_CREAT, 0o600)
            for _ in 0..<10 { _ = Glibc.write(file, "x", 1) }
            // Creating and writing came first: had they been told, they would be in front of the end.
            watch.stop()
            #expect(await changes.next() == nil)
            close(file)
        }
    }

    @Test func `changes that nobody took are told once`() async throws {
        try await watching { workshop, watch, changes in
            for number in 0..<50 { try workshop.write("x", "watched/\(number).yaml") }
            #expect(await changes.next() != nil)
            // Everything that was told meanwhile is at most one more.
            watch.stop()
            var rest = 0
            while await changes.next() != nil { rest += 1 }
            #expect(rest <= 1)
        }
    }

    @Test func `a folder that was not there`() async throws {
        try await watching(["a/b/c"], create: false) { workshop, watch, changes in
            #expect(watch.problems.isEmpty)
            try workshop.makeFolder(workshop.path("a/b/c"))
            #expect(await changes.next() != nil)
            try await expectChanges(in: "a/b/c", workshop, &changes)
        }
    }

    @Test func `a folder that is renamed to the awaited name`() async throws {
        try await watching(["watched"], create: false) { workshop, _, changes in
            try workshop.write("x", "prepared/a.yaml")
            rename(workshop.path("prepared"), workshop.path("watched"))
            #expect(await changes.next() != nil)
        }
    }

    @Test func `a folder that goes away and comes back`() async throws {
        try await watching { workshop, _, changes in
            rmdir(workshop.path("watched"))
            #expect(await changes.next() != nil)
            try workshop.makeFolder(workshop.path("watched"))
            try await expectChanges(in: "watched", workshop, &changes)
        }
    }

    @Test func `a folder that is replaced by another`() async throws {
        try await watching { workshop, _, changes in
            try workshop.write("x", "next/a.yaml")
            rename(workshop.path("watched"), workshop.path("last"))
            rename(workshop.path("next"), workshop.path("watched"))
            try await expectChanges(in: "watched", workshop, &changes)
        }
    }

    /// More changes than what happened to the folder itself could still have to tell.
    private func expectChanges(
        in folder: String,
        _ workshop: Workshop,
        _ changes: inout AsyncStream<Void>.Iterator
    ) async throws {
        for number in 0..<8 {
            try workshop.write("x", "\(folder)/\(number).yaml")
            #expect(await changes.next() != nil)
        }
    }

    @Test func `folders that are added later count as a change, those that are dropped as none`() async throws {
        try await watching { workshop, watch, changes in
            try workshop.write("x", "later/a.yaml")
            watch.watch([workshop.path("watched"), workshop.path("later")])
            #expect(await changes.next() != nil)
            try workshop.write("y", "later/a.yaml")
            #expect(await changes.next() != nil)

            watch.watch([workshop.path("watched")])
            try workshop.write("z", "later/b.yaml")
            watch.stop()
            #expect(await changes.next() == nil)
        }
    }

    @Test func `one watch sees all of its folders, above and below each other`() async throws {
        try await watching(["a", "a/b", "c"]) { workshop, _, changes in
            for name in ["a/x.yaml", "a/b/x.yaml", "c/x.yaml"] {
                try workshop.write("x", name)
                #expect(await changes.next() != nil)
            }
        }
    }

    @Test func `the changes end when the watch is let go, and when their taker is cancelled`() async throws {
        try await Workshop.with { workshop in
            var watch: FolderWatch? = try FolderWatch([workshop.folder])
            let changes = try #require(watch?.changes)
            watch = nil
            for await _ in changes {}

            let second = try FolderWatch([workshop.folder])
            let taker = Task { for await _ in second.changes {} }
            taker.cancel()
            await taker.value
        }
    }
}
