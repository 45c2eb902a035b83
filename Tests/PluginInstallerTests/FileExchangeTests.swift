// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Testing

@testable import PluginInstaller

@Suite("A failed installation names each file that could not be rolled back")
struct FileExchangeTests {
    private static func withDirectory(_ body: (String) throws -> Void) throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "bgtask-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try body(directory.path)
    }

    @Test func `a rolled back exchange has the earlier file, and the error is unchanged`() throws {
        try Self.withDirectory { directory in
            let file = "\(directory)/plugin.yaml"
            try "earlier".write(toFile: file, atomically: true, encoding: .utf8)
            var exchange = FileExchange()
            let staged = try exchange.stage(Array("later".utf8), at: file)
            try exchange.put(staged)
            let error = exchange.takeBack([staged], after: InstallationError("the host refuses it", remedy: "mend it"))
            #expect((error as? InstallationError)?.message == "the host refuses it")
            #expect(try String(contentsOfFile: file, encoding: .utf8) == "earlier")
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["plugin.yaml"])
        }
    }

    @Test func `a file that cannot be rolled back is named with the path of its earlier contents`() throws {
        try Self.withDirectory { directory in
            let file = "\(directory)/plugin.yaml"
            try "earlier".write(toFile: file, atomically: true, encoding: .utf8)
            var exchange = FileExchange()
            try exchange.put(try exchange.stage(Array("later".utf8), at: file))
            // Nothing can be renamed to a directory that is not empty.
            try FileManager.default.removeItem(atPath: file)
            try FileManager.default.createDirectory(atPath: "\(file)/inner", withIntermediateDirectories: true)
            let error = exchange.takeBack([], after: InstallationError("the host refuses it", remedy: "mend it"))
            let failure = try #require(error as? InstallationError)
            let backup = "\(directory)/.plugin.yaml.old-\(getpid())"
            let start =
                "the host refuses it; some files were not rolled back: \(file) has its earlier contents in \(backup):"
            #expect(failure.message.hasPrefix(start))
            #expect(failure.remedy == "restore these files yourself; then mend it")
            #expect(try String(contentsOfFile: backup, encoding: .utf8) == "earlier")
        }
    }
}
