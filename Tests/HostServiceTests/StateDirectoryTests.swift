// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostConfiguration
import Testing

@testable import HostService

@Suite("A state directory keeps its ledger out of reach of the users of plugins")
struct StateDirectoryTests {
    private func with(_ body: (String) throws -> Void) throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "state-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try body(path)
    }

    private func mode(_ path: String) -> UInt32 {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    @Test func `the ledger of an earlier version is moved with its log, and a second one is refused`() throws {
        try with { path in
            for suffix in ["", "-wal"] {
                try Data("old\(suffix)".utf8).write(to: URL(filePath: path + "/ledger.sqlite" + suffix))
            }
            let ledger = try StateDirectory(path: path).ledgerFile
            #expect(ledger == path + "/ledger/ledger.sqlite")
            #expect(FileManager.default.contents(atPath: ledger) == Data("old".utf8))
            #expect(FileManager.default.contents(atPath: ledger + "-wal") == Data("old-wal".utf8))
            #expect(!FileManager.default.fileExists(atPath: path + "/ledger.sqlite"))
            try Data("stray".utf8).write(to: URL(filePath: path + "/ledger.sqlite"))
            let error = #expect(throws: HostError.self) { try StateDirectory(path: path) }
            #expect(error?.message.contains("there are two ledgers") == true)
            #expect(FileManager.default.contents(atPath: ledger) == Data("old".utf8))
        }
    }

    @Test(.enabled(if: geteuid() == 0))
    func `a change of a container's owner leaves out a hard link to a file outside, and symbolic links`() throws {
        try with { path in
            let state = try StateDirectory(path: path + "/state")
            try state.makeContainer(of: "com.example.a", user: 70_001)
            let container = state.containerPath(of: "com.example.a")
            for file in [container + "/own", path + "/outside", path + "/target"] {
                #expect(FileManager.default.createFile(atPath: file, contents: nil))
                chown(file, 70_001, 70_001)
            }
            #expect(link(path + "/outside", container + "/hard") == 0)
            #expect(symlink(path + "/target", container + "/link") == 0)
            try state.makeContainer(of: "com.example.a", user: 70_002)
            func owner(_ file: String) -> UInt32 {
                var status = stat()
                return stat(file, &status) == 0 ? status.st_uid : 0
            }
            #expect(owner(container) == 70_002 && owner(container + "/own") == 70_002)
            #expect(owner(path + "/outside") == 70_001 && owner(path + "/target") == 70_001)
        }
    }

    @Test(.enabled(if: geteuid() == 0))
    func `a change of a container's owner succeeds for a container with 300 nested directories`() throws {
        try with { path in
            let state = try StateDirectory(path: path + "/state")
            try state.makeContainer(of: "com.example.a", user: 70_001)
            let container = state.containerPath(of: "com.example.a")
            var places: [String] = []
            for _ in 0..<300 {
                places.append((places.last ?? container) + "/d")
                #expect(mkdir(places[places.count - 1], 0o700) == 0)
                chown(places[places.count - 1], 70_001, 70_001)
            }
            try state.makeContainer(of: "com.example.a", user: 70_002)
            func owner(_ file: String) -> UInt32 {
                var status = stat()
                return stat(file, &status) == 0 ? status.st_uid : 0
            }
            #expect(owner(container) == 70_002 && owner(places[199]) == 70_002 && owner(places[200]) == 70_001)
        }
    }

    @Test func `other users pass through to the containers and not to the ledger, only if plugins have own users`()
        throws
    {
        for (isTraversable, others) in [(false, UInt32(0)), (true, 0o011)] {
            try with { path in
                chmod(path, 0o711)
                let state = try StateDirectory(path: path + "/state", isTraversable: isTraversable)
                #expect(mode(state.path) & 0o077 == others && mode(state.containerDirectory) & 0o077 == others)
                #expect(mode(state.path + "/ledger") == 0o700)
            }
        }
    }
}
