// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostConfiguration
import TaskLedger
import TaskModel
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
        return stat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
    }

    @Test func `an earlier version's ledger is moved with its log, and a directory with two ledgers is refused`() throws
    {
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
    func `a change of a container's owner leaves out files outside that hard or symbolic links in it refer to`() throws
    {
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

    private func owner(_ file: String) -> UInt32? {
        var status = stat()
        return lstat(file, &status) == 0 ? status.st_uid : nil
    }

    @Test(.enabled(if: geteuid() == 0))
    func `the owner of a large container changes in parts, and the container is its user's only after the last one`()
        throws
    {
        try with { path in
            let state = try StateDirectory(path: path + "/state")
            try state.makeContainer(of: "com.example.a", user: 70_001)
            let container = state.containerPath(of: "com.example.a")
            var places: [String] = []
            for directory in ["one", "two"].map({ "\(container)/\($0)" }) {
                #expect(mkdir(directory, 0o700) == 0)
                places += [directory] + (0..<50).map { "\(directory)/\($0)" }
            }
            for place in places {
                _ = FileManager.default.createFile(atPath: place, contents: nil)
                chown(place, 70_001, 70_001)
            }
            try state.closeContainer(of: "com.example.a", unlessOf: 70_002)
            #expect(owner(container) == 0 && mode(container) == 0o1700)
            #expect(places.allSatisfy { owner($0) == 70_001 })
            var parts = 0
            while try !state.makeContainer(of: "com.example.a", user: 70_002, atMost: 10) {
                parts += 1
                #expect(owner(container) == 0)
                #expect(places.count { owner($0) == 70_002 } <= parts * 12)
            }
            #expect(parts >= 8 && owner(container) == 70_002 && mode(container) == 0o700)
            #expect(places.allSatisfy { owner($0) == 70_002 })
        }
    }

    @Test(.enabled(if: geteuid() == 0))
    func `a container of another user than its plugin's is closed at the start, and its files keep their owner`()
        throws
    {
        try with { path in
            let state = try StateDirectory(path: path + "/state")
            for (plugin, user) in [("com.example.a", 70_001), ("com.example.b", 70_002), ("com.example.c", 70_003)] {
                try state.makeContainer(of: plugin, user: UInt32(user))
                let file = state.containerPath(of: plugin) + "/file"
                _ = FileManager.default.createFile(atPath: file, contents: nil)
                chown(file, UInt32(user), UInt32(user))
            }
            let ledger = try Ledger.inMemory()
            for (name, index) in [("com.example.a", 0), ("com.example.b", 1)] {
                try ledger.recordUser(index: index, of: try #require(PluginIdentifier(name)))
            }
            // The range is shifted by one: the user of b is the former one of c, and c has no user.
            let keeper = try UserKeeper(.own(try #require(UserRange("70001-70009"))), ledger: ledger)
            let shifted = try UserKeeper(.own(try #require(UserRange("70002-70009"))), ledger: ledger)
            try keeper.closeContainers(in: state)
            func owners() -> [UInt32?] { ["a", "b", "c"].map { owner(state.containerPath(of: "com.example.\($0)")) } }
            #expect(owners() == [70_001, 70_002, 0])
            try shifted.closeContainers(in: state)
            try shifted.closeContainers(in: state)
            #expect(owners() == [0, 0, 0])
            let files = ["a", "b", "c"].map { state.containerPath(of: "com.example.\($0)") + "/file" }
            #expect(files.map(owner) == [70_001, 70_002, 70_003])
            #expect(try state.makeContainer(of: "com.example.b", user: 70_003))
            #expect(owners() == [0, 70_003, 0] && files.map(owner) == [70_001, 70_003, 70_003])
            // Without users of plugins, the host's user opens a closed container.
            #expect(try state.makeContainer(of: "com.example.a"))
            #expect(files.map(owner) == [0, 70_003, 70_003] && mode(state.containerPath(of: "com.example.a")) == 0o700)
            try ledger.close()
        }
    }

    @Test(.enabled(if: geteuid() == 0))
    func `a change of a container's owner covers 200 nested directories and leaves the deeper ones unchanged`() throws {
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

    @Test(arguments: [0, 0o500, 0o1000, 0o1700] as [UInt32])
    func `owner permissions that a plugin removed from its container are restored before the next launch`(
        taken: UInt32
    ) throws {
        try with { path in
            let state = try StateDirectory(path: path + "/state")
            try state.makeContainer(of: "com.example.a")
            let container = state.containerPath(of: "com.example.a")
            #expect(mkdir(container + "/inner", 0) == 0)
            chmod(container, taken)
            #expect(try state.makeContainer(of: "com.example.a"))
            #expect(mode(container) == 0o700 && mode(container + "/inner") == 0)
            chmod(container + "/inner", 0o700)
            // The operator may open a container of the host's user to a group.
            chmod(container, 0o750)
            #expect(try state.makeContainer(of: "com.example.a"))
            #expect(mode(container) == 0o750)
        }
    }

    @Test(.enabled(if: geteuid() == 0))
    func `permissions of a container that belongs to a user of plugins are restored before the next launch`() throws {
        try with { path in
            let state = try StateDirectory(path: path + "/state")
            try state.makeContainer(of: "com.example.a", user: 70_001)
            let container = state.containerPath(of: "com.example.a")
            for taken: UInt32 in [0, 0o1700] {
                chmod(container, taken)
                #expect(try state.makeContainer(of: "com.example.a", user: 70_001))
                #expect(mode(container) == 0o700 && owner(container) == 70_001)
            }
        }
    }

    @Test
    func `the state directory is traversable for other users only if plugins have own users, its ledger never is`()
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
