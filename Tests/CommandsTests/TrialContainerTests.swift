// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import LinuxSystem
import Testing

@testable import Commands

@Suite("The temporary container of a called function is deleted, and a directory that an option names stays")
struct TrialContainerTests {
    @Test func `a temporary container too deep for paths is deleted, and the target of a symbolic link in it stays`()
        async throws
    {
        try await ScratchDirectory.with { directory in
            try directory.write("kept".utf8, to: "outside")
            let container = try TrialContainer(at: nil, environment: ["TMPDIR": directory.path])
            symlink(directory.path, container.path + "/link")
            var place = open(container.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            for _ in 0..<3_000 {
                #expect(mkdirat(place, "deep", 0o700) == 0)
                let next = openat(place, "deep", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
                close(place)
                place = next
            }
            fchmod(place, 0)
            close(place)
            #expect(container.delete() == nil)
            #expect(FilePlace.names(in: directory.path) == ["outside"])
        }
    }

    @Test func `a container at a directory that an option names is not deleted`() async throws {
        try await ScratchDirectory.with { directory in
            try directory.makeDirectory("own/inner")
            let container = try TrialContainer(at: directory.file("own"), environment: [:])
            #expect(container.delete() == nil && FilePlace.isDirectory(directory.file("own/inner")))
        }
    }
}
