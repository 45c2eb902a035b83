// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import PluginCatalogue
import Testing

@Suite("Changes of complete files in a watched directory are noticed", .timeLimit(.minutes(10)))
struct DirectoryWatchTests {
    /// Creates directories and a watch on them, and passes the iterator of changes to `body`.
    private func watching(
        _ names: [String] = ["watched"],
        create: Bool = true,
        _ body: (Workshop, DirectoryWatch, inout AsyncStream<Void>.Iterator) async throws -> Void
    ) async throws {
        try await Workshop.with { workshop in
            if create { for name in names { try workshop.makeDirectory(workshop.path(name)) } }
            let watch = try DirectoryWatch(Set(names.map(workshop.path)))
            var changes = watch.changes.makeAsyncIterator()
            try await body(workshop, watch, &changes)
            watch.stop()
            // Takes remaining changes until the end of the stream.
            while await changes.next() != nil {}
        }
    }

    @Test func `a file that is written and closed in a watched directory is noticed`() async throws {
        try await watching { workshop, _, changes in
            let file = open(workshop.path("watched/a.yaml"), O_WRONLY | O_CREAT, 0o600)
            _ = Glibc.write(file, "x", 1)
            close(file)
            #expect(await changes.next() != nil)
        }
    }

    @Test func `a rename into, inside and out of a watched directory is noticed`() async throws {
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

    @Test func `a removed file in a watched directory is noticed`() async throws {
        try await Workshop.with { workshop in
            let path = try workshop.write("x", "watched/a.yaml")
            let watch = try DirectoryWatch([workshop.path("watched")])
            var changes = watch.changes.makeAsyncIterator()
            unlink(path)
            #expect(await changes.next() != nil)
        }
    }

    @Test func `symbolic and hard links in a watched directory are noticed`() async throws {
        try await watching { workshop, _, changes in
            try workshop.write("x", "other/a.yaml")
            #expect(symlink("../other/a.yaml", workshop.path("watched/a.yaml")) == 0)
            #expect(await changes.next() != nil)
            #expect(link(workshop.path("other/a.yaml"), workshop.path("watched/b.yaml")) == 0)
            #expect(await changes.next() != nil)
        }
    }

    @Test func `a directory watch reports no change before a file is complete`() async throws {
        try await watching { workshop, watch, changes in
            let file = open(workshop.path("watched/a.yaml"), O_WRONLY | O_CREAT, 0o600)
            for _ in 0..<10 { _ = Glibc.write(file, "x", 1) }
            // Creation and writes came first: their changes would precede the end of the stream.
            watch.stop()
            #expect(await changes.next() == nil)
            close(file)
        }
    }

    @Test func `changes of a watched directory that the reader has not taken are merged into one`() async throws {
        try await watching { workshop, watch, changes in
            for number in 0..<50 { try workshop.write("x", "watched/\(number).yaml") }
            #expect(await changes.next() != nil)
            // All changes reported meanwhile are at most one more.
            watch.stop()
            var rest = 0
            while await changes.next() != nil { rest += 1 }
            #expect(rest <= 1)
        }
    }

    @Test func `a watched directory that is created later is noticed, and then its files`() async throws {
        try await watching(["a/b/c"], create: false) { workshop, watch, changes in
            #expect(watch.problems.isEmpty)
            try workshop.makeDirectory(workshop.path("a/b/c"))
            #expect(await changes.next() != nil)
            try await expectChanges(in: "a/b/c", workshop, &changes)
        }
    }

    @Test func `a rename of a directory to a watched name is noticed`() async throws {
        try await watching(["watched"], create: false) { workshop, _, changes in
            try workshop.write("x", "prepared/a.yaml")
            rename(workshop.path("prepared"), workshop.path("watched"))
            #expect(await changes.next() != nil)
        }
    }

    @Test func `a watched directory that is removed and created again is noticed`() async throws {
        try await watching { workshop, _, changes in
            rmdir(workshop.path("watched"))
            #expect(await changes.next() != nil)
            try workshop.makeDirectory(workshop.path("watched"))
            try await expectChanges(in: "watched", workshop, &changes)
        }
    }

    @Test func `a watched directory that is replaced by another directory is noticed`() async throws {
        try await watching { workshop, _, changes in
            try workshop.write("x", "next/a.yaml")
            rename(workshop.path("watched"), workshop.path("last"))
            rename(workshop.path("next"), workshop.path("watched"))
            try await expectChanges(in: "watched", workshop, &changes)
        }
    }

    /// Writes eight files into the directory, and waits for a notification after each. The removal and creation of the
    /// directory itself cause fewer notifications.
    private func expectChanges(
        in directory: String,
        _ workshop: Workshop,
        _ changes: inout AsyncStream<Void>.Iterator
    ) async throws {
        for number in 0..<8 {
            try workshop.write("x", "\(directory)/\(number).yaml")
            #expect(await changes.next() != nil)
        }
    }

    @Test func `a directory added to the watch counts as a change, and a dropped directory is ignored`() async throws {
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

    @Test func `one directory watch covers several directories, nested ones included`() async throws {
        try await watching(["a", "a/b", "c"]) { workshop, _, changes in
            for name in ["a/x.yaml", "a/b/x.yaml", "c/x.yaml"] {
                try workshop.write("x", name)
                #expect(await changes.next() != nil)
            }
        }
    }

    @Test func `a directory watch's stream of changes ends at its release and at its reader's cancellation`()
        async throws
    {
        try await Workshop.with { workshop in
            var watch: DirectoryWatch? = try DirectoryWatch([workshop.directory])
            let changes = try #require(watch?.changes)
            watch = nil
            for await _ in changes {}

            let second = try DirectoryWatch([workshop.directory])
            let taker = Task { for await _ in second.changes {} }
            taker.cancel()
            await taker.value
        }
    }
}
