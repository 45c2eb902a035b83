// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import LinuxSystem
import Testing

@testable import HostService

@Suite("A discarded tree is deleted in bounded parts, and nothing outside of it")
struct TreeRemovalTests {
    /// Deletes `tree` in parts. Returns the number of parts.
    private func remove(in directory: ScratchDirectory, atMost limit: Int = 50) throws -> Int {
        var parts = 1
        while try TreeRemoval.removePart(of: "tree", in: directory.path, atMost: limit) { parts += 1 }
        #expect(!FilePlace.exists(directory.file("tree")))
        return parts
    }

    @Test func `a tree with 400 files and a limit of 50 per part is deleted in more than eight parts`() async throws {
        try await ScratchDirectory.with { directory in
            for number in 0..<20 {
                try directory.makeDirectory("tree/\(number)/inner")
                for file in 0..<20 { try directory.write([], to: "tree/\(number)/inner/\(file)") }
            }
            #expect(try remove(in: directory) > 8)
        }
    }

    @Test func `removals of one tree at the same time delete it together, without an error`() async throws {
        try await ScratchDirectory.with { directory in
            for round in 0..<20 {
                for number in 0..<20 { try directory.makeDirectory("tree/\(number)/inner/\(round)/deep") }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<2 {
                        group.addTask {
                            while try TreeRemoval.removePart(of: "tree", in: directory.path, atMost: 5) {}
                        }
                    }
                    try await group.waitForAll()
                }
                #expect(!FilePlace.exists(directory.file("tree")))
            }
        }
    }

    @Test func `a tree of five thousand levels is deleted`() async throws {
        try await ScratchDirectory.with { directory in
            try directory.makeDirectory("tree")
            // The path is longer than the kernel permits, so each level is made in the open directory above it.
            var place = open(directory.file("tree"), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            for _ in 0..<5_000 {
                #expect(mkdirat(place, "deep", 0o700) == 0)
                let next = openat(place, "deep", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
                close(place)
                place = next
            }
            close(place)
            _ = try remove(in: directory, atMost: 1_000)
        }
    }

    @Test func `the removal of a tree keeps the targets of symbolic links and hard links outside of the tree`()
        async throws
    {
        try await ScratchDirectory.with { directory in
            try directory.makeDirectory("outside/inner")
            try directory.write("kept".utf8, to: "outside/file")
            try directory.makeDirectory("tree/inner")
            symlink(directory.file("outside"), directory.file("tree/link"))
            symlink(directory.file("outside"), directory.file("tree/inner/link"))
            link(directory.file("outside/file"), directory.file("tree/inner/hard"))
            _ = try remove(in: directory)
            #expect(directory.text(of: "outside/file") == "kept" && FilePlace.exists(directory.file("outside/inner")))
        }
    }

    @Test func `a symbolic link in the place of the tree is deleted, and its target stays`() async throws {
        try await ScratchDirectory.with { directory in
            try directory.makeDirectory("outside/inner")
            symlink(directory.file("outside"), directory.file("tree"))
            #expect(try remove(in: directory) == 1)
            #expect(FilePlace.exists(directory.file("outside/inner")))
        }
    }

    @Test func `a tree with directories without permissions and names that are not UTF-8 is deleted`() async throws {
        try await ScratchDirectory.with { directory in
            try directory.makeDirectory("tree/closed/inner/deep")
            let name: [CChar] = [-1, -2, 0]
            let place = open(directory.file("tree/closed"), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            #expect(mkdirat(place, name, 0) == 0)
            close(place)
            for path in ["tree/closed/inner/deep", "tree/closed/inner", "tree/closed", "tree"] {
                chmod(directory.file(path), 0)
            }
            _ = try remove(in: directory)
        }
    }

    @Test func `the removal of a missing tree succeeds in one part`() async throws {
        try await ScratchDirectory.with { directory in
            let parts = try remove(in: directory)
            #expect(parts == 1)
        }
    }

    @Test(.enabled(if: geteuid() == 0))
    func `the removal of a tree with a mounted file system fails, and the mounted files stay`()
        async throws
    {
        try await ScratchDirectory.with { directory in
            try directory.makeDirectory("tree/inner/mounted")
            let place = directory.file("tree/inner/mounted")
            let mounted = try await ProgramRun.of("/bin/mount", ["-t", "tmpfs", "none", place])
            try #require(mounted.status == 0, "\(mounted.error)")
            try Data("kept".utf8).write(to: URL(filePath: place + "/file"))
            #expect(throws: SystemError.self) { try remove(in: directory) }
            #expect(FileManager.default.contents(atPath: place + "/file") == Data("kept".utf8))
            _ = try await ProgramRun.of("/bin/umount", [place])
        }
    }
}
