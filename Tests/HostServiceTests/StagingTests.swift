// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import StatementTraits
import TaskModel
import Testing

@testable import HostService

@Suite("The host makes and empties the staging directory of transfers without following links", .proves("C24"))
struct StagingTests {
    private func with(_ body: (StateDirectory, _ staging: String, _ outside: String) throws -> Void) throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "staging-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try FileManager.default.createDirectory(atPath: path + "/outside", withIntermediateDirectories: true)
        try Data("kept".utf8).write(to: URL(filePath: path + "/outside/file"))
        let state = try StateDirectory(path: path + "/state")
        try state.makeContainer(of: "com.example.a")
        try body(state, "\(state.containerPath(of: "com.example.a"))/\(Transfer.directory)", path + "/outside")
    }

    @Test func `the staging directory is made once, and files of no transfer are deleted from it`() throws {
        try with { state, staging, _ in
            try state.makeStaging(of: "com.example.a", user: nil)
            for name in ["1-aa", "1-aa.part", "2-bb"] {
                try Data("x".utf8).write(to: URL(filePath: "\(staging)/\(name)"))
            }
            try state.makeStaging(of: "com.example.a", user: nil)
            state.sweepStaging(of: "com.example.a", keeping: { ["1-aa", "1-aa.part"] })
            let left = try FileManager.default.contentsOfDirectory(atPath: staging).sorted()
            #expect(left == ["1-aa", "1-aa.part"])
        }
    }

    @Test(.enabled(if: geteuid() == 0))
    func `a staging directory that a killed host created and did not give away is given to the user of the plugin`()
        throws
    {
        try with { state, staging, _ in
            try state.makeStaging(of: "com.example.a", user: nil)
            #expect(owner(staging) == 0)
            for _ in 1...2 { try state.makeStaging(of: "com.example.a", user: 70_001) }
            #expect(owner(staging) == 70_001)
        }
    }

    private func owner(_ path: String) -> UInt32? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.ownerAccountID] as? NSNumber)?.uint32Value
    }

    @Test func `a file of a transfer that begins while the staging directory is swept stays`() throws {
        try with { state, staging, _ in
            try state.makeStaging(of: "com.example.a", user: nil)
            try Data("x".utf8).write(to: URL(filePath: "\(staging)/1-aa"))
            let file = URL(filePath: "\(staging)/2-bb")
            try state.sweepStaging(of: "com.example.a") {
                try Data("x".utf8).write(to: file)
                return []
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: staging) == ["2-bb"])
        }
    }

    @Test func `a link in place of the staging directory is refused, and nothing behind it is deleted`() throws {
        try with { state, staging, outside in
            try FileManager.default.createSymbolicLink(atPath: staging, withDestinationPath: outside)
            #expect(throws: (any Error).self) { try state.makeStaging(of: "com.example.a", user: nil) }
            state.sweepStaging(of: "com.example.a", keeping: { [] })
            #expect(FileManager.default.fileExists(atPath: outside + "/file"))
        }
    }
}
