// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import LinuxSystem
import Testing

@testable import PluginInstaller

@Suite("One command at a time changes a directory of the operator, and no reader of the directory can prevent it")
struct DirectoryLockTests {
    @Test func `a lock on the directory itself, as any reader can take it, does not prevent the lock of a command`()
        async throws
    {
        try await ScratchDirectory.with { directory in
            let held = open(directory.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            defer { close(held) }
            #expect(flock(held, LOCK_EX | LOCK_NB) == 0)
            let lock = try #require(try DirectoryLock(on: directory.path))
            withExtendedLifetime(lock) {
                var status = stat()
                #expect(stat(directory.file(DirectoryLock.name), &status) == 0 && status.st_mode & 0o7777 == 0o600)
            }
        }
    }

    @Test
    func `a second lock of a directory is refused with the process of the first, which leaves no file when released`()
        async throws
    {
        try await ScratchDirectory.with { directory in
            do {
                let lock = try #require(try DirectoryLock(on: directory.path))
                let error = #expect(throws: InstallationError.self) { try DirectoryLock(on: directory.path) }
                #expect(error?.message.contains("(process \(getpid()))") == true)
                withExtendedLifetime(lock) {}
            }
            #expect(FilePlace.names(in: directory.path).isEmpty)
            _ = try #require(try DirectoryLock(on: directory.path))
        }
    }

    @Test func `the lock file of a killed command does not prevent the next command`() async throws {
        try await ScratchDirectory.with { directory in
            try directory.write("4711".utf8, to: DirectoryLock.name)
            _ = try #require(try DirectoryLock(on: directory.path))
            #expect(FilePlace.names(in: directory.path).isEmpty)
        }
    }

    @Test func `a missing directory is created only for a command that adds files, and deleted if it stays empty`()
        async throws
    {
        try await ScratchDirectory.with { directory in
            let inner = directory.file("outer/inner")
            #expect(try DirectoryLock(on: inner) == nil)
            do {
                let lock = try #require(try DirectoryLock(on: inner, isCreating: true))
                #expect(FilePlace.isDirectory(inner))
                withExtendedLifetime(lock) {}
            }
            #expect(FilePlace.names(in: directory.path).isEmpty)
            do {
                let lock = try #require(try DirectoryLock(on: inner, isCreating: true))
                try directory.write([], to: "outer/inner/manifest.yaml")
                withExtendedLifetime(lock) {}
            }
            #expect(FilePlace.names(in: inner) == ["manifest.yaml"])
        }
    }

    @Test(.enabled(if: geteuid() == 0))
    func `the lock file of a command of root belongs to the owner of the directory`()
        async throws
    {
        try await ScratchDirectory.with { directory in
            chown(directory.path, 65_534, 65_534)
            let lock = try #require(try DirectoryLock(on: directory.path))
            withExtendedLifetime(lock) {
                var status = stat()
                #expect(stat(directory.file(DirectoryLock.name), &status) == 0 && status.st_uid == 65_534)
            }
        }
    }

    @Test func `commands at the same time hold the lock of a directory one after the other`() async throws {
        try await ScratchDirectory.with { directory in
            try directory.write("0".utf8, to: "count")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        let lock = try #require(try DirectoryLock(on: directory.path, attempts: 600))
                        let count = try #require(directory.text(of: "count").flatMap { Int($0) })
                        try directory.write("\(count + 1)".utf8, to: "count")
                        withExtendedLifetime(lock) {}
                    }
                }
                try await group.waitForAll()
            }
            #expect(directory.text(of: "count") == "4")
        }
    }
}
